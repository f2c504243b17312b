"""Several machines in one pass over a trace: each finds what it finds alone."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from abut.simulation.jobs import Job, simulate, simulate_all
from abut.simulation.presets import find_preset
from abut.trace import TraceWriter
from conftest import Abut


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Objects of a line and a half that are visited at random."""
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog"]) as out:
        items = [out.allocate(96, address=0x10000 + 128 * number) for number in range(2000)]
        for at in np.random.default_rng(1).integers(0, 2000 * 12, 20_000).tolist():
            out.access(items[at // 12], at % 12 * 8, 8)
    return path


def test_machines_that_share_a_pass_give_what_each_gives_alone(trace: Path) -> None:
    machines = [find_preset(name) for name in ("modern", "zen4", "zen5", "apple-m1")]
    jobs = [
        Job(str(trace), machine, layout=layout, optimum=True, classify=True)
        for layout in ("recorded", "size")
        for machine in machines
    ]
    jobs[1] = dataclasses.replace(jobs[1], huge_pages=True, split=True)
    together = simulate_all(jobs)
    # Arrays of owners have no equality of their own.
    assert [repr(result) for result in together] == [repr(simulate(job)) for job in jobs]
    assert together[2].time
    assert together[2].time != together[1].time


def test_machines_are_shown_beside_each_other(abut: Abut, trace: Path) -> None:
    done = abut("sim", "--machine", "zen4,zen5", "--layout", "recorded,size", str(trace))
    assert done.returncode == 0, done.stderr
    assert "predicted cycles" in done.stdout
    assert all(f"layouts; {name}" in done.stdout for name in ("zen4", "zen5"))
    assert "by site" not in done.stdout
