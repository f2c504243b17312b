"""Prints the miss ratio of caches of every size, exact and from a sample."""

import sys

import numpy as np

from abut.simulation.replay import feed
from abut.simulation.reuse import LINE_BYTES, ReuseDistances, SampledReuse
from abut.trace import Trace

trace = Trace(sys.argv[1])
lines = 2 ** np.arange(4, 15)
distances, sampled = ReuseDistances(), SampledReuse(0.2)
feed(trace, [distances, sampled])
exact = distances.curve().miss_ratios(lines)
sample = sampled.curve(lines)
for size, ratio, estimate, error in zip(
    lines.tolist(), exact, sample.miss_ratios, sample.errors, strict=True
):
    kib = size * LINE_BYTES / 1024
    print(
        f"{kib:6.0f} KiB: {ratio:6.1%} of the accesses miss; sampled {estimate:6.1%} ± {error:.1%}"
    )
