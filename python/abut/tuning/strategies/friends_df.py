"""Depth-first along what `abut_malloc_near` said.

Cyll 2004, section 4.4. O(objects log objects + friends).
"""

from abut.tuning.objects import Layout, Objects, depth_first, in_order

ABOUT = "depth-first along the program's hints"


def place(objects: Objects) -> Layout:
    """From the largest object on, each followed by its friends, and theirs."""
    return Layout(in_order(objects, depth_first(objects, objects.friends)))
