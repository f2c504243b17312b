"""How one thing compares with another that was measured beside it, round by round.

The ratio of two runs of one round is free of what drifts between rounds. Of its logarithms, the
Hodges-Lehmann estimate and the interval of Wilcoxon's signed ranks are taken: they assume nothing
of how times are distributed but that chance favours neither of the two, and one wild run moves
neither. Where both are the same, the interval misses 1 as often as it says, and never more.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Ratio:
    """A multiple of the other's figure, and its interval; `rounds` that it is made of."""

    value: float
    low: float
    high: float
    rounds: int

    def __str__(self) -> str:
        if not self.low:  # of too few rounds
            return f"{self.value:.3f}"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def ratio_of(logarithms: Sequence[float], confidence: float = CONFIDENCE) -> Ratio:
    """Of the rounds' log ratios, at least one. Of too few rounds for `confidence`, the interval is
    from 0 to infinity.
    """
    rounds = len(logarithms)
    sums = np.add.outer(logarithms, logarithms)[np.triu_indices(rounds)]
    means = np.sort(sums) / 2
    cut = _cut(rounds, 1 - confidence)
    low, high = (means[cut - 1], means[-cut]) if cut else (-math.inf, math.inf)
    return Ratio(math.exp(np.median(means)), math.exp(low), math.exp(high), rounds)


@functools.cache
def _cut(rounds: int, error: float) -> int:
    """Which of the sorted means of pairs is the interval's end, counted from either side; 0 where
    the interval has no end.
    """
    ways = np.ones(1)  # that signed ranks add up to 0, 1, 2, ...
    for rank in range(1, rounds + 1):
        ways = np.convolve(ways, [1.0, *[0.0] * (rank - 1), 1.0]) / 2
    return int(np.searchsorted(np.cumsum(ways), error / 2, side="right"))
