"""The papers' allocators, as tables."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from abut.reporters.units import amount

if TYPE_CHECKING:
    from abut.measure.summary import Summary
    from abut.papers.allocators import Demand

_REFERENCE = "lea"


def demand_table(demands: "Mapping[str, Demand]") -> Table:
    """Feng and Berger's table 1 for other programs: what each asks of its allocator."""
    table = Table(title="what the programs ask for (table 1), under lea", title_justify="left")
    table.add_column("program")
    for column in ("time", "most live", "allocations", "a second", "bytes each"):
        table.add_column(column, justify="right")
    for name, demand in demands.items():
        table.add_row(
            name,
            amount(demand.seconds, "s"),
            amount(demand.most_live, "B"),
            amount(demand.allocations, ""),
            amount(demand.allocations / demand.seconds, ""),
            f"{demand.requested / max(1, demand.allocations):.0f}",
        )
    return table


def ratio_table(summary: "Summary", figure: str, title: str) -> Table:
    """One figure, a row a heap and a column a program, divided by lea's."""
    programs = [program for program in summary.programs if figure in program.cells]
    rows = {
        heap.name: [
            _ratio(row.get(heap.name), row.get(_REFERENCE))
            for program in programs
            for row in [{name: cell.median.value for name, cell in program.cells[figure].items()}]
        ]
        for heap in summary.comparison.heaps
    }
    return _table(title, [program.measurement.workload.name for program in programs], rows)


def misses_table(misses: Mapping[str, Mapping[str, Sequence[int]]]) -> list[Table]:
    """Simulated misses of each level under each layout, divided by lea's."""
    names = list(misses)
    layouts = list(dict.fromkeys(heap for row in misses.values() for heap in row))
    tables = []
    for level, title in enumerate(
        ("L1 misses, by lea's (figure 3a)", "L2 misses, by lea's (figures 3b, 4a, 5a)")
    ):
        rows = {
            layout: [
                _ratio(
                    _at(misses[name].get(layout), level), _at(misses[name].get(_REFERENCE), level)
                )
                for name in names
            ]
            for layout in layouts
        }
        tables.append(_table(f"simulated {title}", names, rows))
    return tables


def _at(levels: Sequence[int] | None, level: int) -> float | None:
    return levels[level] if levels and level < len(levels) else None


def _ratio(value: float | None, reference: float | None) -> str:
    return f"{value / reference:.2f}" if value is not None and reference else "-"


def _table(title: str, programs: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("heap")
    for program in programs:
        table.add_column(program, justify="right")
    for heap, cells in rows.items():
        table.add_row(heap, *cells)
    return table
