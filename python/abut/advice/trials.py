"""Layouts that a change of the program would lead to, to be simulated: what would it gain?

Each takes the objects of one culprit, and leaves all others as recorded, or moves them together
where objects become smaller.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from abut.advice.culprits import Culprit
from abut.advice.sample import SETS, Sample
from abut.simulation.replay import Layout
from abut.trace.native import Array
from abut.trace.structs import Member, Structure

RUN, APART, ORDER, ALIGN, SPREAD = "run", "apart", "order", "align", "spread"
SHRINK, REORDER, SPLIT = "shrink", "reorder", "split"
_BEGIN, _SECOND = 1 << 45, 1 << 46  # far from where programs have their memory
_GRANULE, _LINE, _WORD = 16, 64, 8
_COVERED = 0.97  # of the accesses, by the words that are hot
_MOST_FIELDS = 512  # bytes
_MOST_SMALL, _PAGE = 1024, 4096
_CROWDED = 0.6  # of the misses, in an eighth of the sets
_STRADDLING = 0.1  # of the lines


@dataclass(frozen=True, slots=True)
class Trial:
    """A layout, by what leads to it. `size`: bytes of an object then; `order`: of members or words,
    the hot ones first; `hot`: how many of them stay.
    """

    kind: str
    layout: Layout
    size: int = 0
    order: tuple[int, ...] = ()
    hot: int = 0


def trials_of(
    culprit: Culprit, sample: Sample, objects: dict[str, Array], traversal: Array | None
) -> Iterator[Trial]:
    """What could be done with these objects. `traversal`: addresses of all objects in an order in
    which they are used, where one was found.
    """
    rows = culprit.rows[objects["resizes"][culprit.rows] == 0]
    if len(rows) < 2:  # noqa: PLR2004
        return
    slots, closeup = _Slots(objects, rows), sample.closeup
    if closeup.crowded(culprit.contexts) > _CROWDED:
        steps = np.arange(len(slots.address)) % SETS * _LINE
        yield Trial(SPREAD, slots.at(_BEGIN + slots.packed(extra=SETS * _LINE) + steps))
    else:
        yield Trial(APART, slots.at(_BEGIN + slots.packed()))
    if traversal is not None and (moved := slots.moved_to(traversal)) is not None:
        yield Trial(ORDER, moved)
    if culprit.size and closeup.sum_of("straddled", culprit.contexts) > (
        _STRADDLING * closeup.sum_of("lines", culprit.contexts)
    ):
        stride = _aligned_size(culprit.size)
        yield Trial(ALIGN, slots.at(_BEGIN + slots.packed(stride)), stride)
    if not culprit.size or culprit.size > _MOST_FIELDS:
        return
    if culprit.structure and (trial := _shrunk(slots, culprit.structure, objects)):
        yield trial
    yield from _by_heat(slots, culprit, sample, objects)


def by_size(objects: dict[str, Array]) -> Layout:
    """As under a heap without headers, in which each size has pages of its own; large objects, and
    those that change their sizes, stay.
    """
    size, address = objects["size"], objects["address"]
    plain = (objects["resizes"] == 0) & (objects["align"] <= _GRANULE)
    rows = np.flatnonzero((size <= _MOST_SMALL) & plain)
    granules = -(-np.maximum(size[rows], 1) // _GRANULE)
    slots, slot = np.unique(np.stack([granules, address[rows]]), axis=1, return_inverse=True)
    sizes, first, count = np.unique(slots[0], return_index=True, return_counts=True)
    pages = -(-sizes * _GRANULE * count // _PAGE) * _PAGE
    number = np.repeat(np.arange(len(sizes)), count)
    within = (np.arange(len(slots[0])) - first[number]) * slots[0] * _GRANULE
    begins = (np.cumsum(pages) - pages)[number] + within
    found = np.zeros(len(size), np.uint64)
    found[rows] = (_BEGIN + begins[slot.reshape(-1)]).astype(np.uint64)
    return found


class _Slots:
    """Where the objects lie as recorded: places in the order of addresses, used again and again."""

    def __init__(self, objects: dict[str, Array], rows: Array) -> None:
        self.rows, self.count = rows, len(objects["size"])
        self.address, self.slot = np.unique(objects["address"][rows], return_inverse=True)
        self.size = np.zeros(len(self.address), np.int64)
        np.maximum.at(self.size, self.slot, objects["size"][rows])
        self._align = max(_GRANULE, int(objects["align"][rows].max(initial=0)))

    def packed(self, stride: int = 0, extra: int = 0) -> Array:
        """Offsets of the slots one after another, in the order of their addresses."""
        sizes = np.maximum(self.size, stride) + extra
        rounded = -(-sizes // self._align) * self._align
        return np.asarray(np.cumsum(rounded) - rounded)

    def at(self, addresses: Array) -> Array:
        """A layout with the slots there; all others as recorded."""
        found = np.zeros(self.count, np.uint64)
        found[self.rows] = addresses[self.slot].astype(np.uint64)
        return found

    def moved_to(self, everything: Array) -> Array | None:
        """A layout with these objects there, if most of them have a place."""
        there = self.rows[everything[self.rows] > 0]
        if len(there) * 2 < len(self.rows):
            return None
        found = np.zeros(self.count, np.uint64)
        found[there] = everything[there]
        return found

    def closer(self, objects: dict[str, Array], saved: int) -> Array:
        """A layout in which each slot is `saved` bytes smaller, and all behind it moves up."""
        address = objects["address"]
        before = np.searchsorted(self.address, address, side="left")
        stays = objects["resizes"] > 0
        return np.asarray(np.where(stays, 0, address - before * saved).astype(np.uint64))

    def second(self, bytes_each: int) -> Array:
        """Where second parts of the slots' objects lie, by object; 0 for all others."""
        return self.at(_SECOND + np.arange(len(self.address)) * max(bytes_each, 1))


