"""Objects summed by the context that allocated them."""

from dataclasses import dataclass

import numpy as np

from abut.trace.native import Array

ORDERS = ("bytes", "objects", "accesses", "live")


@dataclass(frozen=True, slots=True)
class ContextSum:
    """What the objects of one context come to."""

    context: int
    objects: int
    bytes: int
    live: int
    accesses: int
    allocator_accesses: int


def sums_by_context(objects: dict[str, Array], by: str, top: int) -> list[ContextSum]:
    """The `top` contexts with the most of what `by` names; `live` is bytes never freed."""
    context = objects["context"]
    count = int(context.max()) + 1 if len(context) else 0
    zeros = np.zeros(len(context), np.int64)
    reads, writes = objects.get("reads", zeros), objects.get("writes", zeros)
    never = objects["died"] == -1
    weights = {
        "objects": np.ones(len(context), np.int64),
        "bytes": objects["size"],
        "live": np.where(never, objects["last_size"], 0),
        "accesses": reads + writes,
        "allocator_accesses": objects.get("allocator_accesses", zeros),
    }
    sums = {
        name: np.bincount(context, weight.astype(np.float64), count).astype(np.int64)
        for name, weight in weights.items()
    }
    order = np.argsort(-sums[by], kind="stable")[:top]
    return [
        ContextSum(context=int(number), **{name: int(sums[name][number]) for name in sums})
        for number in order
        if sums["objects"][number]
    ]


def largest_objects(objects: dict[str, Array], by: str, top: int) -> list[dict[str, int]]:
    """The `top` objects with the most bytes or accesses, as rows."""
    zeros = np.zeros(len(objects["size"]), np.int64)
    weight = (
        objects["size"]
        if by == "bytes"
        else objects.get("reads", zeros) + objects.get("writes", zeros)
    )
    order = np.argsort(-weight, kind="stable")[:top]
    return [
        {"object": int(row) + 1, **{name: int(column[row]) for name, column in objects.items()}}
        for row in order
    ]
