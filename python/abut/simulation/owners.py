"""Whom a miss is counted for: who allocated the object, the object itself, or the page it lies on.

A site is the code address that allocates. A group is what two call sites in a row allocate: the
site and its caller, the shortest partial call chain that distinguishes the users of a wrapper. What
an owner costs are accesses, misses, cycles, and lines, of which more or less is used.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from abut.simulation.caches import Caches, UtilisationCounts
from abut.simulation.levels import lost_cycles
from abut.trace.native import Array
from abut.trace.reader import Frame, Trace
from abut.trace.symbols import Symboliser

OWNERS = ("site", "context", "group", "object", "page")
NO_OWNER = "nobody"  # no counts by owner: names take a while
_FRAMES = {"site": 1, "group": 2}
_SHOWN_FRAMES = {"site": 1, "group": 2, "context": 4}
_PAGE_SHIFT = 12
_TOP = 50
_NO_OBJECT = "memory of no known object"


@dataclass(frozen=True, slots=True)
class Owners:
    """How references get their owners, and what the owners are. Owner 0 is none."""

    by: str
    native_by: str
    owner_of_context: Array
    chains: Sequence[Sequence[Frame]]

    def names(self, trace: Trace, numbers: Iterable[int], pages: Array) -> dict[int, str]:
        """A name for each of these owners."""
        wanted = [n for n in numbers if n]
        return {0: _NO_OBJECT, **self._names(trace, wanted, pages)}

    def _names(self, trace: Trace, wanted: Sequence[int], pages: Array) -> dict[int, str]:
        if self.by == "page":
            return {n: f"page {int(pages[n - 1]) << _PAGE_SHIFT:#x}" for n in wanted}
        symboliser = Symboliser.of(trace)
        if self.by == "object":
            return _object_names(trace, wanted, symboliser)
        chains = {n: self.chains[n - 1][: _SHOWN_FRAMES[self.by]] for n in wanted}
        symboliser.learn(chains.values())
        return {n: _chain_name(symboliser, chain) for n, chain in chains.items()}


def owners_of(trace: Trace, by: str) -> Owners:
    """How to count by one of OWNERS, or not at all."""
    if by == NO_OWNER:
        return Owners(by, by, np.zeros(0, np.uint32), [])
    contexts = trace.contexts()
    if by not in _FRAMES:
        native = by if by in ("object", "page") else "context"
        return Owners(by, native, np.arange(len(contexts) + 1, dtype=np.uint32), contexts)
    numbers: dict[tuple[Frame, ...], int] = {}
    table = np.zeros(len(contexts) + 1, np.uint32)
    for context, chain in enumerate(contexts, 1):
        key = tuple(chain[: _FRAMES[by]])
        table[context] = numbers.setdefault(key, len(numbers) + 1)
    return Owners(by, "context", table, list(numbers))


def _object_names(trace: Trace, wanted: Sequence[int], symboliser: Symboliser) -> dict[int, str]:
    objects = trace.objects(accesses=False)
    contexts = trace.contexts()
    names = {}
    for number in wanted:
        context = int(objects["context"][number - 1])
        size = int(objects["size"][number - 1])
        chain = contexts[context - 1][:1] if 0 < context <= len(contexts) else []
        names[number] = f"object {number}, {size} B, of {_chain_name(symboliser, chain)}"
    return names


def _chain_name(symboliser: Symboliser, chain: Sequence[Frame]) -> str:
    return " < ".join(map(str, symboliser.chain(chain))) or "unknown"


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
