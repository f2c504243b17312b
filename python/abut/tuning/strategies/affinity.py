"""Pieces of code whose objects are used together get a pool together.

After HALO (Savage, Jones 2020): contexts are joined while they are used within some objects of
each other for a fair share of their uses, the strongest tie first. The plan holds pools, not
slots, so it does for other inputs, too. O(objects log objects + ties log ties).
"""

import numpy as np

from abut.tuning.objects import Layout, Objects, pooled

ABOUT = "a pool for pieces of code whose objects are used together"
_SHARE = 0.1  # of the stronger one's ties
_MOST_POOLS = 64
_LEAST_OBJECTS = 256  # fewer do not justify a pool


def clusters(objects: Objects) -> dict[int, int]:
    """Which pool each context belongs to, from 1; hotter pools first."""
    contexts = objects.context[objects.placeable]
    births = np.bincount(contexts, minlength=int(objects.context.max(initial=0)) + 1)
    heat = np.bincount(objects.context, objects.heat.astype(float), minlength=len(births))
    ties = np.zeros(len(births))
    np.add.at(ties, objects.contexts.origin, objects.contexts.weight)
    np.add.at(ties, objects.contexts.to, objects.contexts.weight)
    leader = np.arange(len(births))
    for edge in np.argsort(-objects.contexts.weight.astype(np.int64), kind="stable"):
        one, other = objects.contexts.origin[edge], objects.contexts.to[edge]
        if objects.contexts.weight[edge] < _SHARE * max(ties[one], ties[other]):
            continue
        one, other = _leader(leader, one), _leader(leader, other)
        if one != other:
            leader[other] = one
    leaders = np.array([_leader(leader, context) for context in range(len(births))])
    total = np.bincount(leaders, births, minlength=len(births))
    warmth = np.bincount(leaders, heat, minlength=len(births))
    worthy = [c for c in np.argsort(-warmth, kind="stable") if total[c] >= _LEAST_OBJECTS]
    numbers = {int(c): n for n, c in enumerate(worthy[:_MOST_POOLS], 1)}
    return {
        context: numbers[int(leaders[context])]
        for context in range(1, len(births))
        if births[context] and int(leaders[context]) in numbers
    }


def _leader(leader: np.ndarray, context: int) -> int:
    while leader[context] != context:
        leader[context] = leader[leader[context]]
        context = leader[context]
    return int(context)


def place(objects: Objects) -> Layout:
    """A pool a cluster."""
    return pooled(objects, clusters(objects))
