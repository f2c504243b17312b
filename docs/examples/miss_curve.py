"""Prints the miss ratio of caches of every size, exact and from a sample."""

import sys

import numpy as np

from abut.simulation.reuse import LINE_BYTES, ReuseDistances, SampledReuse, feed
from abut.trace import Trace

trace = Trace(sys.argv[1])
lines = 2 ** np.arange(4, 15)
exact = feed(trace, ReuseDistances()).curve().miss_ratios(lines)
sample = feed(trace, SampledReuse(0.2)).curve(lines)
for size, ratio, estimate, error in zip(
    lines.tolist(), exact, sample.miss_ratios, sample.errors, strict=True
):
    kib = size * LINE_BYTES / 1024
    print(
        f"{kib:6.0f} KiB: {ratio:6.1%} of the accesses miss; sampled {estimate:6.1%} ± {error:.1%}"
    )
