"""Cyll's tables, and a picture of the first."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from abut.reporters.plot import check_format

if TYPE_CHECKING:
    from abut_papers.cyll.bench import ProgramRuns

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
    from abut_papers.cyll.bench import REFERENCE
    from abut_papers.cyll.figures import his_seconds, his_time

    table = _table("time / simple's (his)", programs)
    for strategy in programs[0].strategies():
        cells = [
            _beside(
                program.seconds[strategy] / program.seconds[REFERENCE],
                his_time(program.name, strategy),
            )
            for program in programs
        ]
        table.add_row(strategy, *cells)
    seconds = [
        _milliseconds(program.seconds[REFERENCE], his_seconds(program.name, REFERENCE))
        for program in programs
    ]
    table.add_row("simple, in ms", *seconds)
    return table


def _milliseconds(ours: float, his: float | None) -> str:
    return f"{ours * 1000:.1f}" + (f" ({his * 1000:.1f})" if his is not None else "")


def misses_table(programs: "Sequence[ProgramRuns]", level: int) -> Table:
    """Tables 5.3 to 5.8 and 5.10: simulated misses of one level, as multiples of `simple`'s."""
    from abut_papers.cyll.bench import NO_PLAN, REFERENCE
    from abut_papers.cyll.figures import his_misses

    table = _table(f"simulated L{level + 1} misses / simple's (his)", programs)
    for strategy in [*programs[0].strategies(), NO_PLAN]:
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
    """Tables 5.9, 5.11 and 5.12: heaps without a plan, as multiples of `simple`'s time."""
    from abut.heaps import GLIBC
    from abut_papers.cyll.bench import REFERENCE
    from abut_papers.cyll.figures import his_system_time

    table = _table("heaps without a plan: time / simple's (his system's)", programs)
    for heap in heaps:
        cells = [
            _beside(
                one.seconds[heap] / one.seconds[REFERENCE],
                his_system_time(one.name) if heap == GLIBC.name else None,
            )
            for one in programs
        ]
        table.add_row(heap, *cells)
    return table


def slim_table(programs: "Sequence[ProgramRuns]") -> Table:
    """Tables 5.13 and 5.14: the time with the plan alone as a multiple of that with friends."""
    from abut_papers.cyll.figures import his_slim_time

    table = _table("the plan alone / with friends (his: his library that only follows)", programs)
    for strategy in programs[0].strategies():
        cells = []
        for one in programs:
            ours = one.slim_time(strategy)
            cells.append(_beside(ours, his_slim_time(one.name, strategy)) if ours else "")
        table.add_row(strategy, *cells)
    return table


def draw(programs: "Sequence[ProgramRuns]", path: Path) -> None:
    """A group of bars a program, a bar a strategy."""
    from matplotlib.figure import Figure

    from abut_papers.cyll.bench import REFERENCE

    check_format(path)
    figure = Figure(figsize=(12, 4), layout="constrained")
    plot = figure.subplots()
    strategies = programs[0].strategies()
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
