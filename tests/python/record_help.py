"""What the tests of `abut record` share: programs to record, and what their traces hold."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from abut.trace import Trace
from abut.trace.reader import EventKind
from conftest import ROOT, abut_environment

PROGRAMS = ROOT / "tests" / "record"
_ALLOCATOR = 1


class Access(NamedTuple):
    object: int
    offset: int
    size: int
    write: bool
    by_allocator: bool
    thread: int
    code: int


def build(name: str, folder: Path, *flags: str) -> Path:
    """The program of tests/record that is called so."""
    (source,) = PROGRAMS.glob(f"{name}.c*")
    compiler = ["cc"] if source.suffix == ".c" else ["c++", "-std=c++20", "-fsized-deallocation"]
    target = folder / name
    subprocess.run(
        [*compiler, "-O1", "-g", "-pthread", f"-I{ROOT / 'include'}", "-o", target, source, *flags],
        check=True,
    )
    return target


def build_compiled(folder: Path, source: Path, *flags: str, compiler: str = "") -> Path:
    """A program that is compiled for recording."""
    verb, variable = ("cc", "ABUT_CC") if source.suffix == ".c" else ("c++", "ABUT_CXX")
    variables = {variable: compiler} if compiler else {}
    target = folder / f"{source.stem}-compiled"
    subprocess.run(
        [sys.executable, "-m", "abut", verb, "-O2", "-g", "-pthread", "-o", target, source, *flags],
        check=True,
        env=abut_environment(**variables),
    )
    return target


def program_accesses(path: Path) -> list[Access]:
    return [access for access, _ in with_addresses(path) if not access.by_allocator]


def with_addresses(path: Path) -> Iterator[tuple[Access, int]]:
    """Each access, and where it was in memory."""
    place = {0: 0}
    for batch in Trace(path).batches(codes=True):
        codes = batch.code if batch.code is not None else [0] * len(batch)
        rows = zip(
            *(column.tolist() for column in (batch.object, batch.offset, batch.size, batch.write)),
            *(column.tolist() for column in (batch.side, batch.thread)),
            codes,
            strict=True,
        )
        pending = 0
        events = batch.events
        for number, row in enumerate(rows, batch.first_access):
            while pending < len(events) and events.position[pending] <= number:
                if events.kind[pending] in (EventKind.ALLOCATE, EventKind.MOVE):
                    place[int(events.object[pending])] = int(events.address[pending])
                pending += 1
            object_, offset, size, write, side, thread, code = row
            access = Access(
                object_, offset, size, bool(write), side == _ALLOCATOR, thread, int(code)
            )
            yield access, place[access.object] + access.offset
        for late in range(pending, len(events)):
            if events.kind[late] in (EventKind.ALLOCATE, EventKind.MOVE):
                place[int(events.object[late])] = int(events.address[late])


def event_kinds(path: Path) -> list[EventKind]:
    return [EventKind(kind) for events in Trace(path).events() for kind in events.kind]


def assert_clean(path: Path) -> None:
    trace = Trace(path)
    found = trace.check()
    assert found.clean, (found.violations, found.damages)
    assert trace.info.totals
    assert trace.info.totals["unmatched_frees"] == 0
