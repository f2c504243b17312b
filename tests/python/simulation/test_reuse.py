"""Reuse distances and their samples, against lists that are searched."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abut.simulation.caches import Level
from abut.simulation.curves import Floors
from abut.simulation.presets import Preset
from abut.simulation.replay import feed
from abut.simulation.reuse import (
    ALLOCATOR,
    APPLICATION,
    MissCurve,
    ReuseDistances,
    SampledCurve,
    SampledReuse,
)
from abut.trace import Trace, TraceWriter

LINE = 64
ALLOCATORS = 2  # among kinds
Column = NDArray[np.uint64]
Reference = tuple[int, int, int]  # address, size, side

references = st.lists(
    st.tuples(st.integers(0, 40 * LINE), st.integers(0, 3 * LINE), st.integers(0, 1)), max_size=120
)


def lines_of(address: int, size: int) -> range:
    return range(address // LINE, (address + max(size, 1) - 1) // LINE + 1)


def lru_misses(run: list[Reference], lines: int) -> list[int]:
    """Misses by side of a cache of so many lines, fully associative, as anybody would write it."""
    cache: list[int] = []
    misses = [0, 0]
    for address, size, side in run:
        for line in lines_of(address, size):
            if line in cache:
                cache.remove(line)
            else:
                misses[side] += 1
            cache.append(line)
            del cache[:-lines]
    return misses


def exact(run: list[Reference]) -> MissCurve:
    return ReuseDistances().take(*columns(run)).curve()


def exact_of(addresses: Column) -> MissCurve:
    return ReuseDistances().take(addresses).curve()


def sampled(
    addresses: Column, blocks: NDArray[np.int64], rate: float = 0.01, most_blocks: int = 0
) -> SampledCurve:
    return SampledReuse(rate, most_blocks=most_blocks).take(addresses).curve(blocks)


def columns(run: list[Reference]) -> tuple[Column, Column, Column]:
    addresses, sizes, sides = np.array(run, np.uint64).reshape(-1, 3).T
    return addresses, sizes, sides * np.uint64(ALLOCATORS)


@settings(deadline=None, max_examples=150)
@given(run=references)
def test_the_curve_is_fully_associative_lru_at_every_size(run: list[Reference]) -> None:
    curve = exact(run)
    sizes = range(1, 50)
    for side in (APPLICATION, ALLOCATOR):
        assert curve.misses(np.array(sizes), side).tolist() == [
            lru_misses(run, n)[side] for n in sizes
        ]
    assert curve.references == sum(len(lines_of(address, size)) for address, size, _ in run)


@settings(deadline=None, max_examples=100)
@given(run=references)
def test_a_sample_of_everything_is_exact_and_has_no_error(run: list[Reference]) -> None:
    sizes = np.arange(1, 50)
    truth = exact(run)
    for most in (0, 10_000):
        curve = SampledReuse(1, most_blocks=most).take(*columns(run)).curve(sizes)
        assert curve.miss_ratios == pytest.approx(truth.miss_ratios(sizes))
        assert curve.errors == pytest.approx(np.zeros(49))
        assert curve.references == truth.references


def test_distances_of_a_known_example() -> None:
    # a b c b a d: between the two b lies c; between the two a lie b and c.
    run = np.array([0, 1, 2, 1, 0, 3], np.uint64) * LINE
    curve = exact_of(run)
    assert curve.distances[APPLICATION].tolist()[:3] == [0, 1, 1]
    assert curve.cold == (4, 0)
    assert curve.misses(np.array([1, 2, 3])).tolist() == [6, 5, 4]


def test_time_runs_out_and_goes_on() -> None:
    """Two blocks, used in turn more often than there are slots of time, stay one apart."""
    run = np.tile(np.array([0, LINE], np.uint64), 5000)
    curve = exact_of(run)
    assert curve.distances[APPLICATION].tolist()[:2] == [0, 9998]


def test_a_loop_over_many_lines_has_one_distance() -> None:
    run = np.tile(np.arange(3000, dtype=np.uint64) * LINE, 4)
    curve = exact_of(run)
    assert np.flatnonzero(curve.distances[APPLICATION]).tolist() == [2999]
    assert curve.misses(np.array([2999, 3000])).tolist() == [12000, 3000]


def skewed_run(count: int, seed: int) -> NDArray[np.uint64]:
    """Blocks of which few are used often, and a part that is swept."""
    random = np.random.default_rng(seed)
    hot = (random.random(count) ** 3 * 40_000).astype(np.uint64) * 48
    swept = np.arange(count // 8, dtype=np.uint64) * 8 + (1 << 32)
    return np.concatenate([hot[: count // 2], swept, hot[count // 2 :], swept])


@pytest.mark.parametrize(("rate", "most"), [(0.1, 0), (1.0, 3000)])
def test_what_a_sample_says_lies_as_near_as_it_says(rate: float, most: int) -> None:
    sizes = np.geomspace(50, 30_000, 12).astype(np.int64)
    within = []
    for seed in range(8):
        run = skewed_run(200_000, seed) + np.uint64(seed << 36)
        truth = exact_of(run).miss_ratios(sizes)
        curve = sampled(run, sizes, rate, most)
        assert (curve.errors < 0.1).all()
        within.append(np.abs(curve.miss_ratios - truth) < 2 * curve.errors + 1e-3)
    # Of normal errors, 95 % lie within twice the standard error.
    assert np.mean(within) > 0.8


def test_a_sample_of_bounded_size_stays_within_it() -> None:
    curve = sampled(skewed_run(100_000, 1), np.array([1]), rate=1, most_blocks=500)
    assert curve.sampled_blocks <= 500
    assert 0 < curve.rate < 0.05


def test_the_same_run_gives_the_same_digits() -> None:
    run = skewed_run(50_000, 3)
    first, second = (sampled(run, np.array([10, 1000])) for _ in range(2))
    assert first.miss_ratios.tobytes() == second.miss_ratios.tobytes()
    assert first.errors.tobytes() == second.errors.tobytes()


@pytest.mark.parametrize("bytes_", [0, 48, 4])
def test_blocks_of_other_sizes_than_powers_of_two_are_refused(bytes_: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        ReuseDistances(bytes_)


@pytest.mark.parametrize("rate", [0, -1, 1.5, float("nan")])
def test_rates_that_are_no_share_are_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        SampledReuse(rate)


def test_a_trace_is_read_where_its_objects_lay(tmp_path: Path) -> None:
    path = tmp_path / "moved.trace"
    with TraceWriter(path) as trace:
        item = trace.allocate(64, address=0x1000)
        trace.access(item, 0)
        trace.resize(item, 128, address=0x2000, moved=True)
        trace.access(item, 0)
        trace.access(item, 60)  # straddles
        trace.access(item, 64, allocator=True)
        trace.access(0, 0x3000, allocator=True)
    sampled, exact = SampledReuse(1), ReuseDistances()
    mine, elsewhere = ReuseDistances(), ReuseDistances()
    feed(Trace(path), [exact, sampled])
    assert exact.curve().cold == (3, 1)
    assert exact.curve().distances[APPLICATION].tolist() == [1]
    assert exact.curve().distances[ALLOCATOR].tolist() == [1]
    assert sampled.curve(np.array([1])).references == 6
    feed(Trace(path), [mine], side="application")
    assert mine.curve().references == 4
    feed(Trace(path), [elsewhere], np.array([0x9000], np.uint64))
    assert elsewhere.curve().cold == (2, 1)


@pytest.mark.parametrize(("capacity", "sizes"), [(480, [64, 448]), (64, [64]), (1024, [256, 1024])])
def test_caches_of_the_best_policy_are_whole_lines(capacity: int, sizes: list[int]) -> None:
    assert Floors(Preset("small", "", (Level("L1", capacity, line=16),))).sizes == sizes
