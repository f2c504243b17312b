"""Recordings that are cut short: what was written is readable, and the program goes on."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from abut.trace import Trace
from conftest import Programs, abut_environment
from record_help import assert_clean

by_each = pytest.mark.parametrize("recorder", ["valgrind", "light"])


def start(recorder: str, program: Path, trace: Path, rounds: int = 0) -> "subprocess.Popen[str]":
    """Records `pace`, by default without an end; some of it is written."""
    words = ["record", "--recorder", recorder, "-o", str(trace), "--", str(program), str(rounds)]
    running = subprocess.Popen(
        [sys.executable, "-m", "abut", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=abut_environment(),
    )
    assert running.stdout
    for _ in running.stdout:
        if trace.is_file() and trace.stat().st_size > 4096:
            return running
    pytest.fail("the program ended before anything was written")


def child_of(process: int) -> int:
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])


def steps_in(trace: Trace) -> int:
    """What of them there is depends on what processors had to spare."""
    return sum(map(len, trace.batches())) + sum(len(batch.kind) for batch in trace.events())


@by_each
def test_what_a_killed_program_did_is_readable(
    recorder: str, programs: Programs, tmp_path: Path
) -> None:
    with start(recorder, programs("pace"), tmp_path / "t") as running:
        os.kill(child_of(running.pid), signal.SIGKILL)
        assert running.wait(timeout=60) == -signal.SIGKILL
    assert_clean(tmp_path / "t")
    assert steps_in(Trace(tmp_path / "t")) > 10_000


@by_each
def test_when_the_collector_is_killed_what_it_wrote_is_readable_and_the_program_goes_on(
    recorder: str, programs: Programs, tmp_path: Path
) -> None:
    with start(recorder, programs("pace"), tmp_path / "t") as running:
        program = child_of(running.pid)
        try:
            running.kill()
            running.wait(timeout=60)
            assert running.stdout
            for _ in range(100):
                assert running.stdout.readline() != "", "the program goes on"
        finally:
            os.kill(program, signal.SIGKILL)
    trace = Trace(tmp_path / "t")
    assert trace.info.totals is None
    assert steps_in(trace) > 10_000


@pytest.mark.parametrize(("recorder", "rounds"), [("valgrind", 400), ("light", 4000)])
def test_when_no_more_can_be_written_it_is_told_and_the_program_goes_on(
    recorder: str, rounds: int, programs: Programs, tmp_path: Path
) -> None:
    running = start(recorder, programs("pace"), tmp_path / "t", rounds)
    room = (tmp_path / "t").stat().st_size + 100
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (room, room))
    out, said = running.communicate(timeout=100)
    assert running.returncode == 0
    assert out.endswith(f"{rounds}000\n")
    assert "the program goes on, and is not recorded any more" in said
    assert "t is not whole" in said
    assert steps_in(Trace(tmp_path / "t")) > 1000


def test_no_memory_to_share_is_told_and_the_program_goes_on(tmp_path: Path) -> None:
    limited = 'ulimit -f 8; exec "$@"'  # which holds for shared memory, too
    words = [sys.executable, "-m", "abut", "record", "-o", str(tmp_path / "t"), "--", "echo", "on"]
    result = subprocess.run(
        ["sh", "-c", limited, "sh", *words],
        check=False,
        capture_output=True,
        text=True,
        env=abut_environment(),
    )
    assert (result.returncode, result.stdout) == (0, "on\n")
    assert "memory to share with the recorded process" in result.stderr
