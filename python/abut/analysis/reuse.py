"""Reuse distances: how many misses caches of every size would have, from one pass.

A cache of n blocks, fully associative and with LRU, misses the references whose distance (how many
other blocks were used since theirs was) is n or more. `MissCurve` is exact; `SampledCurve` looks at
a sample of the blocks (SHARDS: Waldspurger, Park, Garthwaite, Ahmad, FAST 2015) and says how far
off it may be. Columns: `address` (uint64), `size` in bytes (uint32), `side` (uint8: 1 for the
allocator's); a reference that straddles two blocks counts in both. Both sides share the cache.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abut.trace.native import Array, native_module
from abut.trace.reader import Trace

LINE_BYTES = 64
APPLICATION, ALLOCATOR, BOTH = 0, 1, 2


@dataclass(frozen=True, slots=True)
class MissCurve:
    """Counts of references by their distance; row 0 is the application's, row 1 the allocator's."""

    block_bytes: int
    distances: tuple[Array, Array]
    cold: tuple[int, int]

    @property
    def references(self) -> int:
        """How many there were, of both sides."""
        return int(sum(self.cold) + sum(int(counts.sum()) for counts in self.distances))

    def misses(self, blocks: Array, side: int = BOTH) -> Array:
        """Misses in caches of so many blocks (1 or more), of one side's references or of both's."""
        total = np.zeros(len(blocks), np.int64)
        for each in (APPLICATION, ALLOCATOR):
            if side in (each, BOTH):
                total += at_least(self.distances[each], blocks) + self.cold[each]
        return total

    def miss_ratios(self, blocks: Array, side: int = BOTH) -> Array:
        """Misses as a share of the references of that side, or of both."""
        references = max(1, int(self.misses(np.zeros(1, np.int64), side)[0]))
        ratios: Array = self.misses(blocks, side) / references
        return ratios


def at_least(counts: Array, sizes: Array) -> Array:
    """How many things there are from each of `sizes` on, where `counts` has them by size."""
    behind = np.append(np.cumsum(counts[::-1])[::-1], 0)
    found: Array = behind[np.minimum(sizes, len(counts))]
    return found


@dataclass(frozen=True, slots=True)
class SampledCurve:
    """Miss ratios of caches of `blocks` blocks, estimated, with the standard errors of that.

    `rate` is the share of the blocks that was looked at.
    """

    block_bytes: int
    blocks: Array
    miss_ratios: Array
    errors: Array
    rate: float
    sampled_blocks: int
    references: int


def exact_curve(
    address: Array, size: Array | None = None, side: Array | None = None, *, block_bytes: int = 64
) -> MissCurve:
    """The curve of these references. Memory: some forty bytes for each different block."""
    native = native_module().ReuseDistances(block_bytes)
    native.add(*columns(address, size, side))
    return _exact(native, block_bytes)


def exact_trace_curve(trace: Trace, *, block_bytes: int = 64) -> MissCurve:
    """The curve of a trace's accesses, where its objects lay."""
    native = native_module().ReuseDistances(block_bytes)
    native.add_trace(trace.native, counts_strays(trace))
    return _exact(native, block_bytes)


def sampled_curve(
    address: Array,
    size: Array | None = None,
    side: Array | None = None,
    *,
    blocks: Array,
    rate: float = 0.01,
    most_blocks: int = 0,
    block_bytes: int = 64,
    of: int = BOTH,
) -> SampledCurve:
    """The estimated curve of these references, at the sizes `blocks`.

    With `most_blocks`, no more than so many are looked at: the rate begins at `rate`, and falls.
    """
    native = native_module().SampledReuse(block_bytes, rate, most_blocks)
    native.add(*columns(address, size, side))
    return _sampled(native, block_bytes, blocks, of)


def sampled_trace_curve(
    trace: Trace,
    *,
    blocks: Array,
    rate: float = 0.01,
    most_blocks: int = 0,
    block_bytes: int = 64,
    of: int = BOTH,
) -> SampledCurve:
    """The estimated curve of a trace's accesses, where its objects lay."""
    native = native_module().SampledReuse(block_bytes, rate, most_blocks)
    native.add_trace(trace.native, counts_strays(trace))
    return _sampled(native, block_bytes, blocks, of)


def columns(
    address: Array, size: Array | None, side: Array | None
) -> tuple[Array, Array | None, Array | None]:
    """The columns as the native module wants them; copies only what is not so already."""
    return (
        np.ascontiguousarray(address, np.uint64),
        None if size is None else np.ascontiguousarray(size, np.uint32),
        None if side is None else np.ascontiguousarray(side, np.uint8),
    )


def counts_strays(trace: Trace) -> bool:
    """Whether the program's accesses to what is no object count.

    They are its stacks and fixed addresses, and left out, unless the trace knows of no object at
    all, as one from another tool does.
    """
    return not any((events.kind == 0).any() for events in trace.events())


def _exact(native: Any, block_bytes: int) -> MissCurve:
    sides = (APPLICATION, ALLOCATOR)
    first, second = (native.distances(side) for side in sides)
    cold, also_cold = (native.cold(side) for side in sides)
    return MissCurve(block_bytes, (first, second), (cold, also_cold))


def _sampled(native: Any, block_bytes: int, blocks: Array, of: int) -> SampledCurve:
    wanted = np.ascontiguousarray(blocks, np.uint64)
    ratios, errors = native.miss_ratios(of, wanted)
    sides = (APPLICATION, ALLOCATOR) if of == BOTH else (of,)
    references = sum(native.references(side) for side in sides)
    return SampledCurve(
        block_bytes,
        wanted,
        ratios,
        errors,
        native.rate(),
        native.sampled_blocks(),
        references,
    )
