"""Samples of runs: what the whole run has lies in the intervals."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from abut.errors import AbutError
from abut.simulation.jobs import Job, simulate
from abut.simulation.presets import find_preset
from abut.simulation.sampling import _student, sample, sampled_windows
from abut.trace import TraceWriter
from abut.trace.native import Array
from conftest import Abut

_CHUNK = 32768  # two of the reader's batches
_CHUNKS = 40


def write(path: Path, addresses: Array) -> Path:
    with TraceWriter(path, chunk_accesses=_CHUNK) as out:
        access = out.access
        for address in addresses.tolist():
            access(0, address, 8)
    return path


def addresses_of(shape: str, seed: int) -> Array:
    """Accesses of a run that goes on in one way, in phases, or ever further."""
    random = np.random.default_rng(seed)
    count = _CHUNK * _CHUNKS
    at = np.arange(count)
    if shape == "random":
        return 0x10000 + random.integers(0, 1 << 19, count) * 8
    if shape == "phases":
        wide = (at // (3 * _CHUNK)) % 2
        return 0x10000 + random.integers(0, 1 << 10, count) * 8 * (1 + wide * 300)
    if shape == "stream":
        return 0x10000 + at * 8
    node = random.permutation(1 << 14)[at // 4 % (1 << 14)]
    return 0x10000 + node * 64 + at % 4 * 8


@pytest.mark.parametrize(
    "shape", [pytest.param("random", marks=pytest.mark.long), "phases", "stream", "list"]
)
def test_the_true_values_lie_in_the_intervals(tmp_path: Path, shape: str) -> None:
    path = write(tmp_path / "run.trace", addresses_of(shape, 1))
    job = Job(str(path), find_preset("zen5"))
    whole = simulate(job)
    assert whole.time
    levels = (*whole.levels, *whole.tlb)
    truth: dict[str, float] = {f"{one.name} misses": one.total_misses for one in levels}
    truth["cycles"] = whole.time.total
    outside = []
    for seed in range(1, 4):
        found = sample(Job(str(path), job.preset, seed=seed), 0.2)
        assert found.windows == _CHUNKS // 5
        assert found.accesses == whole.total_references
        assert found.measured < 0.11 * found.accesses
        assert [one.name for one in found.estimates] == list(truth)
        outside += [
            (seed, one, truth[one.name])
            for one in found.estimates
            if not one.low <= truth[one.name] <= one.high
        ]
    assert not outside


def test_what_is_the_same_everywhere_is_known_narrowly(tmp_path: Path) -> None:
    job = Job(str(write(tmp_path / "run.trace", addresses_of("list", 1))), find_preset("modern"))
    first = sample(job, 0.2).estimates[0]
    assert first.value == pytest.approx(_CHUNK * _CHUNKS / 4, rel=0.02)
    assert first.high - first.value < 0.02 * first.value
    assert sample(job, 0.2) == sample(job, 0.2)


def test_the_quantile_is_students() -> None:
    # Two-sided, 95 %: published tables.
    for degrees, quantile in ((4, 2.776), (5, 2.571), (9, 2.262), (19, 2.093), (99, 1.984)):
        assert _student(degrees) == pytest.approx(quantile, rel=0.01)


def test_windows_have_equal_distance_and_the_seed_draws_the_first() -> None:
    found = [sampled_windows(100, 0.1, seed)[0][0] for seed in range(20)]
    assert len(set(found)) > 5
    assert max(found) < 10
    starts = np.array(sampled_windows(100, 0.1, 3))[:, 0]
    assert set(np.diff(starts)) == {10}
    with pytest.raises(AbutError, match="too few of them to sample"):
        sampled_windows(20, 0.1, 1)


@pytest.mark.parametrize("chunks", [13, 29, 100])
def test_the_least_part_that_is_proposed_can_be_taken(chunks: int) -> None:
    with pytest.raises(AbutError) as refused:
        sampled_windows(chunks, 0.01, 1)
    rate = float(re.search(r"take (0\.\d+) or more", refused.value.fix)[1])  # type: ignore[index]
    assert sampled_windows(chunks, rate, 1)
    with pytest.raises(AbutError, match="too few") as refused:
        sampled_windows(4, 1, 1)
    assert "without --sample" in refused.value.fix


def test_a_trace_without_accesses_is_not_sampled(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t") as out:
        out.allocate(32, address=4096)
    with pytest.raises(AbutError, match="no accesses"):
        sample(Job(str(tmp_path / "t"), find_preset("modern")), 0.5)


def test_the_command_samples(tmp_path: Path, abut: Abut) -> None:
    path = write(tmp_path / "run.trace", addresses_of("list", 2))
    done = abut("sim", "--sample", "0.2", "--machine", "zen4,zen5", "--json", str(path))
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)["samples"]
    assert [one["machine"] for one in samples] == ["zen4", "zen5"]
    assert all(0 <= one["estimates"][-1]["low"] < one["estimates"][-1]["high"] for one in samples)
    shown = abut("sim", "--sample", "0.2", str(path))
    assert "at least" in shown.stdout
    assert "in 8 windows" in shown.stdout
    refused = abut("sim", "--sample", "0.2", "--optimum", str(path))
    assert refused.returncode == 2
    assert "--optimum" in refused.stderr
