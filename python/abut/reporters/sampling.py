"""What samples of runs say, as tables and as JSON."""

import dataclasses
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.trace import document
from abut.reporters.units import amount
from abut.simulation.sampling import Sample


def sample_table(sample: Sample) -> Table:
    """A row a figure, with the interval that it lies in with 95 % confidence."""
    job = sample.job
    command = shlex.join(sample.command) or Path(job.trace).name
    layout = "" if job.layout == "recorded" else f", layout {job.layout}"
    table = grid(
        f"{command}: about {sample.accesses:,} accesses{layout}; {job.preset.name}",
        ["figure", "estimate", "at least", "at most"],
        words=1,
    )
    for one in sample.estimates:
        cells = (amount(round(value), "") for value in (one.value, one.low, one.high))
        table.add_row(one.name, *cells)
    table.caption = f"{sample.measured:,} accesses were measured, in {sample.windows} windows"
    return table


def samples_json(samples: Sequence[Sample]) -> str:
    """All of them."""
    return document(
        samples=[
            {
                "trace": one.job.trace,
                "machine": one.job.preset.name,
                "layout": one.job.layout,
                "accesses": one.accesses,
                "measured": one.measured,
                "windows": one.windows,
                "estimates": [dataclasses.asdict(each) for each in one.estimates],
            }
            for one in samples
        ]
    )
