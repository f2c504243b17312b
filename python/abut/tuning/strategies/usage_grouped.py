"""What was used after each object side by side, without the object itself.

Cyll 2004, section 4.7. O(objects + edges log edges).
"""

from abut.tuning.objects import Layout, Objects, grouped, in_order

ABOUT = "by the object that was used before"


def place(objects: Objects) -> Layout:
    """Groups of what was used next, hub after hub; then all that were never used."""
    return Layout(in_order(objects, objects.completed(grouped(objects, objects.usage))))
