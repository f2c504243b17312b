"""The objects of a trace and how they belong together: what a strategy is given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from abut.trace.native import Array, failures, native_module
from abut.trace.reader import Trace

GRANULE = 16
LEAST, MOST = 9, 512
_MAY_GROW = 32
_NEVER = (1 << 32) - 1
_WINDOW = 8
_PAGE = 4096


class Edges(NamedTuple):
    """Weighted edges as columns: rows of objects, or numbers of contexts."""

    origin: Array
    to: Array
    weight: Array


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache that a layout is for; sizes in bytes."""

    capacity: int = 48 << 10
    ways: int = 12
    line: int = 64

    @property
    def sets(self) -> int:
        """How many sets it has."""
        return self.capacity // self.line // self.ways


@dataclass(frozen=True, slots=True)
class Objects:
    """A row an object, in the order of birth; rows count from 0.

    `size`: bytes at birth; `most`: at the most, over its life. `died`: how many had been born by
    then, or never, a number above all rows. `heat`: accesses by the program, and its touches.
    `friends` lead from the object that was named to the one that was to lie near it; `usage` to
    the one that was used next; `arrivals`, too, but they pass over what was in use already, which
    is cached wherever it lies; `contexts` join the numbers of contexts that were used together.
    """

    size: Array
    most: Array
    align: Array
    context: Array
    thread: Array
    died: Array
    heat: Array
    address: Array
    friends: Edges
    usage: Edges
    arrivals: Edges
    contexts: Edges
    cache: Cache = field(default_factory=Cache)
    seed: int = 1
    forgotten: int = 0

    def __len__(self) -> int:
        return len(self.size)

    @property
    def placeable(self) -> Array:
        """Which rows a plan can hold: small ones, of which several share a line or a page, and
        that do not grow by much; those that do would have to be kept too much room.
        """
        fits = (self.size >= LEAST) & (self.most <= MOST) & (self.align <= GRANULE)
        fits &= self.most <= self.size + np.maximum(self.size // 2, _MAY_GROW)
        return np.asarray(fits & (self.context != 0))

    @property
    def life(self) -> Array:
        """How many objects were born in each one's life; -1: it never died."""
        rows = np.arange(len(self), dtype=np.int64)
        return np.where(self.died == _NEVER, -1, self.died.astype(np.int64) - rows)

    def rows(self) -> Array:
        """All that can be placed, in the order of birth."""
        return np.flatnonzero(self.placeable).astype(np.uint32)

    def completed(self, order: Array) -> Array:
        """`order`, and after it, in the order of birth, what it left out."""
        missing = self.placeable.copy()
        missing[order] = False
        return np.concatenate([order, np.flatnonzero(missing)]).astype(np.uint32)


class Layout(NamedTuple):
    """Where objects shall lie: bytes from the begin of the plan's memory; -1: not in it.

    `pools`: for contexts of which all objects, however many, shall lie together: the pool's number,
    by the number of the context; others are not in it.
    """

    offsets: Array
    pools: Mapping[int, int] = MappingProxyType({})

    @property
    def bytes(self) -> int:
        """How much memory it takes, to the begin of the last object."""
        return int(self.offsets.max(initial=-1)) + 1


def in_order(
    objects: Objects, order: Array, *, share: bool = False, begin: int = 0, align: int = GRANULE
) -> Array:
    """Offsets of the objects in `order`, one after another; -1 for all others.

    With `share`, what has died leaves its place to objects of its size.
    """
    module = native_module()
    size = np.where(objects.placeable, objects.most, 0).astype(np.uint32)
    with failures():
        slot = np.zeros(0, np.uint32)
        if share:
            # Only those that are in the order can leave or take places.
            wanted = np.zeros(len(objects), bool)
            wanted[order] = True
            slot = module.share_by_lifetime(
                np.where(wanted, size, 0).astype(np.uint32), objects.died
            )
        return np.asarray(
            module.pack(np.ascontiguousarray(order, np.uint32), size, slot, begin, align)
        )


def pooled(objects: Objects, pools: Mapping[int, int]) -> Layout:
    """Pools, by the numbers of contexts, in the order of their numbers; in each the objects in the
    order of birth, and what has died leaves its place.
    """
    number = np.zeros(int(objects.context.max(initial=0)) + 1, np.int64)
    for context, pool in pools.items():
        number[context] = pool
    rows = objects.rows()
    pool_of = number[objects.context[rows]]
    areas = ((rows[pool_of == pool], True) for pool in sorted(set(pools.values())))
    return Layout(packed(objects, areas), pools)


def packed(objects: Objects, areas: Iterable[tuple[Array, bool]]) -> Array:
    """Offsets of the areas' objects, -1 for all others: each area from a page on, in its order;
    with true, what has died leaves its place.
    """
    offsets = np.full(len(objects), -1, np.int64)
    begin = 0
    for order, share in areas:
        placed = in_order(objects, order, share=share, begin=begin)
        offsets[order] = placed[order]
        begin = -(-(int(placed.max(initial=0)) + MOST) // _PAGE) * _PAGE
    return offsets


def by_size(objects: Objects) -> Array:
    """All rows, the largest first; of equal ones the first born. Where walks begin."""
    return np.argsort(-objects.size.astype(np.int64), kind="stable").astype(np.uint32)


def depth_first(objects: Objects, edges: Edges) -> Array:
    """The rows that can be placed, along the edges, the heaviest first; from the largest object."""
    with failures():
        order = np.asarray(native_module().depth_first(len(objects), *edges, by_size(objects)))
    return np.asarray(order[objects.placeable[order]])


def grouped(objects: Objects, edges: Edges) -> Array:
    """The rows that each row leads to, side by side, hub after hub; without all others."""
    with failures():
        order = np.asarray(native_module().grouped(len(objects), *edges))
    return np.asarray(order[objects.placeable[order]])


def read_objects(
    trace: Trace,
    *,
    numbers: Array | None = None,
    accesses: bool = True,
    windows: Sequence[tuple[int, int]] = (),
    cache: Cache | None = None,
    seed: int = 1,
) -> Objects:
    """Read the whole trace; without `accesses` its events alone, which is much quicker.

    `windows` are ranges of chunks, in order: of others, the events alone are read. `numbers` stand
    for the contexts of the trace, by their numbers; 0: in no plan.
    """
    known = np.zeros(0, np.uint32) if numbers is None else numbers.astype(np.uint32)
    with failures():
        columns = native_module().read_relations(
            trace.native, accesses, _WINDOW, known, list(windows)
        )
    for name in ("friends", "usage", "arrivals", "contexts"):
        columns[name] = Edges(*columns[name])
    # Numbers of objects are 64 bits wide in Python; heat goes back to the native module unsigned.
    columns["heat"] = columns["heat"].astype(np.uint64)
    return Objects(**columns, cache=cache or Cache(), seed=seed)


def objects_of(
    sizes: Sequence[int],
    *,
    friends: Sequence[tuple[int, int]] = (),
    usage: Sequence[tuple[int, int, int]] = (),
) -> Objects:
    """Made-up objects, all of one context and alive to the end: to try a strategy on.

    `friends` are pairs of rows, `usage` pairs with a weight, and `arrivals` the same.
    """
    count = len(sizes)
    size = np.asarray(sizes, np.uint32)
    nothing = np.zeros(count, np.uint32)
    heat = np.zeros(count, np.uint64)
    for origin, to, weight in usage:
        heat[origin] += weight
        heat[to] += weight
    return Objects(
        size=size,
        most=size,
        align=nothing,
        context=nothing + 1,
        thread=nothing + 1,
        died=nothing + _NEVER,
        heat=heat,
        address=np.zeros(count, np.int64),
        friends=_edges([(*pair, 1) for pair in friends]),
        usage=_edges(usage),
        arrivals=_edges(usage),
        contexts=_edges([]),
    )


def _edges(rows: Sequence[tuple[int, int, int]]) -> Edges:
    columns = np.asarray(sorted(rows), np.uint32).reshape(-1, 3).T
    return Edges(*(np.ascontiguousarray(column) for column in columns))
