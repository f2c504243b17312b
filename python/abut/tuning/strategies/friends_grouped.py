"""The friends of each object side by side, without the object itself.

Cyll 2004, section 4.5. O(objects + friends).
"""

from abut.tuning.objects import Layout, Objects, grouped, in_order

ABOUT = "by the object that the program's hints name"


def place(objects: Objects) -> Layout:
    """Groups of friends, hub after hub; then all that are no friends."""
    return Layout(in_order(objects, objects.completed(grouped(objects, objects.friends))))
