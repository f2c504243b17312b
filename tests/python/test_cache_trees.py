"""Trees of caches against slow models: shared and private levels, sectors, prefetchers; and what
levels hold, found out by asking them."""

import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import pairwise
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abut.analysis.caches import (
    ALLOCATOR,
    WRITE,
    Caches,
    Level,
    LevelCounts,
    Optimum,
    Prefetches,
    Simulator,
    Utilisation,
)
from abut.analysis.pages import Pages
from abut.analysis.reuse import ReuseDistances, SampledReuse
from cache_model import Model
from conftest import abut_environment

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


class Ahead:
    """What a prefetcher wants after each line, in words; a page has 64 lines."""

    def __init__(self, kind: str, degree: int) -> None:
        self.kind, self.degree = kind, degree
        self.seen: dict[int, list[int]] = {}
        self.ahead: dict[int, int] = {}

    def wants(self, line: int, news: bool) -> list[int]:
        seen = self.seen.setdefault(line // 64, [])
        if self.kind == "next-line":
            return self.run(line, 1, self.degree) if news else []
        if (seen and seen[-1] == line) or (self.kind == "stream" and not news):
            return []
        seen.append(line)
        if self.kind == "stride":
            return self.stride(seen)
        return self.stream(line // 64, seen)

    def stride(self, seen: list[int]) -> list[int]:
        """The last step, if it came twice in a row."""
        if len(seen) < 3 or seen[-1] - seen[-2] != seen[-2] - seen[-3]:
            return []
        return self.run(seen[-1], seen[-1] - seen[-2], self.degree)

    def stream(self, page: int, seen: list[int]) -> list[int]:
        """After three lines in one direction: as many ahead of the last one as `degree` says."""
        ways = [1 if b > a else -1 for a, b in pairwise(seen)]
        if len(ways) < 2 or ways[-1] != ways[-2]:
            self.ahead.pop(page, None)
            return []
        line, way = seen[-1], ways[-1]
        asked = (self.ahead.get(page, line) - line) * way
        wanted = self.run(
            line + max(asked, 0) * way, way, self.degree - min(max(asked, 0), self.degree)
        )
        if wanted:
            self.ahead[page] = wanted[-1]
        return wanted

    def run(self, line: int, step: int, count: int) -> list[int]:
        lines = [line + step * n for n in range(1, count + 1)]
        kept = []
        for one in lines:
            if one // 64 != line // 64:
                break
            kept.append(one)
        return kept


def prefetched(
    lines: Sequence[int], kind: str, degree: int, ways: int, latency: int
) -> tuple[int, Prefetches]:
    """Misses and prefetches of a fully associative LRU cache of so many lines."""
    cache = OrderedDict[int, int | None]()  # line: when it was prefetched, until it is used
    ahead = Ahead(kind, degree)
    misses = issued = timely = late = unused = 0

    def bring(line: int, at: int | None) -> int:
        cache[line] = at
        return int(len(cache) > ways and cache.popitem(last=False)[1] is not None)

    for now, line in enumerate(lines, 1):
        news = cache.get(line, 0) is not None
        if line not in cache:
            misses += 1
            unused += bring(line, None)
        else:
            since = cache.pop(line)
            cache[line] = None
            timely += since is not None and now - since >= latency
            late += since is not None and now - since < latency
        for target in ahead.wants(line, news):
            if target not in cache:
                issued += 1
                unused += bring(target, now)
    return misses, Prefetches(issued, timely, late, unused)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(0, 63), st.integers(-3, 3), st.integers(1, 8)),
        min_size=1,
        max_size=25,
    ),
    st.sampled_from(("next-line", "stride", "stream")),
    st.integers(1, 5),
    st.sampled_from((1, 2, 8, 64)),
    st.sampled_from((0, 3, 20)),
)
def test_prefetchers_do_what_the_models_do(
    runs: list[tuple[int, int, int, int]], kind: str, degree: int, ways: int, latency: int
) -> None:
    """Runs of equal steps on three pages, cut off at the page's ends."""
    lines = [
        page * 64 + min(max(first + step * n, 0), 63)
        for page, first, step, length in runs
        for n in range(length)
    ]
    cache = Level("L1", ways * 64, ways=ways, prefetch=kind, degree=degree, latency=latency)
    (counts,) = Caches([cache]).take(np.array(lines) * 64).counts()
    misses, expected = prefetched(lines, kind, degree, ways, latency)
    assert counts.total_misses == misses
    assert counts.prefetched == expected
    assert counts.prefetched.issued >= counts.prefetched.used + counts.prefetched.unused


