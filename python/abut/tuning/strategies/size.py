"""The smallest first: objects of one size may be of one type.

Cyll 2004, section 4.3. O(objects log objects).
"""

import numpy as np

from abut.tuning.objects import Layout, Objects, in_order

ABOUT = "by size, the smallest first"


def place(objects: Objects) -> Layout:
    """All objects by size; of equal ones the first born."""
    rows = objects.rows()
    return Layout(in_order(objects, rows[np.argsort(objects.size[rows], kind="stable")]))
