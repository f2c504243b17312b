"""Runs on several simulated machines, as tables and JSON."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from abut import json_lines
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.simulation.jobs import Job, Result, average_cycles
from abut.simulation.sweep import Failed, Row, key_of, named


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


def sweep_table(kept: Path, wanted: Sequence[Job]) -> Table:
    """A row a run and layout, a column a machine: cycles of an access in the mean."""
    rows = {key_of(row): row for row in json_lines.read(kept)}
    machines = list(dict.fromkeys(job.preset.name for job in wanted))
    table = grid(
        "predicted cycles of an access; of machines without a core, by the latencies of its caches",
        ["trace", "layout", "accesses", *machines],
    )
    for trace, layout, seed in dict.fromkeys((job.trace, job.layout, job.seed) for job in wanted):
        some = [job for job in wanted if (job.trace, job.layout, job.seed) == (trace, layout, seed)]
        found = {job.preset.name: rows.get(key_of(named(job))) for job in some}
        first = next((row for row in found.values() if row), None)
        cells = [_cycles(found.get(name)) for name in machines]
        table.add_row(Path(trace).name, layout, str(first["references"]) if first else "-", *cells)
    return table


def _cycles(row: Row | None) -> str:
    if row is None:
        return "-"
    if row["cycles"] is None or not row["references"]:
        return f"{row['cycles_of_an_access']:.2f}"
    return f"{row['cycles'] / row['references']:.2f}"


def sweep_json(kept: Path, wanted: Sequence[Job], failed: Sequence[Failed]) -> str:
    """The rows that were asked for, in their order, and what could not be found."""
    rows = {key_of(row): row for row in json_lines.read(kept)}
    keys = [key_of(named(job)) for job in wanted]
    return json.dumps(
        {
            "rows": [rows[key] for key in keys if key in rows],
            "failed": [dataclasses.asdict(one) for one in failed],
        },
        allow_nan=False,
    )
