"""Cyll's layouts in a managed run time (section 6.3): `python -m abut_papers.cyll.managed TRACE`.

A run time that collects by copying lays its objects out again each time, and knows how they have
been used meanwhile, where a plan holds for a whole run. A recorded run stands for a program of such
a run time: objects are bumped through one half of the memory, and after every so many accesses
those that live are copied to the other, in birth order or in that of a strategy. Simulated are the
misses of the program, and of the copying, which reads each object and writes it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.simulation.caches import WRITE, Caches
from abut.simulation.presets import find_preset
from abut.trace.native import Array
from abut.trace.reader import EventKind, Trace
from abut.tuning.objects import GRANULE, objects_of, read_objects
from abut.tuning.strategies import find_strategy

STILL, BIRTH = "never collected", "birth order"
ORDERS = (STILL, BIRTH, "usage-df", "usage-grouped")
_HALF = 1 << 40
_LINE = 64


class ManagedHeap:
    """Objects by number in one half of the memory; `address` is where each is now, 0: nowhere."""

    def __init__(self, sizes: Array, order: str, caches: Caches) -> None:
        self._room = -(-sizes.astype(np.int64) // GRANULE) * GRANULE
        self._order, self._caches = order, caches
        self._end = _HALF
        self.address = np.zeros(len(sizes), np.int64)
        self.copied = 0

    def create(self, born: Array) -> None:
        """Allocate objects, one after another."""
        self.address[born] = self._end + np.cumsum(self._room[born]) - self._room[born]
        self._end += int(self._room[born].sum())

    def collect(self, dead: Array, used: Array) -> None:
        """Copy what lives to the other half; `used` are the objects used since, in order."""
        self.address[dead] = 0
        live = np.flatnonzero(self.address)
        if self._order == STILL or not len(live):
            return
        live = live[self._in_order(live, used[self.address[used] != 0])]
        self._pass_over(live, 0)
        self._end = _HALF if self._end >= 2 * _HALF else 2 * _HALF
        self.create(live)
        self._pass_over(live, WRITE)
        self.copied += int(self._room[live].sum())

    def _in_order(self, live: Array, used: Array) -> Array:
        """The rows of `live`, as they are to lie; what the strategy does not place comes last."""
        rows = np.arange(len(live))
        if self._order == BIRTH:
            return rows
        steps = np.searchsorted(live, used)
        pairs = np.stack([steps[:-1], steps[1:]], axis=1)[steps[:-1] != steps[1:]]
        edges, weights = np.unique(pairs, axis=0, return_counts=True)
        usage = [
            (*edge, weight) for edge, weight in zip(edges.tolist(), weights.tolist(), strict=True)
        ]
        objects = objects_of(self._room[live].tolist(), usage=usage)
        offsets = find_strategy(self._order).place(objects).offsets
        return np.lexsort((rows, offsets, offsets < 0))

    def _pass_over(self, objects: Array, kind: int) -> None:
        """Every line of the objects, read or written."""
        lines = -(-self._room[objects] // _LINE)
        begins = np.repeat(self.address[objects], lines)
        number = np.arange(len(begins)) - np.repeat(np.cumsum(lines) - lines, lines)
        self._caches.take(begins + number * _LINE, kinds=np.full(len(begins), kind))


def run(trace: Trace, order: str, every: int, caches: Caches) -> ManagedHeap:
    """The recorded run in a heap that is collected after about so many accesses."""
    heap = ManagedHeap(np.append(0, read_objects(trace, accesses=False).most), order, caches)
    for batch in trace.batches(every):
        events, mine = batch.events, (batch.object != 0) & (batch.side == 0)
        heap.create(events.object[events.kind == EventKind.ALLOCATE].astype(np.int64))
        used = batch.object[mine].astype(np.int64)
        kinds = np.where(batch.write[mine], WRITE, 0)
        caches.take(heap.address[used] + batch.offset[mine], batch.size[mine], kinds)
        heap.collect(events.object[events.kind == EventKind.FREE].astype(np.int64), used)
    return heap


def rows(trace: Trace, every: int, preset: str, orders: Iterable[str] = ORDERS) -> list[list[str]]:
    """A row an order: the misses of each level, and the bytes that were copied."""
    found = []
    for order in orders:
        caches = Caches(find_preset(preset).levels)
        heap = run(trace, order, every, caches)
        misses = [f"{level.total_misses:,}" for level in caches.counts()]
        found.append([order, *misses, amount(heap.copied, "B")])
    return found


def main(
    trace: Path,
    every: Annotated[int, typer.Option(help="Accesses between two collections.")] = 1 << 20,
    machine: Annotated[str, typer.Option(help="The preset whose caches are simulated.")] = "modern",
) -> None:
    """What a recorded program would miss if a collector that copies laid its objects out."""
    from abut.commands.console import console

    levels = [f"{level.name} misses" for level in find_preset(machine).levels]
    found = rows(Trace(trace), every, machine)
    console().print(grid("copied in the order", ["order", *levels, "copied"], found))


if __name__ == "__main__":
    typer.run(main)
