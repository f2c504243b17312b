"""Each policy against a slow model; what must hold of all of them; examples worked by hand."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abut.errors import AbutError
from abut.simulation.caches import (
    ALLOCATOR,
    WRITE,
    Caches,
    Level,
    Optimum,
    Utilisation,
    split_by_side,
)
from cache_model import Access, Model, compulsory_capacity_conflict, fewest_misses

LINE = 16
POLICIES = ("lru", "fifo", "plru", "rrip", "random")
# Few lines, so that they meet; runs of one line, so that the short ways are taken; some straddle.
ACCESSES = st.lists(
    st.tuples(st.integers(0, 40 * LINE), st.integers(1, 24), st.booleans()),
    min_size=1,
    max_size=300,
)
LINES = st.lists(st.integers(0, 11), min_size=1, max_size=60)


def feed(simulator: Any, accesses: list[Access], **columns: Any) -> Any:
    addresses, sizes, writes = (np.array(column) for column in zip(*accesses, strict=True))
    return simulator.take(addresses, sizes, writes * WRITE, **columns)


def read_lines(simulator: Any, lines: list[int]) -> Any:
    return simulator.take(np.array(lines) * LINE)


def level(name: str, sets: int, ways: int, **more: Any) -> Level:
    return Level(name, sets * ways * LINE, line=LINE, ways=ways, **more)


@settings(max_examples=60, deadline=None)
@given(
    ACCESSES,
    st.sampled_from(POLICIES),
    st.sampled_from([(1, 4), (3, 2), (4, 1), (2, 8), (1, 12), (6, 5), (1, 16), (1, 32)]),
    st.booleans(),
    st.booleans(),
)
def test_a_cache_does_what_the_model_does(
    accesses: list[Access], policy: str, shape: tuple[int, int], back: bool, allocate: bool
) -> None:
    sets, ways = shape
    if policy == "plru":
        ways = 1 << ways.bit_length() - 1
    behaviour = {"policy": policy, "write_back": back, "write_allocate": allocate}
    model = Model(sets, ways, LINE, **behaviour)  # type: ignore[arg-type]
    for access in accesses:
        model.access(*access)
    (counts,) = feed(Caches([level("L1", sets, ways, **behaviour)]), accesses).counts()
    assert counts.total_accesses == model.accesses
    assert counts.total_misses == model.misses
    assert sum(counts.write_backs) == model.write_backs


@pytest.mark.parametrize(("sets", "ways"), [(16, 8), (12, 12), (8, 16)])
def test_long_runs_that_mostly_hit_do_what_the_model_does(sets: int, ways: int) -> None:
    random = np.random.default_rng(sets)
    count = 12_000
    lines = np.where(random.random(count) < 0.97, random.integers(0, 60, count), 0)
    lines += np.where(random.random(count) < 0.01, random.integers(0, 400, count), 0)
    writes = random.random(count) < 0.2
    accesses: list[Access] = [
        (int(line) * LINE, 8, bool(write)) for line, write in zip(lines, writes, strict=True)
    ]
    model = Model(sets, ways, LINE)
    for access in accesses:
        model.access(*access)
    (counts,) = feed(Caches([level("L1", sets, ways)]), accesses).counts()
    assert counts.total_misses == model.misses
    assert sum(counts.write_backs) == model.write_backs


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("sets", "ways"), [(2, 4), (3, 8), (1, 32)])
def test_long_runs_that_often_miss_do_what_the_model_does(
    policy: str, sets: int, ways: int
) -> None:
    lines = np.random.default_rng(ways).integers(0, 2 * sets * ways, 2000)
    model = Model(sets, ways, LINE, policy)
    for line in lines.tolist():
        model.access(line * LINE, 8, False)
    (counts,) = read_lines(
        Caches([level("L1", sets, ways, policy=policy)]), lines.tolist()
    ).counts()
    assert counts.total_misses == model.misses


@settings(max_examples=60, deadline=None)
@given(
    ACCESSES,
    st.sampled_from(("neither", "inclusive", "exclusive")),
    st.sampled_from(POLICIES),
    st.sampled_from((1, 2)),
    st.booleans(),
)
def test_two_levels_do_what_the_model_does(
    accesses: list[Access], inclusion: str, policy: str, longer: int, back: bool
) -> None:
    line = LINE if inclusion == "exclusive" else LINE * longer
    lower = Model(2, 4, line, policy, inclusion=inclusion)
    upper = Model(2, 2, LINE, "lru", write_back=back, below=lower)
    for access in accesses:
        upper.access(*access)
    first = level("L1", 2, 2, below="L2", write_back=back)
    second = Level("L2", 8 * line, line=line, ways=4, policy=policy, inclusion=inclusion)
    counts = feed(Caches([first, second]), accesses).counts()
    for found, model in zip(counts, (upper, lower), strict=True):
        assert (found.total_accesses, found.total_misses) == (model.accesses, model.misses)
        assert (sum(found.write_backs), found.taken_back) == (model.write_backs, model.taken_back)
    if inclusion == "inclusive":
        assert {number * LINE // line for number in upper.numbers()} <= lower.numbers()
    if inclusion == "exclusive":
        assert not upper.numbers() & lower.numbers()


@settings(max_examples=60, deadline=None)
@given(LINES, st.sampled_from([(2, 2), (4, 1), (1, 4)]))
def test_miss_classes_are_hills(lines: list[int], shape: tuple[int, int]) -> None:
    sets, ways = shape
    classes = compulsory_capacity_conflict(Model(sets, ways, LINE), lines, sets * ways)
    (counts,) = read_lines(Caches([level("L1", sets, ways, classify=True)]), lines).counts()
    assert tuple(counts.classes[0]) == (*classes, 0)
    assert sum(counts.classes[0]) == counts.total_misses


@settings(max_examples=40, deadline=None)
@given(LINES, st.integers(1, 4))
def test_the_optimum_is_what_trying_everything_finds(lines: list[int], ways: int) -> None:
    found = read_lines(Optimum(level("L1", 1, ways)), lines).solve()
    assert sum(found.misses) == fewest_misses(lines, ways)
    assert found.whole


@settings(max_examples=40, deadline=None)
@given(ACCESSES, st.sampled_from(POLICIES), st.sampled_from([(1, 4), (4, 2)]))
def test_no_policy_beats_the_optimum(
    accesses: list[Access], policy: str, shape: tuple[int, int]
) -> None:
    cache = level("L1", *shape, policy=policy)
    (counts,) = feed(Caches([cache]), accesses).counts()
    assert sum(feed(Optimum(cache), accesses).solve().misses) <= counts.total_misses


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_a_larger_fully_associative_lru_cache_never_misses_more(lines: list[int]) -> None:
    misses = [
        read_lines(Caches([level("L1", 1, ways)]), lines).counts()[0].total_misses
        for ways in (1, 2, 3, 5, 8, 20, 40)
    ]
    assert all(more >= less for more, less in pairwise(misses))
    assert misses[-1] == len(set(lines))


@settings(max_examples=40, deadline=None)
@given(ACCESSES, st.sampled_from([(1, 2), (2, 2), (1, 32)]))
def test_utilisation_counts_bytes_between_coming_and_leaving(
    accesses: list[Access], shape: tuple[int, int]
) -> None:
    sets, ways = shape
    used: dict[int, set[int]] = {}
    finished: list[set[int]] = []
    model = Model(sets, ways, LINE)
    for address, size, _ in accesses:
        for number in range(address // LINE, (address + size - 1) // LINE + 1):
            model.use(number, False)
            finished += [used.pop(gone) for gone in set(used) - model.numbers()]
            bytes_here = range(
                max(address, number * LINE), min(address + size, (number + 1) * LINE)
            )
            used.setdefault(number, set()).update(bytes_here)
    finished += used.values()
    counts = feed(Utilisation(level("L1", sets, ways)), accesses).counts()
    assert sum(counts.lines) == len(finished)
    assert sum(counts.used_bytes) == sum(map(len, finished))
    assert sum(counts.by_parts) == len(finished)


@settings(max_examples=30, deadline=None)
@given(ACCESSES, st.integers(1, 50))
def test_how_references_are_cut_into_batches_changes_nothing(
    accesses: list[Access], cut: int
) -> None:
    levels = [level("L1", 2, 2, below="L2", policy="rrip"), level("L2", 4, 4)]
    whole, pieces = Caches(levels), Caches(levels)
    feed(whole, accesses)
    for begin in range(0, len(accesses), cut):
        feed(pieces, accesses[begin : begin + cut])
    assert [one.accesses for one in whole.counts()] == [one.accesses for one in pieces.counts()]
    assert [one.misses for one in whole.counts()] == [one.misses for one in pieces.counts()]


def test_the_textbooks_reference_string() -> None:
    """The reference string of the textbooks: 9 misses of LRU's 12 with three frames are enough."""
    pages = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1]
    misses = {
        policy: read_lines(Caches([level("L1", 1, 3, policy=policy)]), pages).counts()[0]
        for policy in ("fifo", "lru")
    }
    assert misses["fifo"].total_misses == 15
    assert misses["lru"].total_misses == 12
    assert sum(read_lines(Optimum(level("L1", 1, 3)), pages).solve().misses) == 9


