"""Prefetchers: worked examples, and a model in plain words that says what each asks for."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abut.simulation.caches import Caches, Level, Prefetches


def test_next_line_prefetching_halves_the_misses_of_a_sweep_and_stops_at_the_page() -> None:
    cache = Level("L1", 1 << 20, line=64, ways=16, prefetch="next-line", latency=0)
    (counts,) = Caches([cache]).take(np.arange(0, 2 * 4096, 64)).counts()
    assert counts.total_misses == 2, "one for each page: none is prefetched across"
    assert counts.prefetched.issued == 2 * 63
    assert counts.prefetched.accuracy == counts.prefetched.timeliness == 1
    assert counts.prefetched.coverage(counts.total_misses) == 126 / 128


def test_prefetches_that_come_too_late_or_in_vain_are_told() -> None:
    cache = Level("L1", 2 * 64, line=64, ways=2, prefetch="next-line", latency=5)
    (counts,) = Caches([cache]).take([0, 64, 8192, 16384, 24576]).counts()
    assert (counts.prefetched.late, counts.prefetched.timely) == (1, 0)
    assert counts.prefetched.unused >= 2


@pytest.mark.parametrize(
    ("prefetch", "steps"), [("stride", [0, 3, 6, 9]), ("stream", [0, 2, 5, 6])]
)
def test_prefetchers_learn_what_they_are_made_for(prefetch: str, steps: list[int]) -> None:
    cache = Level("L1", 1 << 16, line=64, ways=16, prefetch=prefetch, degree=1)
    (counts,) = Caches([cache]).take(np.array(steps) * 64).counts()
    assert counts.total_misses == 3, "the fourth was foretold by the three before"


def test_what_was_fetched_ahead_is_no_demand_of_any_level_below() -> None:
    """A miss at one level is an access at the next; a prefetch is counted as such all the way."""
    levels = [
        Level("L1", 1 << 12, ways=4, below="L2", prefetch="next-line"),
        Level("L2", 1 << 14, ways=4, below="L3", prefetch="stream", degree=2),
        Level("L3", 1 << 16, ways=4),
    ]
    first, second, third = Caches(levels).take(np.arange(0, 1 << 20, 128)).counts()
    assert first.prefetched.issued > 0
    assert second.prefetched.issued > 0
    assert second.total_accesses == first.total_misses
    assert third.total_accesses == second.total_misses
    assert third.prefetch_fetches > 0


class Ahead:
    """What a prefetcher asks for after each line, in words; a page has 64 lines."""

    def __init__(self, kind: str, degree: int) -> None:
        self.kind, self.degree = kind, degree
        self.seen: dict[int, list[int]] = {}
        self.asked: dict[int, set[int]] = {}

    def asks_for(self, line: int, is_new: bool) -> list[int]:
        seen = self.seen.setdefault(line // 64, [])
        if self.kind == "next-line":
            return self.run(line, 1, self.degree) if is_new else []
        if self.kind == "stream":
            return self.stream(line, seen) if is_new else []
        if seen and seen[-1] == line:
            return []
        seen.append(line)
        return self.stride(seen)

    def stride(self, seen: list[int]) -> list[int]:
        """The last step, if it came twice in a row."""
        if len(seen) < 3 or seen[-1] - seen[-2] != seen[-2] - seen[-3]:
            return []
        return self.run(seen[-1], seen[-1] - seen[-2], self.degree)

    def stream(self, line: int, seen: list[int]) -> list[int]:
        """Where three of 32 lines in a row were touched: the next ones that were not asked for."""
        asked = self.asked.setdefault(line // 64, set())
        if line in seen:
            seen.clear()
            asked.clear()
        seen.append(line)
        before = sum(line - 31 <= one < line for one in seen)
        after = sum(line < one <= line + 31 for one in seen)
        if max(before, after) + 1 < 3:
            return []
        ahead = self.run(line, 1 if before >= after else -1, self.degree)
        wanted = [one for one in ahead if one not in seen and one not in asked]
        asked.update(wanted)
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
        is_new = cache.get(line, 0) is not None
        if line not in cache:
            misses += 1
            unused += bring(line, None)
        else:
            since = cache.pop(line)
            cache[line] = None
            timely += since is not None and now - since >= latency
            late += since is not None and now - since < latency
        for target in ahead.asks_for(line, is_new):
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


def test_a_stream_is_three_of_32_lines_upwards_and_downwards() -> None:
    cache = Level("L1", 1 << 16, ways=16, prefetch="stream", degree=1)
    for lines in ([65, 67], [100, 90], [65, 97, 98], [126, 94, 93], [62, 63, 64]):
        assert Caches([cache]).take(np.array(lines) * 64).counts()[0].prefetched.issued == 0, lines
    for lines in ([65, 67, 70], [67, 65, 70], [100, 90, 85], [65, 66, 96]):
        assert Caches([cache]).take(np.array(lines) * 64).counts()[0].prefetched.issued == 1, lines


@pytest.mark.parametrize("step", [1, -1])
def test_a_stream_asks_for_lines_of_each_page_whatever_their_length(step: int) -> None:
    missed = {}
    for line in (64, 128, 256):
        sweep = np.arange(16 * 4096 // line)[::step] * line + 0x10000000
        cache = Caches([Level("L1", 1 << 20, line=line, prefetch="stream", degree=8)])
        missed[line] = cache.take(sweep).counts()[0].total_misses
    # A region of 64 lines spans 1, 2 or 4 pages; once it is trained, a page's first line is enough.
    assert missed == {64: 16 * 3, 128: 8 * (3 + 1), 256: 4 * (3 + 1 + 1 + 1)}
