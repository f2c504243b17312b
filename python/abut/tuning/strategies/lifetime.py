"""Memory used again over time: the plan takes about as much as lives at one time.

What dies leaves a hole, joined with those beside it; an object takes the shortest hole that holds
it, and the end of the memory where there is none. O(objects).
"""

import numpy as np

from abut.trace.native import failures, native_module
from abut.tuning.objects import Layout, Objects

ABOUT = "in the order of birth, memory used again as soon as it can be"


def place(objects: Objects) -> Layout:
    """All objects, packed over time."""
    size = np.where(objects.placeable, objects.most, 0).astype(np.uint32)
    with failures():
        return Layout(np.asarray(native_module().pack_over_time(size, objects.died)))
