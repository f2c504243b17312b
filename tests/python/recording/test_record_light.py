"""`abut record --recorder light`: the full recorder's events, and what gets lost is reported."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from abut.trace import Trace
from abut.trace.reader import EventKind
from conftest import Abut, Programs, abut_environment
from record_help import assert_clean, build, event_kinds

_LIGHT = ("record", "--recorder", "light", "--force")


def _events(path: Path) -> tuple[Counter[EventKind], Counter[tuple[int, int, int]]]:
    """How many events of each kind, and how many objects of each size, alignment and thread."""
    kinds = Counter(event_kinds(path))
    del kinds[EventKind.DISCARD]
    objects = Trace(path).objects()
    columns = (objects[name].tolist() for name in ("size", "align", "thread"))
    return kinds, Counter(zip(*columns, strict=True))


@pytest.mark.parametrize("name", ["forms", "threads"])
def test_the_events_are_those_of_the_full_recorder(
    abut: Abut, programs: Programs, tmp_path: Path, name: str
) -> None:
    program = str(programs(name))
    light = abut(*_LIGHT, "-o", "light.trace", "--", program)
    full = abut("record", "--heap", "abut", "-o", "full.trace", "--", program)
    assert (light.returncode, light.stdout) == (full.returncode, full.stdout)
    assert_clean(tmp_path / "light.trace")
    assert _events(tmp_path / "light.trace") == _events(tmp_path / "full.trace")


def test_contexts_name_the_function_that_allocates(abut: Abut, programs: Programs) -> None:
    abut(*_LIGHT, "-o", "light.trace", "--", str(programs("flood")), "100")
    said = abut("trace", "contexts", "light.trace")
    assert "allocate (flood.c:8)" in said.stdout or "allocate flood.c:8" in said.stdout, said.stdout


def test_without_following_a_child_runs_unrecorded(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    words = (*_LIGHT, "-o", "t", "--", str(programs("processes")), "/bin/true")
    result = abut(*words, ABUT_PLACE="off")  # which allocates nothing of its own
    assert result.returncode == 5, result.stderr
    assert_clean(tmp_path / "t")
    assert sum(kind is EventKind.ALLOCATE for kind in event_kinds(tmp_path / "t")) == 101
    assert not (tmp_path / "t.2").exists()


def test_a_followed_child_has_a_trace_that_begins_with_what_it_inherits(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    words = (*_LIGHT, "--follow-children", "-o", "t", "--", str(programs("processes")), "/bin/true")
    result = abut(*words)
    assert result.returncode == 5, result.stderr
    child = tmp_path / "t.2"
    assert_clean(child)
    assert event_kinds(child)[:100] == [EventKind.ALLOCATE] * 100
    assert event_kinds(child).count(EventKind.FREE) == 100
    assert Trace(tmp_path / "t.3").info.command[0].endswith("/true")


def test_hints_are_recorded(abut: Abut, library: Path, tmp_path: Path) -> None:
    program = build("hints", tmp_path, str(library), f"-Wl,-rpath,{library.parent}")
    result = abut(*_LIGHT, "-o", "hints.trace", "--", str(program), ABUT_PLACE="off")
    assert result.returncode == 0, result.stderr
    (events,) = Trace(tmp_path / "hints.trace").events()
    rows = zip(events.kind, events.object, events.detail, strict=True)
    hints = [(EventKind(kind), int(a), int(b)) for kind, a, b in rows if kind in _HINTS]
    assert hints == [(EventKind.NEAR, 2, 1), (EventKind.NEAR, 3, 2), (EventKind.TOUCH, 3, 7)]


_HINTS = (EventKind.NEAR, EventKind.TOUCH)


def test_each_of_very_many_threads_is_seen(abut: Abut, programs: Programs, tmp_path: Path) -> None:
    program = str(programs("flood"))
    result = abut(*_LIGHT, "-o", "t", "--", program, "3", "1000", stdin="\n")
    assert result.returncode == 0, result.stderr
    assert_clean(tmp_path / "t")
    threads = Counter(Trace(tmp_path / "t").objects()["thread"].tolist())
    assert sum(count >= 3 for count in threads.values()) >= 1000


def _flood(program: Path, trace: Path, *options: str) -> subprocess.Popen[str]:
    """A recorded program that waits for a line before it allocates and frees a million times."""
    words = [sys.executable, "-m", "abut", *_LIGHT, *options, "-o", str(trace), "--"]
    process = subprocess.Popen(
        [*words, str(program), "1000000"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=abut_environment(),
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def test_what_finds_no_room_is_counted_and_told(programs: Programs, tmp_path: Path) -> None:
    process = _flood(programs("flood"), tmp_path / "t")
    assert process.stdin
    assert process.stdout
    # The collector, which the command became, reads no more while the program runs.
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    os.kill(process.pid, signal.SIGCONT)
    _, said = process.communicate(timeout=60)
    totals = Trace(tmp_path / "t").info.totals
    assert totals
    assert totals["dropped_events"] > 1_000_000
    assert f"{totals['dropped_events']} records dropped" in said
    assert 2_000_000 <= totals["events"] + totals["dropped_events"] <= 2_000_100


def test_without_loss_the_program_waits(programs: Programs, tmp_path: Path) -> None:
    process = _flood(programs("flood"), tmp_path / "t", "--lossless")
    process.communicate("\n", timeout=60)
    assert_clean(tmp_path / "t")
    totals = Trace(tmp_path / "t").info.totals
    assert totals
    assert totals["dropped_events"] == 0
    assert totals["events"] >= 2_000_000


def test_what_a_killed_program_did_is_readable(programs: Programs, tmp_path: Path) -> None:
    process = _flood(programs("flood"), tmp_path / "t")
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert_clean(tmp_path / "t")
    assert len(Trace(tmp_path / "t").objects()["size"]) >= 1


def test_when_the_collector_is_killed_a_program_that_waits_for_it_goes_on(
    programs: Programs, tmp_path: Path
) -> None:
    process = _flood(programs("flood"), tmp_path / "t", "--lossless")
    process.kill()
    process.wait()
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    process.stdin.close()
    process.stdout.close()
    if process.stderr:
        process.stderr.close()


def _paced(program: Path, trace: Path, *arguments: str) -> subprocess.Popen[str]:
    """A recorded program that allocates at leisure, and says how far it has come."""
    words = [sys.executable, "-m", "abut", *_LIGHT, "-o", str(trace), "--", str(program)]
    return subprocess.Popen(
        [*words, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=abut_environment(),
    )


def _read_until_written(process: subprocess.Popen[str], trace: Path) -> int:
    """Reads what the program says until some of its trace is written; how far it had come."""
    assert process.stdout
    for line in process.stdout:
        if trace.is_file() and trace.stat().st_size > 4096:
            return int(line)
    raise AssertionError("the program ended before anything was written")


def test_when_the_collector_is_killed_what_it_wrote_is_readable(
    programs: Programs, tmp_path: Path
) -> None:
    process = _paced(programs("pace"), tmp_path / "t")
    assert process.stdout
    assert process.stderr
    _read_until_written(process, tmp_path / "t")
    (program,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    try:
        process.kill()
        process.wait(timeout=60)
        for _ in range(100):
            assert process.stdout.readline() != "", "the program goes on"
    finally:
        os.kill(int(program), signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
    trace = Trace(tmp_path / "t")
    assert trace.info.totals is None
    # How much that is depends on what processors had to spare.
    assert sum(len(batch.kind) for batch in trace.events()) > 10_000


def test_when_no_more_can_be_written_it_is_told_and_the_program_goes_on(
    programs: Programs, tmp_path: Path
) -> None:
    process = _paced(programs("pace"), tmp_path / "t", "4000")
    _read_until_written(process, tmp_path / "t")
    room = (tmp_path / "t").stat().st_size + 100
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, room))
    out, said = process.communicate(timeout=100)
    assert process.returncode == 0
    assert out.endswith("4000000\n")
    assert "the program goes on, and is not recorded any more" in said
    assert "t is not whole" in said
    assert sum(len(batch.kind) for batch in Trace(tmp_path / "t").events()) > 1000


def test_blocks_that_go_from_thread_to_thread_are_told_in_order(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    result = abut(*_LIGHT, "--lossless", "-o", "t", "--", str(programs("handover")))
    assert result.returncode == 0, result.stderr
    assert "no block" not in result.stderr
    assert_clean(tmp_path / "t")
    kinds = Counter(event_kinds(tmp_path / "t"))
    assert kinds[EventKind.FREE] >= 20_000
    assert kinds[EventKind.ALLOCATE] - kinds[EventKind.FREE] < 10


def test_code_that_comes_where_other_code_was_is_told_from_it(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    library = build("plugin", tmp_path, "-shared", "-fPIC")
    plugins = [Path(shutil.copy(library, tmp_path / f"plugin_{n}.so")) for n in range(3)]
    result = abut(*_LIGHT, "-o", "t", "--", str(programs("plugins")), *map(str, plugins))
    assert result.returncode == 0, result.stderr
    assert len(set(result.stdout.splitlines()[:3])) < 3, "the test is to load where it unloaded"
    trace = Trace(tmp_path / "t")
    objects, contexts, modules = trace.objects(), trace.contexts(), trace.modules()
    made = Counter(
        Path(modules[contexts[context - 1][0].module - 1].path).name
        for size, context in zip(objects["size"], objects["context"], strict=True)
        if size == 123
    )
    assert made == {plugin.name: 100 for plugin in plugins}


@pytest.mark.parametrize(
    "options", [("--wait",), ("--everything",), ("--window", "1M/2M"), ("--heap", "glibc")]
)
def test_what_it_cannot_do_is_refused(abut: Abut, options: tuple[str, ...]) -> None:
    result = abut(*_LIGHT, *options, "--", "true")
    assert result.returncode == 2
    assert "fix:" in result.stderr


@pytest.mark.parametrize(
    "variable",
    [{"ABUT_PLAN": "some.plan"}, {"ABUT_PLACE": "auto:pools"}, {"ABUT_PROFILE": "some.profile"}],
)
def test_a_layout_that_it_would_not_have_is_refused(
    abut: Abut, variable: dict[str, str], tmp_path: Path
) -> None:
    result = abut(*_LIGHT, "-o", "t", "--", "true", **variable)
    assert result.returncode == 2
    assert f"unset {next(iter(variable))}" in result.stderr
    assert not (tmp_path / "t").exists()
    assert abut(*_LIGHT, "-o", "t", "--", "true", ABUT_PLACE="friends").returncode == 0
