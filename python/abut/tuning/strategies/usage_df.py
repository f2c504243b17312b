"""Depth-first along what was used after what.

Cyll 2004, section 4.6; his edges came from `ping`, ours from the recorded accesses, too.
O(objects log objects + edges log edges).
"""

from abut.tuning.objects import Layout, Objects, depth_first, in_order

ABOUT = "depth-first along what was used next"


def place(objects: Objects) -> Layout:
    """From the largest object on, each followed by what was used after it most often."""
    return Layout(in_order(objects, depth_first(objects, objects.usage)))
