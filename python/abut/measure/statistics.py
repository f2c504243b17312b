"""Medians with bootstrap confidence intervals, and what is made of them: ratios, geometric means.

An estimate carries its bootstrap replicates, so that the interval of a ratio or of a mean comes
from the same resampling. Samples are paired by round: one seed draws the same rounds for every
heap, and slow drift of the machine falls out of the ratio.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

REPLICATES = 2000
CONFIDENCE = 0.95
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A value, in the unit of what it was made of, and its bootstrap replicates."""

    value: float
    replicates: Floats

    @property
    def low(self) -> float:
        """The lower end of the 95 % confidence interval."""
        return self._quantile((1 - CONFIDENCE) / 2)

    @property
    def high(self) -> float:
        """The upper end of the 95 % confidence interval."""
        return self._quantile((1 + CONFIDENCE) / 2)

    def _quantile(self, share: float) -> float:
        return float(np.quantile(self.replicates, share))


def exact(value: float) -> Estimate:
    """What was counted, and would be the same again."""
    return Estimate(float(value), np.array([float(value)]))


def median(values: Sequence[float], seed: int) -> Estimate:
    """The median of at least one value."""
    samples = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(samples.size, size=(REPLICATES, samples.size))
    return Estimate(float(np.median(samples)), np.median(samples[drawn], axis=1))


def ratio(estimate: Estimate, to: Estimate) -> Estimate | None:
    """`estimate` as a multiple of `to`; None where that is not a number."""
    if to.value <= 0 or estimate.value <= 0 or not np.all(to.replicates > 0):
        return None
    return Estimate(estimate.value / to.value, estimate.replicates / to.replicates)


def geometric_mean(estimates: Sequence[Estimate]) -> Estimate | None:
    """The geometric mean of positive estimates; None where there are none."""
    if not estimates or any(np.any(one.replicates <= 0) for one in estimates):
        return None
    value = float(np.exp(np.mean(np.log([one.value for one in estimates]))))
    logarithms = np.log(np.stack([one.replicates for one in estimates]))
    return Estimate(value, np.exp(logarithms.mean(axis=0)))
