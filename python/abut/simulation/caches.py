"""Caches and TLBs, simulated: on arrays of addresses, or fed by a replayed trace.

A tree of levels takes in references; misses go down to memory. Counts are lists by kind of
reference (the sum of WRITE and ALLOCATOR) or by side (0 the application's, 1 the allocator's).
A reference that straddles lines counts once for each of them.
"""

from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from abut.trace.native import Array, failures, native_module

WRITE, ALLOCATOR = 1, 2
KINDS, SIDES = 4, 2
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(("sizes", "threads", "owners"), np.uint32),
    **dict.fromkeys(("kinds", "sources"), np.uint8),
    "codes": np.uint64,
}
CLASSES = ("compulsory", "capacity", "conflict", "sector")


@dataclass(frozen=True, slots=True)
class Level:
    """One cache. Sizes are bytes, `cycles` what a hit takes, `latency` references to prefetch.

    `below` names the level that is asked on a miss; empty for memory. `ways` 0 is fully
    associative, `sector` 0 the whole line. `serves` is all, application or allocator.
    """

    name: str
    capacity: int
    below: str = ""
    line: int = 64
    sector: int = 0
    ways: int = 0
    policy: str = "lru"
    write_back: bool = True
    write_allocate: bool = True
    inclusion: str = "neither"
    per_thread: bool = False
    serves: str = "all"
    prefetch: str = "none"
    degree: int = 1
    latency: int = 32
    seed: int = 1
    classify: bool = False
    cycles: float = 0


