"""One run on several simulated machines, as a table."""

from collections.abc import Sequence

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.simulation.jobs import Result, average_cycles


def machines_table(results: Sequence[Result]) -> Table:
    """A row a machine, and a level of it: what misses, and how long a core would take."""
    names = ("machine", "level", "misses", "rate", "AMAT", "predicted cycles", "at GHz", "ms")
    table = grid("machines", names, words=2)
    for result in results:
        core, time = result.job.preset.core, result.time
        last: tuple[str, ...] = (f"{average_cycles(result):.2f}", "-", "-", "-")
        if core and time:
            ms = time.total / core.ghz / 1e6
            last = (last[0], amount(round(time.total), ""), f"{core.ghz:.1f}", f"{ms:.2f}")
        levels = (*result.levels, *result.tlb[-1:])
        for number, level in enumerate(levels):
            first = number == 0
            table.add_row(
                result.job.preset.name if first else "",
                level.name,
                amount(level.total_misses, ""),
                f"{level.miss_rate:.2%}",
                *(last if first else ("",) * len(last)),
            )
    return table
