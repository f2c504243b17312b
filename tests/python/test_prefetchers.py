import numpy as np
import pytest

from abut.analysis.caches import Caches, Level


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
