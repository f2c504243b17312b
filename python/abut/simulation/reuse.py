"""Reuse distances: how many misses caches of every size would have, from one pass.

A cache of n blocks, fully associative and with LRU, misses the references whose distance (how many
other blocks were used since theirs was) is n or more. `ReuseDistances` is exact; `SampledReuse`
looks at a sample of the blocks (SHARDS: Waldspurger, Park, Garthwaite, Ahmad, FAST 2015) and says
how far off it may be. Columns are those of `caches`; a reference that straddles two blocks counts
in both. The two sides share the cache, and each reference counts for its own.
"""

from dataclasses import dataclass

import numpy as np

from abut.simulation.caches import Simulator
from abut.trace.native import Array, native_module

LINE_BYTES = 64
APPLICATION, ALLOCATOR, BOTH = 0, 1, 2
_SIDES = (APPLICATION, ALLOCATOR)


@dataclass(frozen=True, slots=True)
class MissCurve:
    """Counts of references by their distance; row 0 is the application's, row 1 the allocator's."""

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
    """Miss ratios of caches of some sizes, estimated, with the standard errors of that.

    `rate` is the share of the blocks that was looked at.
    """

    miss_ratios: Array
    errors: Array
    rate: float
    sampled_blocks: int
    references: int


class ReuseDistances(Simulator):
    """The exact distances. Memory: some forty bytes for each different block."""

    def __init__(self, block_bytes: int = LINE_BYTES) -> None:
        self.native = native_module().ReuseDistances(block_bytes)

    def curve(self) -> MissCurve:
        """What all references so far come to."""
        first, second = (self.native.distances(side) for side in _SIDES)
        cold, also_cold = (self.native.cold(side) for side in _SIDES)
        return MissCurve((first, second), (cold, also_cold))


class SampledReuse(Simulator):
    """The distances of a sample of the blocks.

    With `most_blocks`, no more than so many are looked at: the rate begins at `rate`, and falls.
    """

    def __init__(
        self, rate: float = 0.01, *, most_blocks: int = 0, block_bytes: int = LINE_BYTES
    ) -> None:
        self.native = native_module().SampledReuse(block_bytes, rate, most_blocks)

    def curve(self, blocks: Array, side: int = BOTH) -> SampledCurve:
        """What all references so far come to, in caches of so many blocks."""
        ratios, errors = self.native.miss_ratios(side, np.ascontiguousarray(blocks, np.uint64))
        sides = _SIDES if side == BOTH else (side,)
        return SampledCurve(
            miss_ratios=ratios,
            errors=errors,
            rate=self.native.rate(),
            sampled_blocks=self.native.sampled_blocks(),
            references=sum(self.native.references(each) for each in sides),
        )