def test_a_stream_is_trusted_after_three_lines_upwards_and_downwards() -> None:
    cache = Level("L1", 1 << 16, ways=16, prefetch="stream", degree=1)
    for lines in ([65, 67], [100, 90]):
        assert Caches([cache]).take(np.array(lines) * 64).counts()[0].prefetched.issued == 0
    for lines in ([65, 67, 70], [100, 90, 85]):
        assert Caches([cache]).take(np.array(lines) * 64).counts()[0].prefetched.issued == 1


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


_LONG_RUN = """
import dataclasses
import resource
import numpy as np
from abut.analysis.caches import Caches, Utilisation
from abut.analysis.presets import find_preset
from abut.analysis.reuse import ReuseDistances, SampledReuse

preset = find_preset("modern")
simulators = [
    Caches([dataclasses.replace(level, classify=True) for level in preset.levels]),
    Caches(preset.tlb), Utilisation(preset.levels[0]),
    ReuseDistances(), SampledReuse(0.01), SampledReuse(1, most_blocks=1000),
]
random = np.random.default_rng(1)
run = random.integers(0, 1 << 21, 50_000).astype(np.uint64)
kinds = random.integers(0, 4, len(run)).astype(np.uint8)
owners = random.integers(0, 1000, len(run)).astype(np.uint32)

def peak(times):
    for _ in range(times):
        for one in simulators:
            one.take(run, kinds=kinds, owners=owners)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

print(peak(4), peak(16))
"""


def test_memory_does_not_grow_with_the_length_of_the_run() -> None:
    """The same 2 MiB are gone through again and again: what a run five times as long adds, in KiB.

    Each reference that was kept would cost 8 bytes: 800,000 of them, 6 MiB. (Pages keep some, up to
    a bound: see `test_a_trace_that_grows_too_long_is_reduced_for_larger_memories`.)
    """
    done = subprocess.run(
        [sys.executable, "-c", _LONG_RUN],
        env=abut_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    short, long = map(int, done.stdout.split())
    assert long - short < 3 << 10


@pytest.mark.parametrize(
    "simulator",
    [
        lambda: Caches([level("L1", 64, 8, policy="rrip")]),
        lambda: Utilisation(level("L1", 64, 8)),
        lambda: Optimum(level("L1", 64, 8)),
        ReuseDistances,
        lambda: SampledReuse(1),
        Pages,
    ],
    ids=["caches", "utilisation", "optimum", "reuse", "sampled", "pages"],
)
def test_other_threads_run_while_one_simulates(simulator: Callable[[], Simulator]) -> None:
    run = np.random.default_rng(1).integers(0, 1 << 24, 1_000_000).astype(np.uint64)
    one = simulator()
    assert steps_in_the_middle_of(lambda: one.take(run)) > 10


def test_a_call_that_keeps_pythons_lock_lets_nobody_run() -> None:
    """What the test above stands on."""
    numbers = np.random.default_rng(1).random(1_000_000).tolist()
    assert steps_in_the_middle_of(numbers.sort) == 0


def steps_in_the_middle_of(call: Callable[[], object]) -> int:
    """How often this thread comes round while another is in a call, past its begin and end."""
    times: list[float] = []
    ends: list[float] = []

    def work() -> None:
        ends.append(perf_counter())
        call()
        ends.append(perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        times.append(perf_counter())
    begin, end = ends
    margin = (end - begin) / 5
    return sum(begin + margin < time < end - margin for time in times)
