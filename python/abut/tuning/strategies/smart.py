"""Where the least use by its friends meets an object in the cache.

Cyll 2004, section 4.9: his looked at all friends and all places, and was too slow to be run. Here
objects are taken from the hottest on, and of each the eight friends that are tied most to it are
looked at: O(objects log objects + edges log edges).
"""

import numpy as np

from abut.trace.native import failures, native_module
from abut.tuning.objects import Layout, Objects

ABOUT = "away from the sets of the cache that friends lie in"
USES = "cache"


def place(objects: Objects) -> Layout:
    """From the hottest object on, each on its friend's line, or in a set that no friend is in."""
    rows = objects.rows()
    order = rows[np.argsort(-objects.heat[rows].astype(np.int64), kind="stable")]
    size = np.where(objects.placeable, objects.most, 0).astype(np.uint32)
    both = [
        np.concatenate([mine, other])
        for mine, other in zip(_ways(objects, 0), _ways(objects, 1), strict=True)
    ]
    with failures():
        cache = objects.cache
        offsets = native_module().avoid_conflicts(order, size, *both, cache.sets, cache.line)
    return Layout(np.asarray(offsets))


def _ways(objects: Objects, back: int) -> tuple[np.ndarray, ...]:
    """All edges, forth or back."""
    kinds = (objects.friends, objects.usage)
    ends = [np.concatenate([edges[end] for edges in kinds]) for end in (back, 1 - back)]
    return (*ends, np.concatenate([edges.weight for edges in kinds]))
