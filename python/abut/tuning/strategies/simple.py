"""One object after another as they are born: what a bump allocator does.

Cyll 2004, section 4.1. O(objects).
"""

from abut.tuning.objects import Layout, Objects, in_order

ABOUT = "in the order of birth"


def place(objects: Objects) -> Layout:
    """All objects in the order of their birth."""
    return Layout(in_order(objects, objects.rows()))
