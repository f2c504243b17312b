"""Contexts with places, as a profile assigns them: in pools, plain, or beside their friends."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.tuning.keys import Key
from abut.tuning.objects import GRANULE, Edges, Objects, depth_first, packed
from abut.tuning.profile import BESIDE, PLAIN

Place = int | str  # a pool's number, or one of the two
Assignment = Mapping[int, Place]  # by the numbers of contexts' keys; of others there is none


def offsets(objects: Objects, assignment: Assignment) -> Array:
    """Where the objects of these contexts would lie, by a simple model of the heap; -1: as before.

    What shares a pool lies in the order of birth, and so does what is plain, each size by itself.
    What lies beside a friend follows the object of its size from which the program came to it: in
    lists that are appended to, that is their end.
    """
    return packed(objects, _areas(objects, objects.rows(), assignment))


def with_friends(keys: list[Key], trace: Trace, sites: Collection[str]) -> list[int]:
    """The contexts that pass through one of these sites, written as the heap explains them:
    MODULE+0xOFFSET(FUNCTION), or without the function.
    """
    names = {one.build_id: one.path.rpartition("/")[2] for one in trace.modules()}
    places = {site.partition("(")[0] for site in sites}
    return [
        number
        for number, key in enumerate(keys, start=1)
        if any(f"{names.get(build_id)}+{offset:#x}" in places for build_id, offset in key)
    ]


def _areas(objects: Objects, rows: Array, assignment: Assignment) -> Iterable[tuple[Array, bool]]:
    """What lies together, in its order, and whether what has died leaves its place."""
    for pool in sorted({one for one in assignment.values() if isinstance(one, int)}):
        yield rows[_are_at(objects, rows, assignment, pool)], True
    plain = rows[_are_at(objects, rows, assignment, PLAIN)]
    granules = -(-objects.size[plain].astype(np.int64) // GRANULE)
    for size in np.unique(granules):
        yield plain[granules == size], True
    if BESIDE in assignment.values():
        yield _chained(objects, rows[_are_at(objects, rows, assignment, BESIDE)]), False


def _are_at(objects: Objects, rows: Array, assignment: Assignment, place: Place) -> Array:
    here = [context for context, one in assignment.items() if one == place]
    return np.isin(objects.context[rows], here)


def _chained(objects: Objects, rows: Array) -> Array:
    """Each object after its friend."""
    friends = _friends(objects, rows)
    has_one = np.flatnonzero(friends >= 0)
    weights = np.ones(len(has_one), np.uint32)
    edges = Edges(friends[has_one].astype(np.uint32), has_one.astype(np.uint32), weights)
    order = depth_first(objects, edges)
    return np.asarray(order[np.isin(order, rows)])


def _friends(objects: Objects, rows: Array) -> Array:
    """The older object of its size that each one is linked to at birth, as far as uses tell; or -1.

    When an object is linked, the older one is used right after it, or else right before it. Walks
    along an index, too, lead from older objects to newer ones: those tell less.
    """
    member = np.zeros(len(objects), bool)
    member[rows] = True
    origin, to, weight = (column.astype(np.int64) for column in objects.usage)
    alike = member[origin] & member[to] & (objects.size[origin] == objects.size[to])
    found = np.full(len(objects), -1, np.int64)
    for child, friend in ((to, origin), (origin, to)):  # what is found last holds
        kept = np.flatnonzero(alike & (friend < child))
        kept = kept[np.argsort(weight[kept], kind="stable")]  # of several, the heaviest comes last
        found[child[kept]] = friend[kept]
    return found
