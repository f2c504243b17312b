"""Trees of caches against slow models: shared and private levels, sectors, sides."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abut.simulation.caches import (
    ALLOCATOR,
    WRITE,
    Caches,
    Level,
    LevelCounts,
    Optimum,
    Utilisation,
)
from cache_model import Model

LINE = 16
THREADS = 3
INCLUSIONS = ("neither", "inclusive", "exclusive")
# A line, whether it is written, and whose access it is: a thread's, or a side's.
Use = tuple[int, bool, int]
USES = st.lists(
    st.tuples(st.integers(0, 23), st.booleans(), st.integers(0, THREADS - 1)),
    min_size=1,
    max_size=200,
)


def level(name: str, sets: int, ways: int, **more: object) -> Level:
    return Level(name, sets * ways * LINE, line=LINE, ways=ways, **more)  # type: ignore[arg-type]


def feed(caches: Caches, uses: Sequence[Use], *, sides: bool = False) -> Caches:
    lines, writes, whose = (np.array(column) for column in zip(*uses, strict=True))
    kinds = writes * WRITE + (whose % 2 * ALLOCATOR if sides else 0)
    return caches.take(lines * LINE, kinds=kinds, threads=None if sides else whose)


def check(found: LevelCounts, models: Sequence[Model]) -> None:
    assert (found.total_accesses, found.total_misses, sum(found.write_backs), found.taken_back) == (
        sum(model.accesses for model in models),
        sum(model.misses for model in models),
        sum(model.write_backs for model in models),
        sum(model.taken_back for model in models),
    )


@settings(max_examples=80, deadline=None)
@given(USES, st.sampled_from(INCLUSIONS), st.sampled_from(INCLUSIONS), st.booleans())
def test_private_over_shared_levels_do_what_the_models_do(
    uses: list[Use], second: str, third: str, sides: bool
) -> None:
    """Each thread, or each side, has a first level; all share a second one and a third."""
    last = Model(2, 6, LINE, inclusion=third)
    middle = Model(2, 3, LINE, inclusion=second, below=last)
    firsts = [Model(1, 2, LINE, below=middle) for _ in range(2 if sides else THREADS)]
    for line, write, whose in uses:
        firsts[whose % len(firsts)].use(line, write)
    shared = (
        level("L2", 2, 3, below="L3", inclusion=second),
        level("L3", 2, 6, inclusion=third),
    )
    tops: tuple[Level, ...] = (level("L1", 1, 2, below="L2", per_thread=True),)
    if sides:
        tops = (
            level("mine", 1, 2, below="L2", serves="application"),
            level("its", 1, 2, below="L2", serves="allocator"),
        )
    counts = feed(Caches((*tops, *shared)), uses, sides=sides).counts()
    by_top = [[model] for model in firsts] if sides else [firsts]
    for found, models in zip(counts, (*by_top, [middle], [last]), strict=True):
        check(found, models)


def held(levels: Sequence[Level], uses: Sequence[Use], number: int, thread: int) -> set[int]:
    """The lines that a level holds after these uses: those that a thread's read of it hits."""
    lines = set()
    for line in range(24):
        caches = feed(Caches(tuple(levels)), uses)
        before = caches.counts()[number]
        after = feed(caches, [(line, False, thread)]).counts()[number]
        if (after.total_accesses, after.total_misses) == (
            before.total_accesses + 1,
            before.total_misses,
        ):
            lines.add(line)
    return lines


