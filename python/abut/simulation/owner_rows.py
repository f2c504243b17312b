"""What each owner costs: accesses, misses, cycles, and how much of what it brought in was used."""

from dataclasses import dataclass

import numpy as np

from abut.simulation.caches import Caches, UtilisationCounts
from abut.simulation.levels import lost_cycles
from abut.simulation.owners import NO_OWNER, Owners
from abut.trace.native import Array
from abut.trace.reader import Trace

_TOP = 50


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """What one owner costs. `lost_cycles` is what its misses take beyond hits in the first level.

    `used_bytes` of `brought_bytes` were used of the lines of the first level that it brought in.
    Owner 0 is what is of no known object: the allocator's own memory, stacks, what was freed.
    """

    owner: int
    name: str
    accesses: int
    misses: list[int]
    lost_cycles: float
    brought_bytes: int
    used_bytes: int


def owner_rows(
    trace: Trace,
    owners: Owners,
    caches: Caches,
    used: UtilisationCounts,
    memory_cycles: float,
    pages: Array,
) -> list[OwnerRow]:
    """A row an owner, what hurts most first; misses by level, as the caches have them."""
    if owners.by == NO_OWNER:
        return []
    levels = caches.counts()
    count = max(1, len(caches.references_by_owner))
    accesses = _with_nobody(caches.references_by_owner, count, sum(caches.references))
    misses = np.stack(
        [_with_nobody(level.misses_by_owner, count, level.total_misses) for level in levels]
    )
    lost = lost_cycles(list(misses), caches.levels, memory_cycles)
    lines = _with_nobody(used.lines_by_owner, count, sum(used.lines))
    bytes_used = _with_nobody(used.used_bytes_by_owner, count, sum(used.used_bytes))
    order = [int(n) for n in np.argsort(-lost, kind="stable")[:_TOP] if accesses[n]]
    names = owners.names(trace, order, pages)
    return [
        OwnerRow(
            owner=number,
            name=names[number],
            accesses=int(accesses[number]),
            misses=[int(count) for count in misses[:, number]],
            lost_cycles=float(lost[number]),
            brought_bytes=int(lines[number]) * used.line_bytes,
            used_bytes=int(bytes_used[number]),
        )
        for number in order
    ]


def _with_nobody(numbers: Array, count: int, total: int) -> Array:
    """So many owners' numbers; what is missing to the total has no owner, and is the first."""
    padded = np.pad(numbers[:count].astype(np.int64), (0, max(0, count - len(numbers))))
    padded[0] = total - int(padded[1:].sum())
    return padded