def test_fifo_shows_beladys_anomaly() -> None:
    pages = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]
    misses = [
        read_lines(Caches([level("L1", 1, ways, policy="fifo")]), pages).counts()[0].total_misses
        for ways in (3, 4)
    ]
    assert misses == [9, 10]


def test_a_straddling_access_counts_once_a_line() -> None:
    (counts,) = Caches([level("L1", 1, 4)]).take([LINE - 1, LINE - 1], [2, 2]).counts()
    assert (counts.total_accesses, counts.total_misses) == (4, 2)


def test_a_dirty_line_that_an_inclusive_level_takes_back_is_written_to_memory() -> None:
    """Line 0 is hit in L1 all the time, so L2 forgets it and takes it back, dirty."""
    levels = [level("L1", 1, 2, below="L2"), level("L2", 1, 4, inclusion="inclusive")]
    lines = np.array([0, 1, 0, 2, 0, 3, 0, 4]) * LINE
    caches = Caches(levels).take(lines, kinds=[WRITE, 0, 0, 0, 0, 0, 0, 0])
    first, second = caches.counts()
    assert (first.taken_back, sum(first.write_backs)) == (1, 0)
    assert sum(second.write_backs) == 1
    assert caches.memory_bytes == (5 * LINE, LINE)


def test_a_write_that_brings_nothing_leaves_a_miss_for_the_read_after_it() -> None:
    cache = Caches([level("L1", 1, 4, write_allocate=False)])
    (counts,) = cache.take([0, 0, 0], kinds=[WRITE, 0, 0]).counts()
    assert counts.misses == [1, 1, 0, 0]


