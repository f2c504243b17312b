"""Traces of long runs are turned into text fast, and a terminal shows how far it is."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from abut.trace import Trace, TraceWriter
from abut.trace.convert import write_lines
from conftest import Abut, abut_environment

_ACCESSES = 20_000_000
_RATE = 20e6  # a second, of processor time


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "din"])
def test_a_second_turns_twenty_million_steps_into_lines(
    form: str, abut: Abut, tmp_path: Path
) -> None:
    generator = np.random.default_rng(1)
    addresses = generator.integers(1 << 20, 1 << 30, _ACCESSES // 100)
    lines = "".join(f"{address % 2} {address:x}\n" for address in addresses)
    with (tmp_path / "run.din").open("w") as file:
        for _ in range(100):
            file.write(lines)
    assert abut("trace", "import", "--from", "din", "-o", "t", "run.din").returncode == 0
    trace = Trace(tmp_path / "t")
    assert trace.info.accesses == _ACCESSES
    spent = []
    for _ in range(3):
        begun = time.process_time()
        write_lines(trace, form, Path("/dev/null"))
        spent.append(time.process_time() - begun)
    assert _ACCESSES / min(spent) > _RATE


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t", command=["prog"]) as writer:
        writer.allocate(32, address=4096)
    ours, theirs = pty.openpty()
    words = ("trace", "convert", "--to", "text", "-o", "out", "t")
    running = subprocess.Popen(
        [sys.executable, "-m", "abut", *words], stdout=subprocess.PIPE, stderr=theirs,
        env=abut_environment(TERM="xterm"), cwd=tmp_path,
    )  # fmt: skip
    running.communicate()
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert (running.returncode, "writing out" in shown, "%" in shown) == (0, True, True)


@pytest.mark.parametrize("verb", ["trace convert --to parquet", "export --format parquet"])
def test_tables_for_which_there_is_no_room_leave_those_that_are_there(
    abut: Abut, tmp_path: Path, verb: str
) -> None:
    with TraceWriter(tmp_path / "t") as writer:
        for size in range(20_000):
            writer.allocate(size * size)
    assert abut(*verb.split(), "-o", "tables", "t").returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "tables").iterdir()}
    line = f"ulimit -f 8; exec {sys.executable} -m abut {verb} --force -o tables t"
    done = subprocess.run(
        ["sh", "-c", line], env=abut_environment(), cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[1:]) == (2, [b"  fix: name another file"])
    assert {path.name: path.read_bytes() for path in (tmp_path / "tables").iterdir()} == before
