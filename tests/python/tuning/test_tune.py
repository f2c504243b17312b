"""Tuning: what wins is written, and what does not is said not to."""

import json
from pathlib import Path

import numpy as np
import pytest

from abut.measure.statistics import Estimate
from abut.places import bench_places
from abut.tuning.first_run import window_for
from abut.tuning.plan import read_plan
from abut.tuning.tune import is_gain
from conftest import Abut


def estimate(value: float, spread: float) -> Estimate:
    return Estimate(value, np.linspace(value - spread, value + spread, 100))


def test_a_gain_is_one_beyond_chance_and_not_too_little() -> None:
    assert is_gain(estimate(0.9, 0.05))
    assert not is_gain(estimate(0.9, 0.2))
    assert not is_gain(estimate(0.995, 0.001))
    assert not is_gain(estimate(1.2, 0.1))
    assert not is_gain(None)


def test_a_program_without_small_objects_keeps_the_default(abut: Abut, tmp_path: Path) -> None:
    done = abut("tune", "--budget", "20s", "--runs", "3", "-o", "x.plan", "--", "/bin/true")
    assert done.returncode == 1, done.stderr
    assert "nothing here beats the default" in done.stdout
    assert not (tmp_path / "x.plan").exists()


def test_a_program_that_fails_is_not_tuned(abut: Abut) -> None:
    done = abut("tune", "--", "/bin/false")
    assert done.returncode != 0
    assert "/bin/false: exits with 1" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--budget", "soon", "--budget soon: no time"),
        ("--also", " ", "no program"),
        ("--also", "--", "its value is missing"),
    ],
)
def test_what_cannot_be_is_named(abut: Abut, option: str, value: str, said: str) -> None:
    done = abut("tune", option, value, "--", "/bin/true")
    assert (done.returncode, said in done.stderr) == (2, True)


def test_a_walk_against_the_order_of_birth_is_tuned(abut: Abut, tmp_path: Path) -> None:
    traverse = bench_places().programs / "traverse"
    if not traverse.is_file():
        pytest.skip("the benchmark programs are not built")
    program = [str(traverse), "--depth", "12", "--walks", "2"]
    done = abut("tune", "--json", "--runs", "3", "-o", "t.plan", "--", *program)
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["strategy"] else 1), done.stderr
    assert {one["strategy"] for one in found["candidates"]} >= {"usage-df", "combined", "affinity"}
    measured = [one for one in found["candidates"] if one["seconds"]]
    assert len(measured) >= 3
    # Whether it wins is the machine's to say; a plan is there just if it did.
    assert (tmp_path / "t.plan").exists() == (found["strategy"] is not None)
    if found["strategy"]:
        assert read_plan(tmp_path / "t.plan").strategy == found["strategy"]


def test_as_much_is_recorded_as_there_is_time_for() -> None:
    assert window_for(1.0, 120.0) == []
    assert window_for(3.0, 120.0) == []
    assert window_for(10.0, 120.0) == ["--window", "1000M/4000M"]
    assert window_for(1000.0, 120.0) == ["--window", "200M/4000M"]
    assert window_for(4.01, 120.0) == ["--window", "2000M/4000M"]
