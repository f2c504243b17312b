"""How far a comparison has come, on standard error and only where that is a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from abut.measure.measurement import Comparison
from abut.measure.session import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress


class QuietWatcher:
    """For output that goes to a file: says nothing."""

    def on_program(self, name: str) -> None:
        """Nothing to show."""

    def on_run(self, program: str, heap: str) -> None:
        """Nothing to show."""


def _bar() -> "Progress":
    """As rich's own; in names, brackets are no markup."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    _, *others = Progress.get_default_columns()
    words = TextColumn("{task.description}", "progress.description", markup=False)
    # Seldom refreshed: drawing takes time from a core that the program may use.
    return Progress(
        words, *others, console=Console(stderr=True), transient=True, refresh_per_second=2
    )


@contextlib.contextmanager
def share_done(what: str) -> Iterator[Callable[[float], None]]:
    """A bar for one piece of work, called with the share that is done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with _bar() as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextlib.contextmanager
def progress(comparison: Comparison, programs: int) -> Iterator[Watcher]:
    """A bar that counts runs, and names the program and the heap."""
    if not sys.stderr.isatty():
        yield QuietWatcher()
        return
    plan = comparison.plan
    each = len(comparison.heaps) * (plan.runs + plan.warmup + plan.counts_instructions)
    with _bar() as bar:
        task = bar.add_task("", total=programs * each)

        class Bar:
            """Moves the bar; a program that was left out early counts as done."""

            def __init__(self) -> None:
                self._begun = 0

            def on_program(self, name: str) -> None:
                """Name the next program."""
                bar.update(task, description=f"{name}: input", completed=self._begun * each)
                self._begun += 1

            def on_run(self, program: str, heap: str) -> None:
                """One run further."""
                bar.update(task, description=f"{program}: {heap}", advance=1)

        yield Bar()
