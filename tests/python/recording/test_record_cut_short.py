"""Recordings that are cut short: what was written is readable, and the program goes on."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abut.trace import Trace
from conftest import Programs, abut_environment
from record_help import assert_clean


def start_long_recording(
    program: Path, trace: Path, length: str = "endless"
) -> "subprocess.Popen[bytes]":
    """A recording that goes on until it is ended, and has written something."""
    words = ["record", "-o", str(trace), "--", str(program), length]
    running = subprocess.Popen(
        [sys.executable, "-m", "abut", *words], env=abut_environment(), stderr=subprocess.PIPE
    )
    for _ in range(300):
        if trace.is_file() and trace.stat().st_size > 4096:
            return running
        time.sleep(0.1)
    running.kill()
    pytest.fail("nothing was written in half a minute")


def child_of(process: int) -> int:
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])


def test_what_a_killed_program_did_is_readable(programs: Programs, tmp_path: Path) -> None:
    running = start_long_recording(programs("marks"), tmp_path / "t")
    os.kill(child_of(running.pid), signal.SIGKILL)
    assert running.wait(timeout=60) == -signal.SIGKILL
    assert_clean(tmp_path / "t")
    assert Trace(tmp_path / "t").info.accesses > 100_000


def test_when_the_collector_is_killed_what_it_wrote_is_readable_and_the_program_goes_on(
    programs: Programs, tmp_path: Path
) -> None:
    running = start_long_recording(programs("marks"), tmp_path / "t")
    program = child_of(running.pid)
    try:
        running.kill()
        running.wait(timeout=60)
        time.sleep(1)
        assert Path(f"/proc/{program}/stat").read_text().split()[2] in "RS"
    finally:
        os.kill(program, signal.SIGKILL)
    trace = Trace(tmp_path / "t")
    assert trace.info.totals is None
    assert sum(len(batch) for batch in trace.batches()) > 100_000


def test_when_no_more_can_be_written_it_is_told_and_the_program_goes_on(
    programs: Programs, tmp_path: Path
) -> None:
    running = start_long_recording(programs("marks"), tmp_path / "t", "long")
    room = (tmp_path / "t").stat().st_size + 100
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (room, room))
    _, said = running.communicate(timeout=100)
    assert running.returncode == 0
    assert b"the program goes on, and is not recorded any more" in said
    assert b"t is not whole" in said
    assert sum(len(batch) for batch in Trace(tmp_path / "t").batches()) > 100_000


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
    assert "memory to share with the traced process" in result.stderr
