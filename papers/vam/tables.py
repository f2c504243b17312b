"""Vam's figures as tables and as one picture."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.pages import memory_text
from abut.reporters.plot import panels
from abut.reporters.units import amount
from abut.simulation.pages import PAGE_BYTES
from abut_papers.allocators.comparison import AllocatorsResult
from abut_papers.allocators.figures import Figure
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.vam.figures import (
    MIDDLE,
    REACHABLE,
    THEIR_FRAGMENTATION,
    THEIR_READ_AHEAD,
    ProgramPages,
    ProgramsPages,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMN_INCHES, _ROW_INCHES = 3.4, 2.8
_MIB = 1 << 20
_BARS = (("time", "figure 2: time by lea's"), ("L2 misses", "figure 3b: L2 misses by lea's"))


def fragmentation_table(result: ProgramsPages) -> Table:
    """Figure 6: a row a heap, a column a program; the mean, and the authors' where they say it."""
    means = result.mean_fragmentation()
    table = _table("most pages in use over those of the most live data (figure 6)", result)
    for heap in result.heaps:
        row = [f"{value:.2f}" if value else "-" for value in result.fragmentation(heap)]
        mean = f"{means[heap]:.2f}" if heap in means else "-"
        table.add_row(heap, *row, mean, THEIR_FRAGMENTATION.get(heap, ""))
    return table


def prefetch_table(result: ProgramsPages) -> Table:
    """Figure 9: of the misses of half the pages that are needed, how many reading ahead covers."""
    table = _table("misses in half of the memory that reading ahead covers (figure 9)", result)
    for heap in result.heaps:
        shares = [
            report.prefetch[MIDDLE].prefetchable_share if report else None
            for report in result.reports(heap)
        ]
        known = [share for share in shares if share is not None]
        mean = (
            f"{sum(known) / len(known):.0%}" if known and None not in result.reports(heap) else "-"
        )
        row = [f"{share:.0%}" if share is not None else "-" for share in shares]
        table.add_row(heap, *row, mean, THEIR_READ_AHEAD.get(heap, ""))
    return table


def curve_table(program: ProgramPages) -> Table:
    """Figure 8 where it matters: misses of memories that live data take up to such a share."""
    memories = program.memories
    columns = [
        f"{share:.0%}: {memory_text(memory)}"
        for share, memory in zip(REACHABLE, memories, strict=True)
    ]
    title = f"{program.name}: page misses by the share of memory that live data are (figure 8)"
    table = grid(title, ["heap", *columns])
    for heap, report in program.pages.reports.items():
        misses = report.misses(np.array(memories)).tolist()
        table.add_row(heap, *(amount(count, "") for count in misses))
    return table


def _table(title: str, result: ProgramsPages) -> Table:
    return grid(title, ["heap", *(one.name for one in result.programs), "mean", "theirs"])


def draw(result: ProgramsPages, runs: AllocatorsResult, path: Path) -> None:
    """Figures 2 and 3b; below them 6, 8 and 9; a column a program."""
    if not result.programs:
        return
    by_name = {one.program: one for one in runs.programs}
    programs = [by_name.get(program.name) for program in result.programs]
    rows: list[tuple[str, Callable[[Axes, int], None]]]
    rows = [(title, _bars(programs, what, runs.heaps)) for what, title in _BARS]
    for title, one in (
        ("figure 6: pages in use over live data", _draw_fragmentation),
        ("figure 8: page misses", _draw_curves),
        ("figure 9: share of the misses", _draw_prefetch),
    ):
        rows.append((title, lambda axes, at, one=one: one(axes, result.programs[at])))  # type: ignore[misc]
    columns = len(result.programs)
    canvas, axes = panels(len(rows), columns, (_COLUMN_INCHES, _ROW_INCHES))
    for row, (title, fill) in enumerate(rows):
        for column in range(columns):
            fill(axes[row][column], column)
        axes[row][0].set_ylabel(title)
    for column, program in enumerate(result.programs):
        axes[0][column].set_title(program.name, parse_math=False)
    canvas.savefig(path, dpi=150)


def _bars(
    programs: Sequence[ProgramRuns | None], what: str, heaps: Sequence[str]
) -> "Callable[[Axes, int], None]":
    figure = Figure(what, "lea", heaps)

    def fill(axes: "Axes", at: int) -> None:
        if (program := programs[at]) is None:
            return
        ratios = {heap: program.ratio(what, heap, figure.reference) for heap in heaps}
        known = {heap: one for heap, one in ratios.items() if one}
        values = [one.value for one in known.values()]
        below = [max(0.0, one.value - one.low) for one in known.values()]
        above = [max(0.0, one.high - one.value) for one in known.values()]
        colors = [f"C{heaps.index(heap)}" for heap in known]
        axes.bar(list(known), values, yerr=[below, above], capsize=2, color=colors)
        axes.axhline(1, color="black", linewidth=0.8)
        _slant(axes)

    return fill


def _slant(axes: "Axes") -> None:
    axes.tick_params(axis="x", rotation=60, labelsize="small")


def _draw_fragmentation(axes: "Axes", program: ProgramPages) -> None:
    heaps = list(program.pages.reports)
    values = [report.use.fragmentation or 0 for report in program.pages.reports.values()]
    axes.bar(heaps, values, color=[f"C{number}" for number in range(len(heaps))])
    axes.axhline(1, color="black", linewidth=0.8)
    _slant(axes)


def _draw_curves(axes: "Axes", program: ProgramPages) -> None:
    sizes = program.pages.curve_sizes
    for heap, report in program.pages.reports.items():
        axes.plot(sizes * PAGE_BYTES / _MIB, report.misses(sizes), label=heap)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("memory, MiB")
    axes.legend(fontsize="x-small")


def _draw_prefetch(axes: "Axes", program: ProgramPages) -> None:
    heaps = list(program.pages.reports)
    points = [report.prefetch[MIDDLE] for report in program.pages.reports.values()]
    others = [point.others / max(1, point.misses) for point in points]
    covered = [point.prefetchable / max(1, point.misses) for point in points]
    axes.bar(heaps, others, color="C3", label="not prefetchable")
    axes.bar(heaps, covered, bottom=others, color="C2", label="prefetchable")
    axes.set_title(f"in {memory_text(program.pages.memories[MIDDLE])}", fontsize="small")
    _slant(axes)
    axes.legend(fontsize="x-small", loc="lower right")
