"""Misses of caches of every size, with LRU and with the best policy that there could be."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from abut.simulation.caches import Level, Optimum
from abut.simulation.presets import Preset
from abut.simulation.reuse import ReuseDistances, SampledReuse
from abut.trace.native import Array

_LINE = 64
_LEAST, _MOST = 1 << 10, 1 << 30  # bytes
_EXACT = 4_000_000  # references up to which distances are measured of all lines, not of some
_SAMPLED_LINES = 1 << 15


def curve_sizes() -> Array:
    """Capacities to draw, in bytes: two for each doubling."""
    steps = 2 * int(np.log2(_MOST // _LEAST))
    return np.unique((_LEAST * 2 ** (np.arange(steps + 1) / 2)).astype(np.int64) // _LINE * _LINE)


def reuse_for(references: int) -> ReuseDistances | SampledReuse:
    """What can be afforded for so many references."""
    if references <= _EXACT:
        return ReuseDistances(_LINE)
    return SampledReuse(0.05, most_blocks=_SAMPLED_LINES, block_bytes=_LINE)


def curve_document(reuse: ReuseDistances | SampledReuse) -> dict[str, Any]:
    """Miss ratios of fully associative LRU caches, of all that was fed, with their standard errors,
    0 if exact; without the sizes at which nothing happens any more.
    """
    sizes = curve_sizes()
    if isinstance(reuse, ReuseDistances):
        ratios, errors, rate = reuse.curve().miss_ratios(sizes // _LINE), np.zeros(len(sizes)), 1.0
    else:
        sampled = reuse.curve(sizes // _LINE)
        ratios, errors, rate = sampled.miss_ratios, sampled.errors, sampled.rate
    last = int(np.argmax(np.isclose(ratios, ratios[-1], rtol=1e-3))) + 2
    return {
        "bytes": sizes[:last].tolist(),
        "ratios": [float(f"{ratio:.5g}") for ratio in ratios[:last]],
        "errors": [float(f"{error:.3g}") for error in errors[:last]],
        "rate": rate,
    }


@dataclass(frozen=True, slots=True)
class Floor:
    """The fewest misses of a cache of so many bytes, and those of LRU on the same references."""

    bytes: int
    optimum: int
    lru: int


class Floors:
    """Best policies beside LRU, at a few sizes, of a part of the run."""

    def __init__(self, preset: Preset) -> None:
        smallest = preset.levels[0].capacity
        largest = max(level.capacity for level in preset.levels)
        powers = int(np.log2(largest / smallest)) + 1
        sizes = ((smallest << step) // 4 for step in range(0, powers + 2, 2))
        self.sizes = sorted({max(size // _LINE, 1) * _LINE for size in sizes})
        self.optima = [Optimum(Level(f"{size}", size)) for size in self.sizes]
        self.reuse = ReuseDistances(_LINE)
        self.simulators = [*self.optima, self.reuse]

    def solve(self) -> list[Floor]:
        """The floors, by size."""
        blocks = np.array(self.sizes, np.int64) // _LINE
        lru = self.reuse.curve().misses(blocks)
        return [
            Floor(size, sum(optimum.solve().misses), int(misses))
            for size, optimum, misses in zip(self.sizes, self.optima, lru, strict=True)
        ]
