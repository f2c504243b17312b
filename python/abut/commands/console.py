"""The terminal that verbs print to. A file or a pipe gets room instead of wrapped lines."""

import sys
from collections.abc import Sequence

from rich.console import Console

_FILE_WIDTH = 160


def console(*, wide: bool = True) -> Console:
    """Standard output. In names, brackets and colons are no markup."""
    width = _FILE_WIDTH if wide and not sys.stdout.isatty() else None
    return Console(width=width, highlight=False, markup=False, emoji=False)


def warn(problem: str) -> None:
    """A line on standard error that is hard to overlook."""
    width = None if sys.stderr.isatty() else _FILE_WIDTH
    error = Console(stderr=True, width=width, highlight=False, markup=False, emoji=False)
    error.print(f"abut: {problem}", style="red")


def warn_of_damage(trace: str, damages: Sequence[str]) -> None:
    """Say where a trace cannot be read, and that what was found is of the rest alone."""
    for damage in damages:
        warn(f"{trace}: damaged {damage}")
    if damages:
        warn(f"{trace}: the answer is partial: it is of what could be read")