def _aligned_size(size: int) -> int:
    """A size of which no object lies on more lines than it must."""
    if size > _LINE:
        return -(-size // _LINE) * _LINE
    return 1 << (size - 1).bit_length()


def tight_order(members: Sequence[Member]) -> list[int]:
    """The members' order without holes between them: those that need most alignment first."""
    return sorted(range(len(members)), key=lambda n: (-members[n].align, members[n].offset))


def offsets_in(members: Sequence[Member]) -> tuple[list[int], int]:
    """Where members lie one after another, and the size of a structure of them."""
    offsets, end = [], 0
    for member in members:
        begin = -(-end // member.align) * member.align
        offsets.append(begin)
        end = begin + member.size
    align = max(member.align for member in members)
    return offsets, -(-end // align) * align


def _shrunk(slots: _Slots, structure: Structure, objects: dict[str, Array]) -> Trial | None:
    members = structure.members
    order = tight_order(members)
    offsets, size = offsets_in([members[n] for n in order])
    saved = _granules(structure.size) - _granules(size)
    if saved <= 0:
        return None
    to = np.arange(structure.size, dtype=np.int32)
    for n, offset in zip(order, offsets, strict=True):
        to[members[n].offset : members[n].end] = np.arange(offset, offset + members[n].size)
    layout = (slots.closer(objects, saved), slots.second(0), np.minimum(to, size - 1))
    return Trial(SHRINK, layout, size, tuple(order))


def _granules(size: int) -> int:
    """What an allocator with headers of 8 bytes gives for it."""
    return -(-(size + 8) // _GRANULE) * _GRANULE


def hot_words(uses: Array, size: int) -> list[int]:
    """The words with nearly all accesses, the hottest first."""
    words = uses[: -(-size // _WORD)]
    order = np.argsort(-words, kind="stable")
    covered = np.cumsum(words[order])
    count = int(np.searchsorted(covered, _COVERED * words.sum())) + 1
    return [int(n) for n in order[:count] if words[n]]


def _by_heat(
    slots: _Slots, culprit: Culprit, sample: Sample, objects: dict[str, Array]
) -> Iterator[Trial]:
    uses = sample.closeup.row_of("uses", culprit.contexts)
    hot = sorted(_whole_members(hot_words(uses, culprit.size), culprit.structure))
    words = -(-culprit.size // _WORD)
    cold = [n for n in range(words) if n not in hot]
    if not hot or not cold:
        return
    order = (*hot, *cold)
    lines_now = len({n * _WORD // _LINE for n in hot})
    if lines_now > -(-len(hot) * _WORD // _LINE):
        yield Trial(REORDER, (slots.at(slots.address), slots.second(0), _moves(order, words)),
                    culprit.size, order, len(hot))  # fmt: skip
    link = int(uses[cold].sum() > 0)  # to the cold part, where it is used at all
    small = _granules((len(hot) + link) * _WORD)
    saved = _granules(culprit.size) - small
    if saved * 3 >= _granules(culprit.size):
        to = _moves(order, len(hot))
        layout = (slots.closer(objects, saved), slots.second(len(cold) * _WORD), to)
        yield Trial(SPLIT, layout, (len(hot) + link) * _WORD, order, len(hot))


def _whole_members(words: list[int], structure: Structure | None) -> set[int]:
    """The words, with the rest of the members that they are of."""
    found = set(words)
    for member in structure.members if structure else ():
        own = set(range(member.offset // _WORD, (member.end - 1) // _WORD + 1))
        if own & found and len(own) <= 2:  # noqa: PLR2004
            found |= own
    return found


def _moves(order: Sequence[int], hot: int) -> Array:
    """By byte, where it goes: the first `hot` words into the first part, the rest into another."""
    to = np.zeros(len(order) * _WORD, np.int32)
    places = [*range(hot), *(~(n * _WORD) for n in range(len(order) - hot))]
    for place, word in zip(places, order, strict=True):
        begin = place * _WORD if place >= 0 else place
        step = np.arange(_WORD)
        to[word * _WORD : (word + 1) * _WORD] = begin + step if place >= 0 else begin - step
    return to