@settings(max_examples=15, deadline=None)
@given(USES, st.sampled_from(("lru", "rrip", "plru")))
def test_inclusive_levels_contain_and_exclusive_ones_do_not(uses: list[Use], policy: str) -> None:
    """A thread that has not run yet asks the second level alone what it holds."""
    for inclusion in ("inclusive", "exclusive"):
        levels = (
            level("L1", 1, 4, below="L2", per_thread=True),
            level("L2", 1, 8, inclusion=inclusion, policy=policy),
        )
        one = [(line, write, 0) for line, write, _ in uses]
        first, second = held(levels, one, 0, thread=0), held(levels, one, 1, thread=1)
        assert first
        if inclusion == "inclusive":
            assert first <= second
        else:
            assert not first & second


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12 * 64), st.integers(1, 80)), min_size=1, max_size=200),
    st.sampled_from((8, 16, 32, 64)),
    st.sampled_from(((1, 3), (2, 2), (4, 1))),
)
def test_sectors_do_what_the_model_does(
    accesses: list[tuple[int, int]], sector: int, shape: tuple[int, int]
) -> None:
    sets, ways = shape
    content = [OrderedDict[int, set[int]]() for _ in range(sets)]
    uses = misses = read = 0
    for address, size in accesses:
        touched = dict[int, set[int]]()
        for at in range(address, address + size):
            touched.setdefault(at // 64, set()).add(at // sector)
        for line, sectors in touched.items():
            lines = content[line % sets]
            there = lines.pop(line, set())
            uses += 1
            misses += not sectors <= there
            read += len(sectors - there) * sector
            lines[line] = there | sectors
            if len(lines) > ways:
                lines.popitem(last=False)
    cache = Level("L1", sets * ways * 64, line=64, sector=sector, ways=ways, classify=True)
    caches = Caches([cache]).take(*np.array(accesses).T)
    (counts,) = caches.counts()
    assert (counts.total_accesses, counts.total_misses) == (uses, misses)
    assert caches.memory_bytes == (read, 0)
    assert sum(counts.classes[0]) == misses


def test_random_replacement_keeps_a_line_as_long_as_chance_has_it() -> None:
    """A loop over twice the lines: one of c stays with the chance (1 - 1/c)^(misses of a turn)."""
    ways, loop = 64, 128
    lines = np.tile(np.arange(loop), 400) * LINE
    cache = level("L1", 1, ways, policy="random")
    ratio = Caches([cache]).take(lines).counts()[0].miss_rate
    expected = 0.9
    for _ in range(100):
        expected = 1 - (1 - 1 / ways) ** (expected * loop)
    assert ratio == pytest.approx(expected, abs=0.01)


@settings(max_examples=60, deadline=None)
@given(
    USES,
    st.sampled_from(("lru", "fifo", "plru", "random", "rrip")),
    st.booleans(),
    st.booleans(),
)
def test_classes_sum_to_misses_under_every_policy(
    uses: list[Use], policy: str, back: bool, allocate: bool
) -> None:
    behaviour = {"policy": policy, "write_back": back, "write_allocate": allocate}
    levels = (
        level("L1", 2, 2, below="L2", per_thread=True, classify=True, **behaviour),
        level("L2", 2, 4, classify=True, inclusion="inclusive"),
    )
    for counts in feed(Caches(levels), uses).counts():
        for side in (0, 1):
            assert sum(counts.classes[side]) == counts.of_side(side)[1]
        assert sum(map(sum, counts.classes)) == counts.total_misses


@settings(max_examples=40, deadline=None)
@given(USES)
def test_private_caches_are_used_and_bettered_each_for_itself(uses: list[Use]) -> None:
    """The floor and the use of lines, of caches that threads have of their own."""
    cache = level("L1", 1, 2, per_thread=True)
    lines, _, threads = (np.array(column) for column in zip(*uses, strict=True))
    apart_misses = apart_lines = 0
    for thread in range(THREADS):
        own = lines[threads == thread] * LINE
        apart_misses += sum(Optimum(level("L1", 1, 2)).take(own).solve().misses)
        apart_lines += sum(Utilisation(level("L1", 1, 2)).take(own).counts().lines)
    best = Optimum(cache).take(lines * LINE, threads=threads).solve()
    used = Utilisation(cache).take(lines * LINE, threads=threads).counts()
    (counts,) = Caches([cache]).take(lines * LINE, threads=threads).counts()
    assert sum(best.misses) == apart_misses <= counts.total_misses
    assert sum(used.lines) == apart_lines == counts.total_misses
    assert sum(best.accesses) == len(uses)


def test_a_side_is_bettered_and_used_where_the_cache_serves_it_alone() -> None:
    cache = level("L1", 1, 2, serves="allocator")
    lines, kinds = np.array([0, 1, 2, 0]) * LINE, [0, ALLOCATOR, ALLOCATOR, ALLOCATOR]
    assert Optimum(cache).take(lines, kinds=kinds).solve().accesses == [0, 3]
    assert Utilisation(cache).take(lines, kinds=kinds).counts().lines == [0, 3]


def test_published_examples() -> None:
    """Patterson and Hennessy's on associativity; Jaleel and others' on RRIP (ISCA 2010)."""

    def misses(lines: list[int], sets: int, ways: int, **more: object) -> LevelCounts:
        return Caches([level("L1", sets, ways, **more)]).take(np.array(lines) * LINE).counts()[0]

    # Computer Organization and Design, chapter 5: a direct-mapped cache of eight blocks.
    walk = misses([22, 26, 22, 26, 16, 3, 16, 18, 16], 8, 1, classify=True)
    assert walk.total_misses == 5
    assert walk.classes[0] == [5, 0, 0, 0]
    # The same: four blocks, direct-mapped, in pairs, and in one set.
    blocks = [0, 8, 0, 6, 8]
    assert [misses(blocks, *shape).total_misses for shape in ((4, 1), (2, 2), (1, 4))] == [5, 4, 3]
    assert misses(blocks, 4, 1, classify=True).classes[0] == [3, 0, 2, 0]
    # A scan of four blocks between uses of two: LRU forgets these, RRIP does not.
    scan = [1, 2, 2, 1, 11, 12, 13, 14, 1, 2]
    assert misses(scan, 1, 4, policy="lru").total_misses == 8
    assert misses(scan, 1, 4, policy="rrip").total_misses == 6
