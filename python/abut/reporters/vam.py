"""Vam's figures 6, 8 and 9 as one picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abut.analysis.pages import PAGE_BYTES
from abut.reporters.pages import memory_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abut.papers.vam import ProgramPages

_COLUMN_INCHES, _ROW_INCHES = 3.2, 2.8
_MIB = 1 << 20


def draw(programs: "Sequence[ProgramPages]", path: Path) -> None:
    """Figure 6 above, figure 8 in the middle, figure 9 below; a column a program."""
    from matplotlib.figure import Figure

    columns = len(programs)
    size = (_COLUMN_INCHES * columns + 1, 3 * _ROW_INCHES)
    canvas = Figure(figsize=size, layout="constrained")
    grid = canvas.subplots(3, columns, squeeze=False)
    for column, program in enumerate(programs):
        _draw_fragmentation(grid[0][column], program)
        _draw_curves(grid[1][column], program)
        _draw_prefetch(grid[2][column], program)
    grid[0][0].set_ylabel("pages in use over live data")
    grid[1][0].set_ylabel("page misses")
    grid[2][0].set_ylabel("share of the misses")
    canvas.savefig(path, dpi=150)


def _draw_fragmentation(axes: "Axes", program: "ProgramPages") -> None:
    heaps = list(program.pages.reports)
    values = [report.use.fragmentation or 0 for report in program.pages.reports.values()]
    axes.bar(heaps, values, color=[f"C{number}" for number in range(len(heaps))])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.tick_params(axis="x", rotation=30)
    axes.set_title(program.name, parse_math=False)


def _draw_curves(axes: "Axes", program: "ProgramPages") -> None:
    sizes = program.pages.curve_sizes
    for heap, report in program.pages.reports.items():
        axes.plot(sizes * PAGE_BYTES / _MIB, report.misses(sizes), label=heap)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("memory, MiB")
    axes.legend(fontsize="x-small")


def _draw_prefetch(axes: "Axes", program: "ProgramPages") -> None:
    from abut.papers.vam import MIDDLE

    heaps = list(program.pages.reports)
    points = [report.prefetch[MIDDLE] for report in program.pages.reports.values()]
    others = [point.others / max(1, point.misses) for point in points]
    covered = [point.prefetchable / max(1, point.misses) for point in points]
    axes.bar(heaps, others, color="C3", label="not prefetchable")
    axes.bar(heaps, covered, bottom=others, color="C2", label="prefetchable")
    axes.set_title(f"in {memory_text(program.pages.memories[MIDDLE])}", fontsize="small")
    axes.tick_params(axis="x", rotation=30)
    axes.legend(fontsize="x-small", loc="lower right")
