"""Traces of long runs are turned into text at a rate that a person waits for."""

import time
from pathlib import Path

import numpy as np
import pytest

from abut.trace import Trace
from abut.trace.convert import write_lines
from conftest import Abut

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
