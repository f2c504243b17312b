"""Medians, ratios and geometric means keep the laws that readers take for granted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abut.measure.statistics import FEWEST, Estimate, geometric_mean, median, ratio

positive = st.floats(min_value=1e-6, max_value=1e6)
samples = st.lists(positive, min_size=FEWEST, max_size=30)
seeds = st.integers(min_value=0, max_value=2**32)


def constant(value: float) -> Estimate:
    return Estimate(value, np.full(10, value))


def ends(estimate: Estimate) -> tuple[float, float]:
    """Of the interval, which there is."""
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


@given(samples, seeds)
def test_interval_of_the_median_contains_it_and_stays_within_the_samples(
    values: list[float], seed: int
) -> None:
    estimate = median(values, seed)
    (low, high), slack = ends(estimate), 1e-9 * max(values)
    assert low - slack <= estimate.value <= high + slack
    assert min(values) - slack <= low
    assert high <= max(values) + slack


@given(samples, seeds)
def test_same_seed_gives_the_same_interval(values: list[float], seed: int) -> None:
    one, other = median(values, seed), median(values, seed)
    assert (one.low, one.high) == (other.low, other.high)


@given(positive, st.integers(min_value=FEWEST, max_value=20))
def test_equal_samples_leave_no_doubt(value: float, count: int) -> None:
    estimate = median([value] * count, 1)
    assert estimate.low == estimate.value == estimate.high == value


@pytest.mark.parametrize("count", range(1, FEWEST))
def test_few_samples_have_no_interval_nor_what_is_made_of_them(count: int) -> None:
    few, many = median([2.0] * count, 1), median([1.0] * FEWEST, 1)
    ratios = [ratio(few, many), ratio(many, few), ratio(many, many)]
    for one in (few, *ratios[:2], geometric_mean([one for one in ratios if one])):
        assert one is not None
        assert (one.low, one.high, one.half_width) == (None, None, None)
    assert (few.value, [one.value for one in ratios if one]) == (2.0, [2.0, 0.5, 1.0])


def test_the_interval_narrows_with_more_samples() -> None:
    generator = np.random.default_rng(5)
    few, many = (median(list(generator.normal(100, 10, count)), 1) for count in (8, 800))
    assert np.ptp(ends(many)) < np.ptp(ends(few))


def test_intervals_cover_the_true_median_about_as_often_as_they_claim() -> None:
    generator = np.random.default_rng(7)
    trials = [median(list(generator.normal(50, 5, 25)), seed) for seed in range(200)]
    covered = sum(low <= 50 <= high for low, high in map(ends, trials)) / len(trials)
    assert 0.88 <= covered <= 1.0


@given(samples, positive, seeds)
def test_drift_common_to_both_falls_out_of_a_ratio(
    values: list[float], factor: float, seed: int
) -> None:
    scaled = [factor * value for value in values]
    found = ratio(median(scaled, seed), median(values, seed))
    assert found is not None
    assert math.isclose(found.value, factor, rel_tol=1e-9)
    assert math.isclose(*ends(found), rel_tol=1e-9)


def test_there_is_no_ratio_to_nothing() -> None:
    assert ratio(constant(1), constant(0)) is None
    assert ratio(constant(0), constant(1)) is None


@given(st.lists(positive, min_size=1, max_size=12))
def test_geometric_mean_lies_between_the_extremes(values: list[float]) -> None:
    mean = geometric_mean([constant(value) for value in values])
    assert mean is not None
    assert min(values) * (1 - 1e-9) <= mean.value <= max(values) * (1 + 1e-9)


@given(st.lists(positive, min_size=1, max_size=12), positive)
def test_geometric_mean_scales_and_inverts(values: list[float], factor: float) -> None:
    mean = geometric_mean([constant(value) for value in values])
    scaled = geometric_mean([constant(factor * value) for value in values])
    inverse = geometric_mean([constant(1 / value) for value in values])
    assert mean is not None
    assert scaled is not None
    assert inverse is not None
    assert math.isclose(scaled.value, factor * mean.value, rel_tol=1e-6)
    assert math.isclose(inverse.value * mean.value, 1, rel_tol=1e-6)


def test_there_is_no_geometric_mean_of_nothing() -> None:
    assert geometric_mean([]) is None
    assert geometric_mean([constant(2), constant(0)]) is None
