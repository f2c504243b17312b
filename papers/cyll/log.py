"""Cyll's log (section 3.3): what a run asked for and hinted at, as text, from a trace and back.

    malloc OBJECT BYTES      realloc OBJECT BYTES      free OBJECT 0
    friend OBJECT OTHER      ping OBJECT WEIGHT

`friend` follows the object that ccmalloc or cccalloc made. Objects are numbered from 1, in order of
birth. From such a log alone, as in the thesis, follow the objects that strategies place: friends by
`friend`, use by `ping`, each pair of pings an edge from the first to the second.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from abut.errors import AbutError
from abut.trace.reader import EventKind, Trace
from abut.tuning.objects import Objects, objects_of

_KINDS = {
    EventKind.ALLOCATE: "malloc",
    EventKind.RESIZE: "realloc",
    EventKind.MOVE: "realloc",
    EventKind.FREE: "free",
    EventKind.NEAR: "friend",
    EventKind.TOUCH: "ping",
}


class Entry(NamedTuple):
    """A line of the log; `value`: bytes, another object, or a weight."""

    what: str
    item: int
    value: int


def entries_of(trace: Trace) -> Iterator[Entry]:
    """The log of a recorded run."""
    for events in trace.events():
        columns = (events.kind, events.object, events.size, events.detail)
        for kind, item, size, detail in zip(*(one.tolist() for one in columns), strict=True):
            what = _KINDS.get(EventKind(kind), "")
            if what in ("malloc", "realloc"):
                yield Entry(what, item, size)
            elif what:
                yield Entry(what, item, 0 if what == "free" else detail)


def text_of(entries: Iterable[Entry]) -> Iterator[str]:
    """A line an entry."""
    return (f"{one.what} {one.item} {one.value}" for one in entries)


def parse(lines: Iterable[str]) -> list[Entry]:
    """The entries of lines. Raises AbutError that names the first that is none."""
    entries = []
    for number, line in enumerate(lines, 1):
        what, *numbers = line.split() or [""]
        if what not in _KINDS.values() or len(numbers) != 2 or not all(map(str.isdigit, numbers)):  # noqa: PLR2004
            raise AbutError(
                f"line {number}: '{line.strip()}' is no entry of a log",
                fix=f"write {', '.join(sorted(set(_KINDS.values())))}, an object and a number",
            )
        entries.append(Entry(what, *map(int, numbers)))
    return entries


def objects_in(entries: Iterable[Entry]) -> Objects:
    """What strategies are given: the objects, in order of birth, with their friends and use."""
    every = list(entries)
    rows = {one.item: row for row, one in enumerate(e for e in every if e.what == "malloc")}
    sizes = [one.value for one in every if one.what == "malloc"]
    friends = [
        (rows[one.value], rows[one.item])
        for one in every
        if one.what == "friend" and {one.item, one.value} <= rows.keys()
    ]
    pings = [rows[one.item] for one in every if one.what == "ping" and one.item in rows]
    use = Counter((first, second) for first, second in pairwise(pings) if first != second)
    return objects_of(sizes, friends=friends, usage=[(*pair, count) for pair, count in use.items()])


def main(trace: Path) -> None:
    """Print a recorded run's log."""
    for line in text_of(entries_of(Trace(trace))):
        print(line)


if __name__ == "__main__":
    import typer

    typer.run(main)
