"""Medians with bootstrap confidence intervals, and what is made of them: ratios, geometric means.

An estimate carries its bootstrap replicates, so that the interval of a ratio or of a mean comes
from the same resampling. Samples are paired by round: one seed draws the same rounds for every
heap, and slow drift of the machine falls out of the ratio. Of a few samples that interval would
hold the truth far less often than it says: there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

REPLICATES = 2000
CONFIDENCE = 0.95
FEWEST = 5  # samples, for an interval: that of 4 holds the truth in 88 %, of 3 in 76 %
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A value, in the unit of what it was made of, and its bootstrap replicates: itself alone where
    it has no interval.
    """

    value: float
    replicates: Floats

    @property
    def low(self) -> float | None:
        """The lower end of the 95 % confidence interval."""
        return self._quantile((1 - CONFIDENCE) / 2)

    @property
    def high(self) -> float | None:
        """The upper end of the 95 % confidence interval."""
        return self._quantile((1 + CONFIDENCE) / 2)

    @property
    def half_width(self) -> float | None:
        """Of the interval."""
        low, high = self.low, self.high
        return None if low is None or high is None else (high - low) / 2

    @property
    def has_interval(self) -> bool:
        """Whether it is of samples enough."""
        return self.replicates.size > 1

    def _quantile(self, share: float) -> float | None:
        return float(np.quantile(self.replicates, share)) if self.has_interval else None


def exact(value: float) -> Estimate:
    """What was counted, and would be the same again: it has no interval."""
    return Estimate(float(value), np.array([float(value)]))


def median(values: Sequence[float], seed: int) -> Estimate:
    """The median of at least one value."""
    samples = np.asarray(values, dtype=np.float64)
    if samples.size < FEWEST:
        return exact(float(np.median(samples)))
    drawn = np.random.default_rng(seed).integers(samples.size, size=(REPLICATES, samples.size))
    return Estimate(float(np.median(samples)), np.median(samples[drawn], axis=1))


def ratio(estimate: Estimate, to: Estimate) -> Estimate | None:
    """`estimate` as a multiple of `to`; None where that is not a number."""
    if to.value <= 0 or estimate.value <= 0 or not np.all(to.replicates > 0):
        return None
    value = estimate.value / to.value
    if not (estimate.has_interval and to.has_interval):
        return exact(value)
    return Estimate(value, estimate.replicates / to.replicates)


def geometric_mean(estimates: Sequence[Estimate]) -> Estimate | None:
    """The geometric mean of positive estimates; None where there are none."""
    if not estimates or any(np.any(one.replicates <= 0) for one in estimates):
        return None
    value = float(np.exp(np.mean(np.log([one.value for one in estimates]))))
    if not all(one.has_interval for one in estimates):
        return exact(value)
    logarithms = np.log(np.stack([one.replicates for one in estimates]))
    return Estimate(value, np.exp(logarithms.mean(axis=0)))
