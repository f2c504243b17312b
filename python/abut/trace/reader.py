"""A trace as Python sees it: numpy batches, tables, and what it says about itself.

Objects, contexts, modules and threads are numbers from 1; 0 stands for none, or unknown. Memory
does not grow with the trace, but `objects` and `check` take some tens of bytes an object.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from abut.targets import utf8
from abut.trace.native import Array, failures, native_module


class EventKind(IntEnum):
    """What an event is."""

    ALLOCATE = 0
    FREE = 1
    RESIZE = 2
    MOVE = 3
    NEAR = 4
    TOUCH = 5
    GAP = 6
    DISCARD = 7


class Frame(NamedTuple):
    """One step of a call chain: a place in a module."""

    module: int
    offset: int


class Module(NamedTuple):
    """A program or library that was mapped."""

    path: str
    build_id: str
    base: int
    length: int
    unloaded: bool


class Damage(NamedTuple):
    """Something in the file that cannot be read."""

    offset: int
    what: str

    def __str__(self) -> str:
        return f"at byte {self.offset:,}: {self.what}"


class Chunk(NamedTuple):
    """A part of the trace that can be read by itself."""

    offset: int
    bytes: int
    first_access: int
    accesses: int
    first_event: int
    events: int


@dataclass(frozen=True, slots=True)
class Events:
    """Events as columns; `detail` is the alignment, the other object, the weight or the count."""

    kind: Array
    thread: Array
    context: Array
    time: Array
    object: Array
    address: Array
    size: Array
    detail: Array
    position: Array

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True)
class Batch:
    """Accesses as columns, and the events that come before, between and after them.

    An event comes before the access of this batch whose index is its position - `first_access`.
    """

    first_access: int
    object: Array
    offset: Array
    size: Array
    write: Array
    side: Array
    thread: Array
    events: Events
    code: Array | None = None
    # The load that the address comes from; of a write, what it writes: 1 + how many accesses
    # before; 1: from none of the last 254; 0: not recorded.
    source: Array | None = None

    def __len__(self) -> int:
        return len(self.object)


@dataclass(frozen=True, slots=True)
class Info:
    """What a trace says about itself."""

    path: str
    file_bytes: int
    command: list[str]
    machine: str
    recorder: str
    started: int
    process: int
    notes: dict[str, str]
    accesses: int
    events: int
    chunks: int
    modules: int
    contexts: int
    totals: dict[str, int] | None

    @property
    def bytes_per_access(self) -> float | None:
        """The whole file's bytes for each access."""
        return self.file_bytes / self.accesses if self.accesses else None


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that is broken: where first, and how often."""

    rule: str
    first: str
    count: int


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found: broken rules and damage; the rest is what programs may do."""

    violations: list[Violation]
    damages: list[Damage]
    counts: dict[str, int]

    @property
    def clean(self) -> bool:
        """Whether nothing is broken and nothing damaged."""
        return not self.violations and not self.damages


class Trace:
    """A trace file. What is damaged is left out and listed in `damages`. Several threads may read
    it at a time.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        with failures():
            self.native = native_module().Reader(utf8(self.path))  # for others of its parts, too

    @cached_property
    def info(self) -> Info:
        """What the trace says about itself; quick."""
        native = self.native
        header = native.header()
        header["notes"] = dict(header["notes"])
        return Info(
            path=self.path,
            file_bytes=native.file_bytes(),
            accesses=native.accesses(),
            events=native.event_count(),
            chunks=len(native.chunks()),
            modules=len(native.modules()),
            contexts=len(native.contexts()),
            totals=native.totals(),
            **header,
        )

    @property
    def damages(self) -> list[Damage]:
        """What could not be read so far."""
        return [Damage(*damage) for damage in self.native.damages()]

    def chunks(self) -> list[Chunk]:
        """The parts that can be read by themselves, for `batches`."""
        return [Chunk(*chunk) for chunk in self.native.chunks()]

    def modules(self) -> list[Module]:
        """The modules; number 1 comes first."""
        return [Module(*module) for module in self.native.modules()]

    def contexts(self) -> list[list[Frame]]:
        """The call chains, each with its innermost frame first; number 1 comes first."""
        return [[Frame(*frame) for frame in chain] for chain in self.native.contexts()]

    def call_prefixes(self, steps: int) -> tuple[Array, list[list[Frame]]]:
        """The different innermost `steps` frames of all contexts; the first array has for each
        context, by its number, which of them it begins with, from 1.
        """
        numbers, prefixes = self.native.prefixes(steps)
        return numbers, [[Frame(*frame) for frame in prefix] for prefix in prefixes]

    def batches(
        self, most: int = 1 << 18, *, first: int = 0, end: int | None = None, codes: bool = False
    ) -> Iterator[Batch]:
        """Batches of about `most` accesses, in order; of chunks [first, end) only.

        With `codes`, with the address of the instruction and the source, where they were recorded.
        """
        last = len(self.native.chunks()) if end is None else end
        source = self.native.batches(max(0, first), max(0, last), max(1, most), codes)
        while (arrays := source.next()) is not None:
            yield Batch(events=Events(**arrays.pop("events")), **arrays)

    def events(self) -> Iterator[Events]:
        """The events alone, a chunk at a time; quicker than batches."""
        for chunk in range(len(self.native.chunks())):
            arrays = self.native.events(chunk)
            if arrays is not None:
                yield Events(**arrays)

    def objects(self, *, accesses: bool = True) -> dict[str, Array]:
        """A column for each thing known of objects; row 0 is object 1. -1 stands for never.

        Without `accesses`, only the events are read, and accesses are not counted: much quicker.
        """
        columns: dict[str, Array] = self.native.objects(accesses)
        return columns

    def check(self) -> Check:
        """Read all of it, and see whether it can be true."""
        found = self.native.check()
        violations = [Violation(*violation) for violation in found.pop("violations")]
        return Check(violations, self.damages, found)
