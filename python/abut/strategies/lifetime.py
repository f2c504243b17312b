"""In the order of birth, and what dies leaves its place to others of its size.

So the plan takes about as much memory as lives at one time. O(objects).
"""

from abut.plans.objects import Layout, Objects, in_order

ABOUT = "in the order of birth, places shared over time"


def place(objects: Objects) -> Layout:
    """All objects, packed over time."""
    return Layout(in_order(objects, objects.rows(), share=True))
