"""Pages in use, misses of memories and reading ahead, as a table, in words and as JSON."""

from typing import Any

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.simulation.pages import PAGE_BYTES, PageComparison, PageReport, Prefetch


def pages_table(title: str, what: str, comparison: PageComparison) -> Table:
    """A row a run; `what` the runs differ in."""
    shown = grid(title, [what, "pages in use", "over live"])
    for memory in comparison.memories:
        shown.add_column(f"misses in {memory_text(memory)}", justify="right")
        shown.add_column("read ahead", justify="right")
    for name, report in comparison.reports.items():
        points = (cell for point in report.prefetch for cell in _cells(point))
        in_use = amount(report.use.most_pages_in_use * PAGE_BYTES, "B")
        shown.add_row(name, in_use, _over_live(report), *points)
    return shown


def pages_sides_table(title: str, what: str, comparison: PageComparison) -> Table:
    """A row a run and side: whose touches they were that brought a page in, or missed one."""
    shown = grid(title, [what, "side", "first touches"], words=2)
    for memory in comparison.memories:
        shown.add_column(f"misses in {memory_text(memory)}", justify="right")
        shown.add_column("read ahead", justify="right")
    for name, report in comparison.reports.items():
        for side, frames in enumerate(report.frames.items()):
            points = [point.of_side(side) for point in report.prefetch]
            touches = report.first_touches_of(frames[0])
            if touches or any(point.misses for point in points):
                cells = (cell for point in points for cell in _cells(point))
                shown.add_row(name, frames[0], amount(touches, ""), *cells)
    return shown


def memory_text(pages: int) -> str:
    """A memory of so many pages, as people say it."""
    return amount(pages * PAGE_BYTES, "B")


def pages_words(name: str, comparison: PageComparison) -> str:
    """One run in a sentence."""
    report = comparison.reports[name]
    use = report.use
    live = amount(use.most_live_bytes, "B")
    over = f", {use.fragmentation:.2f} times the pages of {live} live" if use.fragmentation else ""
    point = report.prefetch[len(report.prefetch) // 2]
    share = point.prefetchable_share
    covered = f", and {share:.0%} of these would have been read ahead" if share is not None else ""
    return (
        f"{name}: {memory_text(use.most_pages_in_use)} of pages in use{over}; "
        f"in {memory_text(point.memory_pages)}, {amount(point.misses, '')} misses{covered}"
    )


def pages_document(comparison: PageComparison) -> dict[str, Any]:
    """Members of a JSON object, with curves; memories in pages."""
    sizes = comparison.curve_sizes
    return {
        "memories_pages": list(comparison.memories),
        "curve_pages": sizes.tolist(),
        "runs": {
            name: {
                "most_pages_in_use": report.use.most_pages_in_use,
                "most_live_bytes": report.use.most_live_bytes,
                "fragmentation": report.use.fragmentation,
                "first_touches": report.first_touches,
                "allocator_first_touches": report.first_touches_of("allocator"),
                "enough_pages": report.enough_pages,
                "touches": report.touches,
                "steps": report.steps,
                "exact_from_pages": report.exact_from,
                "misses": report.misses(sizes).tolist(),
                "allocator_misses": report.misses(sizes, "allocator").tolist(),
                "prefetch": [_point(point) for point in report.prefetch],
            }
            for name, report in comparison.reports.items()
        },
    }


def _point(point: Prefetch) -> dict[str, int]:
    allocators = point.of_side(1)
    return {
        "memory_pages": point.memory_pages,
        "prefetchable": point.prefetchable,
        "others": point.others,
        "allocator_prefetchable": allocators.prefetchable,
        "allocator_others": allocators.others,
    }


def _cells(point: Prefetch) -> tuple[str, str]:
    share = point.prefetchable_share
    return amount(point.misses, ""), "-" if share is None else f"{share:.0%}"


def _over_live(report: PageReport) -> str:
    fragmentation = report.use.fragmentation
    return "-" if fragmentation is None else f"{fragmentation:.2f}"
