"""Our default: what each of the others is best at.

Objects that die soon are left to the heap, which gives their memory to the next immediately. Of the
rest, hot streams come first, then depth-first what was used, then what was not used, in the order
of birth. Places are shared over time. O(objects log objects + edges log edges).
"""

import numpy as np

from abut.tuning.objects import Layout, Objects, depth_first, in_order
from abut.tuning.strategies.hot_streams import streams

ABOUT = "streams, then depth-first, then the unused; what dies soon is left to the heap"
_SOON = 256  # births


def place(objects: Objects) -> Layout:
    """Streams, then what was used, then the rest."""
    life = objects.life
    stays = objects.placeable & ((life < 0) | (life > _SOON))
    first = streams(objects)
    rest = depth_first(objects, objects.arrivals)
    used = objects.heat[rest] > 0
    order = np.concatenate([first, rest[used], rest[~used]])
    order = order[stays[order]]
    _, index = np.unique(order, return_index=True)
    return Layout(in_order(objects, order[np.sort(index)], share=True))
