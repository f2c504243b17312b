"""What each context costs, in several figures: what exports to other tools are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abut.simulation.caches import Caches
from abut.simulation.flames import Stack, stacks_of
from abut.simulation.presets import Preset
from abut.simulation.replay import feed_by_context
from abut.simulation.run_document import padded
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser

_MOST_FRAMES = 60


@dataclass(frozen=True, slots=True)
class Costs:
    """Figures by context: `table` has a row a context, from 0, and a column a figure.

    Figures are objects and bytes allocated and, where accesses were recorded, accesses and misses
    by level.
    """

    figures: Sequence[str]
    table: Array
    stacks: Sequence[Stack]

    def of(self, stack: Stack) -> list[int]:
        """A stack's own costs, a figure each."""
        return [int(value) for value in self.table[stack.owner]]

    @property
    def totals(self) -> list[int]:
        """Over all stacks."""
        return [sum(values) for values in zip(*map(self.of, self.stacks), strict=True)] or [
            0 for _ in self.figures
        ]


def costs_of(trace: Trace, preset: Preset) -> Costs:
    """Simulate the caches over the whole trace. Raises AbutError."""
    objects = trace.objects(accesses=False)
    count = len(trace.contexts()) + 1
    context = np.where(objects["context"] < count, objects["context"], 0)
    columns = {
        "objects": np.bincount(context, minlength=count),
        "bytes": np.bincount(context, objects["size"].astype(np.float64), count),
    }
    if trace.info.accesses:
        caches = Caches(preset.levels)
        feed_by_context(trace, [caches])
        columns["accesses"] = padded(caches.references_by_owner, count)
        for level in caches.counts():
            columns[f"{level.name} misses"] = padded(level.misses_by_owner, count)
    table = np.stack([column.astype(np.int64) for column in columns.values()], axis=1)
    return Costs(list(columns), table, _stacks(trace, table))


def _stacks(trace: Trace, table: Array) -> list[Stack]:
    used = [n for n in range(1, len(table)) if table[n].any()]
    return stacks_of(trace, Symboliser.of(trace), used, table[:, -1], _MOST_FRAMES)
