"""`abut record`: what the Valgrind tool sees of programs that use their heap in every way."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from abut.places import cache_folder
from abut.recording.valgrind_tool import launcher, tool_folder
from abut.trace import Trace
from abut.trace.reader import EventKind
from abut.trace.steps import AccessStep, steps
from conftest import ROOT, Abut, Programs, abut_environment
from record_help import (
    assert_clean,
    event_kinds,
    program_accesses,
    with_addresses,
)

Record = Callable[..., Path]


@pytest.fixture
def record(abut: Abut, programs: Programs, tmp_path: Path) -> Record:
    """Records a program of tests/record, and answers where the trace is."""

    def run(name: str, *arguments: str, options: tuple[str, ...] = (), code: int = 0) -> Path:
        trace = tmp_path / f"{name}.trace"
        words = ["record", "--force", "-o", str(trace), *options, "--"]
        result = abut(*words, str(programs(name)), *arguments)
        assert result.returncode == code, result.stderr
        assert_clean(trace)
        return trace

    return run


def lackey(program: Path, folder: Path) -> tuple[int, list[tuple[bool, int, int]]]:
    """Where the program's first block is, and write, address and size of each of its accesses.

    Lackey is Valgrind's own tool that shows accesses.
    """
    log = folder / "lackey"
    options = ("--trace-mem=yes", "--vex-iropt-register-updates=allregs-at-each-insn")
    said = subprocess.run(
        ["valgrind", "--tool=lackey", *options, f"--log-file={log}", program],
        capture_output=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
    )
    seen = []
    for kind, place, size in re.findall(r"^ ([LSM]) ([0-9a-f]+),(\d+)$", log.read_text(), re.M):
        # M is a read and a write of the same place.
        seen += [(False, int(place, 16), int(size))] if kind in "LM" else []
        seen += [(True, int(place, 16), int(size))] if kind in "SM" else []
    return int.from_bytes(said.stdout, sys.byteorder), seen


def test_the_accesses_are_those_that_lackey_sees_one_for_one(
    record: Record, programs: Programs, tmp_path: Path
) -> None:
    trace = record("sequence", options=("--everything", "--sites"), code=13)
    places = Trace(trace).objects()["address"].tolist()
    theirs, seen = lackey(programs("sequence"), tmp_path)
    begin, end = places[0] & ~0xFFF, (max(places) | 0xFFF) + 1
    shift = places[0] - theirs
    expected = [
        (write, place + shift, size) for write, place, size in seen if begin <= place + shift < end
    ]
    recorded = [
        (access, place)
        for access, place in with_addresses(trace)
        if access.code and begin <= place < end  # the kernel's have no code, and lackey no kernel
    ]
    assert len(expected) > 5000
    assert [(access.write, place, access.size) for access, place in recorded] == expected
    assert sum(bool(access.object) for access, _ in recorded) > 3000


def test_a_programs_accesses_to_each_object_are_as_written(record: Record) -> None:
    trace = record("kernel")
    sizes = Counter(
        (access.object, access.size, access.write) for access in program_accesses(trace)
    )
    assert sizes == {(1, 1, True): 5000, (1, 5000, True): 1, (1, 5000, False): 1}
    read, written = (access for access in program_accesses(trace) if access.size == 5000)
    assert (read.write, read.offset) == (False, 0)
    assert (written.write, written.offset) == (True, 5000)


@pytest.mark.parametrize(
    ("operations", "reads", "writes"),
    [
        pytest.param("u", 3000, 0, id="values-not-used"),
        pytest.param("i", 1000, 1000, id="increment"),
        pytest.param("a", 1000, 1000, id="add"),
        pytest.param("x", 1000, 1000, id="exchange"),
        pytest.param("c", 1000, 1000, id="compare"),
    ],
)
def test_each_operation_is_recorded_as_the_processor_does_it(
    record: Record, operations: str, reads: int, writes: int
) -> None:
    trace = record("operations", operations)
    own = [access for access in program_accesses(trace) if (access.object, access.size) == (1, 8)]
    assert Counter(access.write for access in own) == Counter({False: reads, True: writes})


def test_the_recorder_may_be_kept_where_the_loader_would_split_its_path(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    kept = tmp_path / "a kept:one"
    kept.mkdir()
    (kept / "abut").symlink_to(cache_folder())
    words = ("record", "-o", "t", "--", str(programs("kernel")))
    assert abut(*words, XDG_CACHE_HOME=str(kept)).returncode == 0
    assert len(program_accesses(tmp_path / "t")) > 5000


def test_an_address_that_was_loaded_has_that_load_for_its_source(record: Record) -> None:
    reads = [
        step
        for step in steps(Trace(record("sources")))
        if isinstance(step, AccessStep) and not step.write and step.side == "application"
    ]
    where = {step.number: (step.object, step.offset) for step in reads}
    come_from = [
        (step.object, where[step.source] if step.source is not None else None) for step in reads
    ]
    values, pointers, first, end = 1, 2, 3, 1003
    nodes = [(node, source) for node, source in come_from if node >= first]
    # The list: of each node, its value and its link.
    assert nodes[2:2000] == [(n, (n - 1, 0)) for n in range(first + 1, end) for _ in range(2)]
    assert [source for number, source in come_from if number == values] == [None] * 1000
    assert nodes[2000:] == [(first + i, (pointers, 8 * i)) for i in range(1000)]


def test_every_form_of_new_delete_and_realloc_is_seen(record: Record) -> None:
    trace = Trace(record("forms"))
    objects = trace.objects()
    # The C++ library keeps a reserve for exceptions, which it never frees.
    freed = objects["died"] != -1
    assert freed.sum() == 22
    assert (objects["align"][freed] == 64).sum() == 4
    assert EventKind.MOVE in event_kinds(Path(trace.path))


@pytest.mark.parametrize("way", ["e", "l"])
def test_after_a_way_out_of_the_allocator_accesses_are_the_programs_again(
    record: Record, way: str
) -> None:
    trace = record("jumps", way)
    writes = Counter(access.object for access in program_accesses(trace) if access.size == 4)
    assert 1000 in writes.values()


def test_threads_have_numbers_of_their_own(record: Record) -> None:
    trace = Trace(record("threads"))
    born: Counter[int] = Counter()
    died: Counter[int] = Counter()
    for events in trace.events():
        born.update(
            events.thread[(events.kind == EventKind.ALLOCATE) & (events.size == 48)].tolist()
        )
        died.update(events.thread[events.kind == EventKind.FREE].tolist())
    assert [born[number] for number in range(2, 6)] == [500] * 4
    assert all(died[number] >= 500 for number in range(6, 10))


def test_very_many_threads_may_be_alive_at_once(record: Record) -> None:
    born = Trace(record("crowd", "600")).objects()["size"].tolist().count(100)
    assert born == 6000


def test_where_valgrind_gives_up_it_says_why(programs: Programs, tmp_path: Path) -> None:
    tool = [f"--launcher={launcher()}", f"--tool={tool_folder(print)}"]
    words = [*tool, "--tool-option=--max-threads=20", f"--output={tmp_path / 't'}", "--"]
    collector = ROOT / "build" / "release" / "bin" / "abut-collect"
    result = subprocess.run(
        [collector, *words, programs("crowd"), "30"], check=False, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "Max number of threads is too low" in result.stderr


def test_signal_handlers_are_the_program_and_its_end_by_a_signal_passes_through(
    programs: Programs, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "abut", "record", "-o", str(tmp_path / "t"), "--"]
    result = subprocess.run(
        [*command, str(programs("signals"))],
        check=False,
        capture_output=True,
        env=abut_environment(),
    )
    assert result.returncode == -signal.SIGTERM
    assert_clean(tmp_path / "t")
    assert len(program_accesses(tmp_path / "t")) == 1000


def test_what_goes_back_to_the_kernel_is_recorded(record: Record) -> None:
    (events,) = Trace(record("discards")).events()
    gone = events.kind == EventKind.DISCARD
    rows = list(zip(events.address[gone].tolist(), events.size[gone].tolist(), strict=True))
    page = 4096
    forgotten = [begin for begin, size in rows if size == 33 * page]
    unmapped = [begin for begin, size in rows if size == 77 * page]
    # The address is what the program says; once for the mapping itself, once for its end.
    assert len(unmapped) == 2
    assert forgotten == [unmapped[1] + page]


@pytest.mark.parametrize("heap", ["jemalloc", "mimalloc", "tcmalloc", "abut"])
def test_any_heap_is_seen_unreplaced(record: Record, heap: str) -> None:
    trace = record("sequence", options=("--heap", heap), code=13)
    by_allocator = [batch.side.astype(bool) for batch in Trace(trace).batches()]
    assert sum(len(side) - side.sum() for side in by_allocator) > 3000
    assert sum(side.sum() for side in by_allocator) > 0


def test_objects_lie_beside_their_friends_as_without_the_recorder(
    abut: Abut, tmp_path: Path
) -> None:
    """They are found by the registers and the stack of who calls malloc."""
    program = tmp_path / "appended"
    source = ROOT / "tests" / "python" / "tuning" / "appended.c"
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    explained = tmp_path / "explained.json"
    words = ("record", "--heap", "abut", "-o", str(tmp_path / "t"), "--")
    variables = {"ABUT_EXPLAIN_FILE": str(explained)}
    assert abut(*words, str(program), "400000", "1", **variables).returncode == 0
    friends = json.loads(explained.read_text())["friends"]
    assert max(one["placed"] for one in friends) > 300_000


@pytest.mark.parametrize("heap", ["glibc", "jemalloc", "mimalloc", "tcmalloc", "abut"])
def test_a_real_program_frees_only_what_was_seen_allocated(
    abut: Abut, tmp_path: Path, heap: str
) -> None:
    script = "create table t(a,b); insert into t values(1,'x'),(2,'y'); select count(*) from t;"
    words = ("record", "--heap", heap, "-o", "t", "--", "sqlite3", ":memory:", script)
    result = abut(*words)
    assert (result.returncode, result.stdout) == (0, "2\n"), result.stderr
    assert "frees of what was no block" not in result.stderr
    assert_clean(tmp_path / "t")
    objects = Trace(tmp_path / "t").objects()
    assert (objects["died"] != -1).sum() > 100


def test_streams_pass_through_and_a_trace_is_not_overwritten(abut: Abut, tmp_path: Path) -> None:
    words = ("record", "-o", "a t", "--", "sh", "-c", "cat; echo said >&2; exit 4")
    result = abut(*words, stdin="through")
    assert (result.returncode, result.stdout) == (4, "through")
    assert result.stderr.startswith("said\n")
    assert result.stderr.endswith("next: abut trace info 'a t'\n")
    native = set(abut("run", "--heap", "glibc", "--", "env").stdout.splitlines())
    seen = set(abut("record", "-q", "-o", "e", "--", "env").stdout.splitlines())
    assert {line.partition("=")[0] for line in seen ^ native} <= {"GLIBC_TUNABLES", "LD_PRELOAD"}
    before = (tmp_path / "a t").read_bytes()
    result = abut(*words)
    assert result.returncode == 125
    assert "t: is there already" in result.stderr
    assert (tmp_path / "a t").read_bytes() == before


def test_what_is_missing_is_named_with_its_package(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "true").symlink_to("/bin/true")
    result = abut("record", "--", "true", PATH=str(tmp_path / "bin"))
    assert result.returncode == 125
    assert "apt install valgrind" in result.stderr


def long_allocator_runs(trace: Path) -> list[int]:
    """How many accesses the allocator makes between two events, or accesses of the program."""
    runs = [0]
    for step in steps(Trace(trace)):
        if isinstance(step, AccessStep) and step.side == "allocator":
            runs[-1] += 1
        elif runs[-1] != 0:
            runs.append(0)
    return [run for run in runs if run > 500]


@pytest.mark.parametrize("window", ["1k/5k", "1k/4k", "700/1k", "2k/3k"])
def test_no_window_begins_or_ends_inside_the_allocator(record: Record, window: str) -> None:
    def seen(*options: str) -> list[int]:
        words = ("--from", "main", "--heap", "glibc", *options)
        return long_allocator_runs(record("sequence", options=words, code=13))

    # Shortly before the end the C library's heap makes thousands of accesses in one call. What asks
    # for a block's size leaves no event, and a window may begin or end behind it.
    (whole,) = seen()
    assert whole > 2000
    assert all(whole - 50 < run <= whole for run in seen("--window", window))


def test_windows_are_the_same_parts_of_the_run_under_any_heap(record: Record) -> None:
    def seen(heap: str) -> Counter[tuple[int, int, bool]]:
        options = ("--from", "main", "--window", "1k/5k", "--heap", heap)
        trace = record("sequence", options=options, code=13)
        return Counter((one.code, one.offset, one.write) for one in program_accesses(trace))

    glibc, abut = seen("glibc"), seen("abut")
    assert glibc.total() > 300
    assert (glibc & abut).total() > 0.95 * min(glibc.total(), abut.total())


@pytest.mark.parametrize("window", ["1G", "5/5", "x/y", "2M/1M"])
def test_a_window_that_is_none_is_refused(abut: Abut, window: str) -> None:
    result = abut("record", "--window", window, "--", "true")
    assert result.returncode == 2
    assert "--window" in result.stderr


def test_a_broken_pipe_ends_the_program_as_it_would_without(tmp_path: Path) -> None:
    command = (
        f"{shlex.quote(sys.executable)} -m abut record -o '{tmp_path / 't'}' -- yes | head -n 1"
    )
    result = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        check=False,
        capture_output=True,
        text=True,
        env=abut_environment(),
    )
    assert (result.returncode, result.stdout) == (128 + signal.SIGPIPE, "y\n")
