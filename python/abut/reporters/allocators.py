"""The papers' allocators, as tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from abut.composed import served_heap
from abut.reporters.units import amount

if TYPE_CHECKING:
    from abut.papers.program_runs import ProgramRuns
    from abut.reporters.plot import Bars

_LEA = "lea"


def demand_table(programs: "Sequence[ProgramRuns]") -> Table:
    """Feng and Berger's table 1 for other programs: what each asks of its allocator."""
    table = Table(title="what the programs ask for (table 1), under lea", title_justify="left")
    table.add_column("program")
    for column in ("time", "most live", "allocations", "a second", "bytes each"):
        table.add_column(column, justify="right")
    for one in programs:
        demand = one.demand
        table.add_row(
            one.program,
            amount(demand.seconds, "s"),
            amount(demand.most_live, "B"),
            amount(demand.allocations, ""),
            amount(demand.allocations / demand.seconds, ""),
            f"{demand.requested / max(1, demand.allocations):.0f}",
        )
    return table


def reference_of(heaps: Sequence[str]) -> str:
    """The heap that others are divided by: lea, as in the paper, or the first."""
    return _LEA if _LEA in heaps else heaps[0]


def time_table(programs: "Sequence[ProgramRuns]", heaps: Sequence[str]) -> Table:
    """Times divided by lea's, with half of the interval, a row a heap and a column a program."""
    reference = reference_of(heaps)

    def cell(one: "ProgramRuns", heap: str) -> str:
        ratio = one.time_ratio(heap, reference)
        return f"{ratio.value:.2f} ±{(ratio.high - ratio.low) / 2:.2f}" if ratio else "-"

    return _table(f"time, by {reference}'s (figures 2, 4c, 5c)", programs, heaps, cell)


def served_table(programs: "Sequence[ProgramRuns]", heaps: Sequence[str]) -> Table:
    """Times of heaps that are served from elsewhere, divided by those of the same heap in line."""

    def cell(one: "ProgramRuns", heap: str) -> str:
        inner = served_heap(heap)
        ratio = one.time_ratio(heap, inner) if inner else None
        return f"{ratio.value:.2f} ±{(ratio.high - ratio.low) / 2:.2f}" if ratio else "-"

    return _table("time on two cores, by that of the same heap in line", programs, heaps, cell)


def memory_table(programs: "Sequence[ProgramRuns]", heaps: Sequence[str]) -> Table:
    """The most resident memory, divided by lea's."""
    reference = reference_of(heaps)

    def cell(one: "ProgramRuns", heap: str) -> str:
        return _ratio(one.memory(heap), one.memory(reference))

    return _table(f"peak resident memory, by {reference}'s", programs, heaps, cell)


def misses_tables(programs: "Sequence[ProgramRuns]") -> list[Table]:
    """Simulated misses of each level under each layout, divided by lea's."""
    layouts = list(dict.fromkeys(layout for one in programs for layout in one.misses))
    if not layouts:
        return []
    reference = reference_of(layouts)
    titles = (f"by {reference}'s (figure 3a)", f"by {reference}'s (figures 3b, 4a, 5a)")
    return [
        _table(
            f"simulated L{level + 1} misses, {title}",
            programs,
            layouts,
            lambda one, layout, level=level: _ratio(  # type: ignore[misc]
                _at(one.misses, layout, level), _at(one.misses, reference, level)
            ),
        )
        for level, title in enumerate(titles)
    ]


def time_bars(programs: "Sequence[ProgramRuns]", heaps: Sequence[str]) -> "Bars":
    """The times as a chart."""
    from abut.reporters.plot import Bars

    reference = reference_of(heaps)
    ratios = {heap: [one.time_ratio(heap, reference) for one in programs] for heap in heaps}
    return Bars("time", [one.program for one in programs], ratios, reference)


def _at(misses: Mapping[str, Sequence[int]], layout: str, level: int) -> float | None:
    levels = misses.get(layout, ())
    return levels[level] if level < len(levels) else None


def _ratio(value: float | None, reference: float | None) -> str:
    return f"{value / reference:.2f}" if value is not None and reference else "-"


def _table(
    title: str,
    programs: "Sequence[ProgramRuns]",
    rows: Sequence[str],
    cell: "Callable[[ProgramRuns, str], str]",
) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("heap")
    for one in programs:
        table.add_column(one.program, justify="right")
    for row in rows:
        table.add_row(row, *(cell(one, row) for one in programs))
    return table
