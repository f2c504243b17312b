"""The terminal that verbs print to. A file or a pipe gets room instead of wrapped lines."""

import os
import signal
import sys
from collections.abc import Sequence

from rich.console import Console

_FILE_WIDTH = 160


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """End as the shell's own tools do: 1 is an answer."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(128 + signal.SIGPIPE)


def console() -> Console:
    """Standard output."""
    return _Output(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False)


def warn(problem: str) -> None:
    """A line on standard error that is hard to overlook."""
    width = None if sys.stderr.isatty() else _FILE_WIDTH
    error = Console(stderr=True, width=width, highlight=False)
    error.print(f"abut: {problem}", markup=False, style="red")


def warn_of_damage(trace: str, damages: Sequence[str]) -> None:
    """Say where a trace cannot be read, and that what was found is of the rest alone."""
    for damage in damages:
        warn(f"{trace}: damaged {damage}")
    if damages:
        warn(f"{trace}: the answer is partial: it is of what could be read")
