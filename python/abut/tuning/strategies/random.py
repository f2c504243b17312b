"""In no order at all: how bad it can get.

Cyll 2004, section 4.2. O(objects).
"""

import numpy as np

from abut.tuning.objects import Layout, Objects, in_order

ABOUT = "shuffled, by the seed"
USES = "seed"


def place(objects: Objects) -> Layout:
    """All objects, shuffled."""
    order = np.random.default_rng(objects.seed).permutation(objects.rows())
    return Layout(in_order(objects, order))
