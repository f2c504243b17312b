"""A strategy: the objects that are used most come first."""

import numpy as np

from abut.tuning.objects import Layout, Objects, in_order


def place(objects: Objects) -> Layout:
    """By uses, the most used first; what has died leaves its place to others of its size."""
    rows = objects.rows()
    order = rows[np.argsort(-objects.heat[rows].astype(np.int64), kind="stable")]
    return Layout(in_order(objects, order, share=True))