@dataclass(frozen=True, slots=True)
class Prefetches:
    """Lines that were prefetched, by what became of them."""

    issued: int = 0
    timely: int = 0
    late: int = 0
    unused: int = 0

    def __add__(self, other: "Prefetches") -> "Prefetches":
        return Prefetches(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def used(self) -> int:
        """Those that the program asked for afterwards."""
        return self.timely + self.late

    @property
    def accuracy(self) -> float | None:
        """The share of them that was used."""
        return self.used / self.issued if self.issued else None

    @property
    def timeliness(self) -> float | None:
        """Of those used, the share that had arrived."""
        return self.timely / self.used if self.used else None

    def coverage(self, misses: int) -> float | None:
        """Of the misses that there would be without, the share that is none."""
        would_be = self.used + misses
        return self.used / would_be if would_be else None


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """What a level counted. `accesses` and `misses` are by kind, the rest by side."""

    name: str
    accesses: list[int]
    misses: list[int]
    classes: list[list[int]]
    prefetches: list[Prefetches]
    evictions: list[int]
    write_backs: list[int]
    taken_back: int
    prefetch_fetches: int
    misses_by_owner: Array = field(repr=False)

    def of_side(self, side: int | None) -> tuple[int, int]:
        """Accesses and misses of a side; of both for None."""
        kinds = range(KINDS) if side is None else (side * ALLOCATOR, side * ALLOCATOR + WRITE)
        return sum(self.accesses[kind] for kind in kinds), sum(self.misses[kind] for kind in kinds)

    @property
    def total_accesses(self) -> int:
        """Of both sides."""
        return sum(self.accesses)

    @property
    def total_misses(self) -> int:
        """Of both sides."""
        return sum(self.misses)

    @property
    def miss_rate(self) -> float:
        """Misses by accesses; 0 where there were none."""
        return self.total_misses / self.total_accesses if self.total_accesses else 0.0

    @property
    def prefetched(self) -> Prefetches:
        """Of both sides."""
        return self.prefetches[0] + self.prefetches[1]


class Simulator:
    """Something that takes in references: columns of one length, or a replayed trace."""

    native: Any

    def take(
        self, addresses: ArrayLike, *columns: ArrayLike | None, **named: ArrayLike | None
    ) -> Self:
        """Feed references, in order. Without their columns, each is a read of one byte.

        Columns are sizes, kinds and threads, in this order or by name, owners, codes, and sources:
        from which load each address comes, as in a trace.
        """
        given = dict(zip(("sizes", "kinds", "threads"), columns, strict=False)) | named
        found = {
            name: np.ascontiguousarray(column, _COLUMNS[name])
            for name, column in given.items()
            if column is not None
        }
        with failures():
            self.native.take(np.ascontiguousarray(addresses, np.uint64), **found)
        return self


class Caches(Simulator):
    """A tree of caches, or of TLBs, whose lines are pages. Raises AbutError for what cannot be."""

    def __init__(self, levels: list[Level] | tuple[Level, ...]) -> None:
        self.levels = tuple(levels)
        with failures():
            self.native = native_module().Tree([asdict(level) for level in self.levels])

    def counts(self) -> list[LevelCounts]:
        """What each level has counted so far, all threads' together."""
        return [_level_counts(self.native.counts(number)) for number in range(len(self.levels))]

    @property
    def references(self) -> list[int]:
        """How many were taken in, by kind."""
        return list(self.native.references())

    @property
    def references_by_owner(self) -> Array:
        """How many were taken in of each owner."""
        return np.asarray(self.native.references_by_owner())

    @property
    def memory_bytes(self) -> tuple[int, int]:
        """Read from memory, and written to it."""
        read, written = self.native.memory()
        return sum(read), sum(written)

    @property
    def memory_bytes_by_side(self) -> list[tuple[int, int]]:
        """The same by side: of who asks for a line, and of who had brought one that goes back."""
        read, written = self.native.memory()
        return list(zip(read, written, strict=True))


@dataclass(frozen=True, slots=True)
class UtilisationCounts:
    """Lines brought in, and how many of their bytes were used before they left; by side."""

    line_bytes: int
    lines: list[int]
    used_bytes: list[int]
    by_parts: list[int]
    lines_by_owner: Array = field(repr=False)
    used_bytes_by_owner: Array = field(repr=False)

    @property
    def share(self) -> float | None:
        """Bytes used by bytes brought in."""
        brought = sum(self.lines) * self.line_bytes
        return sum(self.used_bytes) / brought if brought else None


class Utilisation(Simulator):
    """How much of what a cache brings in is used.

    Of the level, only its shape, `per_thread` and `serves` count; it is LRU.
    """

    def __init__(self, level: Level) -> None:
        with failures():
            self.native = native_module().Utilisation(asdict(level))

    def counts(self) -> UtilisationCounts:
        """What was counted, with what the cache holds now."""
        return UtilisationCounts(**self.native.counts())


@dataclass(frozen=True, slots=True)
class OptimumCounts:
    """Accesses and the fewest misses, by side. Not `whole`: further references were left out."""

    accesses: list[int]
    misses: list[int]
    whole: bool


class Optimum(Simulator):
    """Belady's optimum for a cache of the level's shape, `per_thread` and `serves`.

    It keeps all that it takes in.
    """

    def __init__(self, level: Level) -> None:
        with failures():
            self.native = native_module().Optimum(asdict(level))

    def solve(self) -> OptimumCounts:
        """The fewest misses that any policy can have."""
        return OptimumCounts(**self.native.solve())


def split_by_side(levels: tuple[Level, ...], allocator: Level | None) -> tuple[Level, ...]:
    """The same caches for the application alone, and others for the allocator.

    Those of the allocator are the level given, before memory, or else copies of the levels that a
    core has of its own (of all, where no level is marked so), before the shared ones.
    """
    own = [level for level in levels if level.per_thread] or list(levels)
    names = {level.name for level in own}
    split = [
        replace(level, serves="application") if level.name in names else level for level in levels
    ]
    if allocator is not None:
        split = [replace(level, serves="application") for level in levels]
        return (*split, replace(allocator, serves="allocator"))
    copies = [
        replace(
            level,
            name=f"{level.name} of the allocator",
            below=f"{level.below} of the allocator" if level.below in names else level.below,
            serves="allocator",
            per_thread=False,
        )
        for level in own
    ]
    return (*split, *copies)


def _level_counts(counts: dict[str, Any]) -> LevelCounts:
    counts["prefetches"] = [Prefetches(**prefetches) for prefetches in counts["prefetches"]]
    counts["classes"] = [list(classes) for classes in counts["classes"]]
    return LevelCounts(**counts)
