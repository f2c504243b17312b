"""How far a comparison has come, on standard error and only where that is a terminal."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from abut.measure.measurement import Comparison
from abut.measure.session import Watcher

if TYPE_CHECKING:
    from rich.progress import Progress


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
        yield lambda program, heap: None
        return
    plan = comparison.plan
    each = len(comparison.heaps) * (plan.runs + plan.warmup + plan.counts_instructions)
    with _bar() as bar:
        task = bar.add_task("", total=programs * each)
        begun: list[str] = []

        def show(program: str, heap: str) -> None:
            if heap:
                bar.update(task, description=f"{program}: {heap}", advance=1)
                return
            # One that was left out early counts as done.
            bar.update(task, description=f"{program}: input", completed=len(begun) * each)
            begun.append(program)

        yield show
