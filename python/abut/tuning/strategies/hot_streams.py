"""Sequences of objects that were used one after the other again and again.

After Chilimbi's hot data streams. From each object the way is followed that was taken most, if at
least twice and in a quarter of the times: collecting garbage and freeing take ways of their own.
What is in use all the time is no part of a way (`arrivals`). The streams that are used most per
byte come first, then the rest depth-first. Places are shared over time.
O(objects log objects + edges log edges).
"""

import numpy as np

from abut.trace.native import failures, native_module
from abut.tuning.objects import Layout, Objects, depth_first, in_order

ABOUT = "sequences that were used again and again, the hottest first"


def streams(objects: Objects) -> np.ndarray:
    """The rows that are in a stream, stream after stream."""
    with failures():
        order = native_module().hot_streams(*objects.arrivals, objects.heat, objects.size)
    rows = np.asarray(order)
    return np.asarray(rows[objects.placeable[rows]])


def place(objects: Objects) -> Layout:
    """Hot streams, then what is in none, depth-first."""
    first = streams(objects)
    in_stream = np.zeros(len(objects), bool)
    in_stream[first] = True
    rest = depth_first(objects, objects.arrivals)
    order = np.concatenate([first, rest[~in_stream[rest]]])
    return Layout(in_order(objects, order, share=True))
