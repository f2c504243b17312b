"""`abut record --recorder light`: the full recorder's events, and what gets lost is reported."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from abut.trace import Trace
from abut.trace.reader import EventKind
from conftest import Abut, Programs, abut_environment
from record_help import assert_clean, event_kinds

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


def test_a_program_that_cannot_share_memory_is_not_recorded_and_said_so(
    abut: Abut, tmp_path: Path
) -> None:
    command = ("sh", "-c", "ulimit -v 900000; exec sort /dev/null")
    result = abut(*_LIGHT, "--follow-children", "-o", "t", "--", *command)
    assert result.returncode == 0
    assert "t.2 is not whole: the program could not map" in result.stderr
    shown = abut("trace", "info", "t").stdout
    assert "status 0 after" in shown
    abut(*_LIGHT, "-o", "t", "--", "sh", "-c", "exit 3")
    assert "status 3 after" in abut("trace", "info", "t").stdout
    abut(*_LIGHT, "-o", "t", "--", "sh", "-c", "kill -TERM $$")
    assert "killed by SIGTERM after" in abut("trace", "info", "t").stdout


def test_more_children_than_files_may_be_open_do_not_wait(tmp_path: Path) -> None:
    run_many = "for i in $(seq 40); do sleep 1 & done; wait; echo done"
    limited = f"ulimit -n 50; exec {sys.executable} -m abut record --recorder light"
    done = subprocess.run(
        ["bash", "-c", f"{limited} --follow-children -o t -- sh -c '{run_many}'"],
        env=abut_environment(), cwd=tmp_path, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stdout == "done\n"
    assert "too many open files" in done.stderr.lower()


def test_interrupted_it_waits_no_longer_for_what_was_left_running(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "abut",
        *_LIGHT,
        "--follow-children",
        "-o",
        str(tmp_path / "t"),
    ]
    process = subprocess.Popen(
        [*command, "--", "sh", "-c", "sleep 50 >/dev/null 2>&1 & echo $!"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=abut_environment(),
    )  # fmt: skip
    assert process.stdout
    assert process.stderr
    left = int(process.stdout.readline())
    try:
        assert "^C ends the recording" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        os.kill(left, signal.SIGKILL)
    assert process.returncode == 0
    assert_clean(tmp_path / "t")
    assert f"{tmp_path}/t.2: " in said


def test_each_of_very_many_threads_is_seen(abut: Abut, programs: Programs, tmp_path: Path) -> None:
    program = str(programs("flood"))
    result = abut(*_LIGHT, "-o", "t", "--", program, "3", "1000", stdin="\n")
    assert result.returncode == 0, result.stderr
    assert_clean(tmp_path / "t")
    threads = Counter(Trace(tmp_path / "t").objects()["thread"].tolist())
    assert sum(count >= 3 for count in threads.values()) >= 1000


def test_threads_that_find_no_ring_are_counted(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    result = abut(*_LIGHT, "--lossless", "-o", "t", "--", str(programs("crowd")), "600")
    assert result.stdout == "600 at a time\n"
    assert "records dropped, of more than 512 threads at a time" in result.stderr
    assert "fix:" not in result.stderr


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


@pytest.mark.parametrize("reaped", [True, False])
def test_when_the_collector_is_killed_a_program_that_waits_for_it_goes_on(
    programs: Programs, tmp_path: Path, reaped: bool
) -> None:
    process = _flood(programs("flood"), tmp_path / "t", "--lossless")
    process.kill()
    if reaped:
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


def test_blocks_that_go_from_thread_to_thread_are_told_in_order(
    abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    result = abut(*_LIGHT, "--lossless", "-o", "t", "--", str(programs("handover")), "resize")
    assert result.returncode == 0, result.stderr
    assert "no block" not in result.stderr
    assert_clean(tmp_path / "t")
    kinds = Counter(event_kinds(tmp_path / "t"))
    assert kinds[EventKind.FREE] >= 40_000
    assert kinds[EventKind.RESIZE] >= 20_000
    assert kinds[EventKind.ALLOCATE] - kinds[EventKind.FREE] < 10


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
