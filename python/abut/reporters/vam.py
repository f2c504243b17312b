"""Vam's figures as tables, JSON and one picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table
from rich.text import Text

from abut.analysis.pages import PAGE_BYTES, PageReport
from abut.reporters.units import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abut.papers.vam import ProgramPages

_POINTS = 100
_COLUMN_INCHES, _ROW_INCHES = 3.2, 2.8
_MIB = 1 << 20


def table(program: "ProgramPages") -> Table:
    """A row a heap: figure 6, points of figure 8, figure 9."""
    shown = Table(title=Text(f"{program.name}: {program.about}"), title_justify="left")
    shown.add_column("heap")
    shown.add_column("pages in use", justify="right")
    shown.add_column("over live", justify="right")
    for memory in program.memories:
        shown.add_column(f"misses in {_memory(memory)}", justify="right")
        shown.add_column("read ahead", justify="right")
    for heap, report in program.reports.items():
        points = (cell for point in report.prefetch for cell in _cells(point.misses, point))
        shown.add_row(
            heap,
            amount(report.use.most_pages_in_use * PAGE_BYTES, "B"),
            _over_live(report),
            *points,
        )
    return shown


def _cells(misses: int, point: Any) -> tuple[str, str]:
    share = point.prefetchable_share
    return amount(misses, ""), "-" if share is None else f"{share:.0%}"


def _over_live(report: PageReport) -> str:
    fragmentation = report.use.fragmentation
    return "-" if fragmentation is None else f"{fragmentation:.2f}"


def _memory(pages: int) -> str:
    return amount(pages * PAGE_BYTES, "B")


def document(program: "ProgramPages") -> dict[str, Any]:
    """One program; memories in pages."""
    sizes = _sizes(program)
    return {
        "program": program.name,
        "memories_pages": list(program.memories),
        "curve_pages": sizes.tolist(),
        "heaps": {
            heap: {
                "most_pages_in_use": report.use.most_pages_in_use,
                "most_live_bytes": report.use.most_live_bytes,
                "fragmentation": report.use.fragmentation,
                "first_touches": report.first_touches,
                "touches": report.touches,
                "steps": report.steps,
                "exact_from_pages": report.exact_from,
                "misses": report.misses(sizes).tolist(),
                "allocator_misses": report.misses(sizes, "allocator").tolist(),
                "prefetch": [
                    {
                        "memory_pages": point.memory_pages,
                        "prefetchable": point.prefetchable,
                        "others": point.others,
                    }
                    for point in report.prefetch
                ],
            }
            for heap, report in program.reports.items()
        },
    }


def _sizes(program: "ProgramPages") -> "np.ndarray[Any, np.dtype[np.int64]]":
    reports = program.reports.values()
    smallest = max(report.exact_from for report in reports)
    largest = max(smallest, *(report.use.most_pages_in_use for report in reports))
    return np.unique(np.linspace(smallest, largest, _POINTS).astype(np.int64))


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
    heaps = list(program.reports)
    values = [report.use.fragmentation or 0 for report in program.reports.values()]
    axes.bar(heaps, values, color=[f"C{number}" for number in range(len(heaps))])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.tick_params(axis="x", rotation=30)
    axes.set_title(program.name, parse_math=False)


def _draw_curves(axes: "Axes", program: "ProgramPages") -> None:
    sizes = _sizes(program)
    for heap, report in program.reports.items():
        axes.plot(sizes * PAGE_BYTES / _MIB, report.misses(sizes), label=heap)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("memory, MiB")
    axes.legend(fontsize="x-small")


def _draw_prefetch(axes: "Axes", program: "ProgramPages") -> None:
    from abut.papers.vam import MIDDLE

    heaps = list(program.reports)
    points = [report.prefetch[MIDDLE] for report in program.reports.values()]
    others = [point.others / max(1, point.misses) for point in points]
    covered = [point.prefetchable / max(1, point.misses) for point in points]
    axes.bar(heaps, others, color="C3", label="not prefetchable")
    axes.bar(heaps, covered, bottom=others, color="C2", label="prefetchable")
    axes.set_title(f"in {_memory(program.memories[MIDDLE])}", fontsize="small")
    axes.tick_params(axis="x", rotation=30)
    axes.legend(fontsize="x-small", loc="lower right")
