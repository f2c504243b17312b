"""Cyll's tables, and a picture of the first."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from abut.reporters.plot import check_format

if TYPE_CHECKING:
    from abut.papers.cyll import ProgramRuns

_WIDTH = 0.8


def _table(title: str, programs: "Sequence[ProgramRuns]") -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("strategy")
    for program in programs:
        table.add_column(program.name, justify="right")
    return table


def _beside(ours: float, his: float | None) -> str:
    return f"{ours:.3f}" if his is None else f"{ours:.3f} ({his:.3f})"


def times_table(programs: "Sequence[ProgramRuns]") -> Table:
    """Tables 5.1 and 5.2: the least times, as multiples of `simple`'s; his in brackets."""
    from abut.papers.cyll import HIS, OURS, REFERENCE, his_time

    table = _table("time / simple's (his)", programs)
    for strategy in (*HIS, *OURS):
        cells = [
            _beside(
                program.seconds[strategy] / program.seconds[REFERENCE],
                his_time(program.name, strategy),
            )
            for program in programs
        ]
        table.add_row(strategy, *cells)
    seconds = [f"{program.seconds[REFERENCE] * 1000:.1f} ms" for program in programs]
    table.add_row("simple takes", *seconds)
    return table


def misses_table(programs: "Sequence[ProgramRuns]", level: int) -> Table:
    """Tables 5.3 to 5.8: simulated misses of one level, as multiples of `simple`'s."""
    from abut.papers.cyll import HIS, OURS, REFERENCE, his_misses

    table = _table(f"simulated L{level + 1} misses / simple's (his)", programs)
    for strategy in (*HIS, *OURS):
        cells = [
            _beside(
                program.misses[strategy][level] / max(1, program.misses[REFERENCE][level]),
                his_misses(program.name, strategy, level),
            )
            for program in programs
        ]
        table.add_row(strategy, *cells)
    counts = [f"{program.misses[REFERENCE][level]:,}" for program in programs]
    table.add_row("simple misses", *counts)
    return table


def heaps_table(programs: "Sequence[ProgramRuns]", heaps: Sequence[str]) -> Table:
    """Tables 5.9 to 5.12: heaps without a plan, as multiples of `simple`'s time."""
    from abut.papers.cyll import REFERENCE

    table = _table("heaps without a plan: time / simple's", programs)
    for heap in heaps:
        cells = [f"{one.seconds[heap] / one.seconds[REFERENCE]:.3f}" for one in programs]
        table.add_row(heap, *cells)
    return table


def draw(programs: "Sequence[ProgramRuns]", path: Path) -> None:
    """A group of bars a program, a bar a strategy."""
    from matplotlib.figure import Figure

    from abut.papers.cyll import HIS, OURS, REFERENCE

    check_format(path)
    figure = Figure(figsize=(12, 4), layout="constrained")
    plot = figure.subplots()
    strategies = (*HIS, *OURS)
    for number, strategy in enumerate(strategies):
        places = [row + _WIDTH * number / len(strategies) for row in range(len(programs))]
        heights = [one.seconds[strategy] / one.seconds[REFERENCE] for one in programs]
        plot.bar(places, heights, _WIDTH / len(strategies), label=strategy)
    plot.set_xticks(
        [row + _WIDTH / 2 for row in range(len(programs))], [one.name for one in programs]
    )
    plot.set_ylabel("time / simple's")
    plot.legend(ncols=5, fontsize="small")
    figure.savefig(path)
