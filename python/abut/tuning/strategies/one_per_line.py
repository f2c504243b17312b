"""Each object at the begin of a line: what packing saves.

Cyll 2004, section 4.8. O(objects).
"""

from abut.tuning.objects import Layout, Objects, in_order

ABOUT = "in the order of birth, each on a line of its own"
USES = "cache"


def place(objects: Objects) -> Layout:
    """All objects in the order of their birth, aligned to lines."""
    return Layout(in_order(objects, objects.rows(), align=objects.cache.line))