def test_sides_are_told_apart() -> None:
    cache = Caches([level("L1", 1, 4)])
    cache.take(np.array([0, 16, 0]), kinds=[0, ALLOCATOR | WRITE, ALLOCATOR])
    (counts,) = cache.counts()
    assert counts.accesses == [1, 0, 1, 1]
    assert counts.misses == [1, 0, 0, 1]
    assert counts.of_side(1) == (2, 1)


def test_separate_caches_do_not_disturb_each_other() -> None:
    """Two lines of one set, one of each side, in turn: shared they push each other out."""
    lines = np.array([0, 4] * 10) * LINE
    kinds = np.array([0, ALLOCATOR] * 10)
    levels = (level("L1", 4, 1),)
    (shared,) = Caches(levels).take(lines, kinds=kinds).counts()
    separate = Caches(split_by_side(levels, None)).take(lines, kinds=kinds).counts()
    assert shared.total_misses == 20
    assert [counts.total_misses for counts in separate] == [1, 1]


def test_threads_have_caches_of_their_own_and_share_the_rest() -> None:
    levels = [level("L1", 1, 4, below="L2", per_thread=True), level("L2", 4, 4)]
    first, second = Caches(levels).take([0, 0, 0, 0], threads=[7, 9, 7, 9]).counts()
    assert (first.total_misses, second.total_accesses, second.total_misses) == (2, 2, 1)


def test_sectors_are_fetched_one_by_one() -> None:
    cache = Level("L1", 512, line=128, sector=64, ways=2, classify=True)
    caches = Caches([cache]).take([0, 64, 0, 100])
    (counts,) = caches.counts()
    assert counts.total_misses == 2
    assert counts.classes[0] == [1, 0, 0, 1]
    assert caches.memory_bytes == (128, 0)


def test_misses_are_counted_by_owner() -> None:
    cache = Caches([level("L1", 1, 1)]).take([0, 16, 16, 0], owners=[3, 5, 5, 3])
    assert cache.references_by_owner[[3, 5]].tolist() == [2, 2]
    assert cache.counts()[0].misses_by_owner[[3, 5]].tolist() == [2, 1]


def test_random_replacement_goes_by_its_seed() -> None:
    lines = np.random.default_rng(1).integers(0, 100, 5000) * LINE

    def misses(seed: int) -> int:
        cache = Caches([level("L1", 1, 16, policy="random", seed=seed)])
        return cache.take(lines).counts()[0].total_misses

    assert misses(1) == misses(1) != misses(2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"capacity": 100},
        {"capacity": 0},
        {"line": 48},
        {"ways": 3},
        {"policy": "clairvoyant"},
        {"policy": "plru", "ways": 0, "capacity": 1 << 16},
        {"below": "nowhere"},
        {"below": "L1"},
        {"sector": 1},
        {"degree": 0},
        {"capacity": 1 << 45},
        {"serves": "application"},
        {"inclusion": "exclusive"},
    ],
)
def test_caches_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    settings_ = {"capacity": 64 * LINE, "line": LINE, "ways": 4} | wrong
    with pytest.raises(AbutError):
        Caches([Level("L1", **settings_)])


def test_addresses_and_sizes_of_any_kind_are_taken() -> None:
    numbers = np.array([0, (1 << 64) - 1, 1 << 63, (1 << 51) - 1], np.uint64)
    sizes = np.array([0, (1 << 32) - 1, 1 << 21, 8], np.uint32)
    (counts,) = Caches([level("L1", 2, 2)]).take(numbers, sizes, np.full(4, 255)).counts()
    assert counts.total_accesses >= 4
    with pytest.raises(AbutError, match="as many"):
        Caches([level("L1", 1, 1)]).take(numbers, sizes[:2])


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_memory_is_read_for_who_asks_and_written_for_who_brought(policy: str) -> None:
    lines = np.array([0, 1, 2, 3, 4, 5]) * LINE
    kinds = [WRITE, ALLOCATOR | WRITE, ALLOCATOR, 0, 0, 0]
    caches = Caches([level("L1", 1, 2, policy=policy)]).take(lines, kinds=kinds)
    assert caches.memory_bytes_by_side == [(4 * LINE, LINE), (2 * LINE, LINE)]
    assert caches.memory_bytes == (6 * LINE, 2 * LINE)
