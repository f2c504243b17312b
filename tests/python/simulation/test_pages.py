"""Pages against memories that are simulated one by one, as anybody would write it."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abut.simulation.pages import (
    PAGE_BYTES,
    PageReport,
    Pages,
    pages_of_trace,
)
from abut.trace import Trace, TraceWriter
from abut.trace.native import native_module

FIRST_PAGE = 0x5000
SIDES = ("application", "allocator")
ALLOCATORS = 2  # among kinds


class Step(NamedTuple):
    page: int
    side: int
    discard: bool


steps = st.lists(
    st.builds(
        Step,
        st.integers(0, 11) | st.integers(0, 2),
        st.integers(0, 1),
        st.integers(0, 9).map(lambda draw: draw == 0),
    ),
    max_size=200,
)


class Memory:
    """An LRU memory of `frames` pages; a page that is given back leaves its frame empty."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.queue: list[int] = []
        self.in_use: set[int] = set()
        self.misses: list[tuple[int, int]] = []
        self.zero_filled = 0

    def take(self, step: Step) -> None:
        is_here = step.page in self.queue
        if is_here:
            self.queue.remove(step.page)
        if step.discard:
            self.in_use.discard(step.page)
            return
        if not is_here:
            if step.page in self.in_use:
                self.misses.append((step.page, step.side))
            else:
                self.zero_filled += 1
        self.in_use.add(step.page)
        self.queue.append(step.page)
        del self.queue[: -self.frames]


def ahead(misses: list[tuple[int, int]], buffer_pages: int, group: int) -> tuple[int, int]:
    """How many of the misses a swap that reads ahead covers, and how many not."""
    buffer: list[int] = []
    covered = 0
    for page, _ in misses:
        if page in buffer:
            buffer.remove(page)
            covered += 1
            continue
        first = page - page % group
        for other in range(first, first + group):
            if other not in (page, *buffer):
                buffer.append(other)
                del buffer[:-buffer_pages]
    return covered, len(misses) - covered


@settings(deadline=None, max_examples=200)
@given(run=steps, exact_from=st.integers(1, 6), buffer=st.integers(1, 12))
def test_every_memory_misses_what_it_would_alone(
    run: list[Step], exact_from: int, buffer: int
) -> None:
    sizes = list(range(exact_from, 14))
    memories = [Memory(size) for size in sizes]
    model = native_module().PageModel(exact_from, 1 << 20)
    for step in run:
        address = (FIRST_PAGE + step.page) * PAGE_BYTES
        if step.discard:
            model.discard(address, PAGE_BYTES)
        else:
            kinds = np.array([ALLOCATORS * step.side], np.uint8)
            model.take(np.array([address], np.uint64), None, kinds)
        for memory in memories:
            memory.take(step)
    curve = model.curve(np.array(sizes, np.uint32), buffer, 4)
    for size, memory, row in zip(sizes, memories, curve["prefetch"], strict=True):
        for side, name in enumerate(SIDES):
            expected = [miss for miss in memory.misses if miss[1] == side]
            assert curve[name][size + 1 :].sum() == len(expected), (size, name)
        shifted = [(FIRST_PAGE + page, side) for page, side in memory.misses]
        assert (row[0] + row[1], row[2] + row[3]) == ahead(shifted, buffer, 4)
    zero_filled = sum(int(curve[name][0]) for name in SIDES if len(curve[name]))
    assert zero_filled == memories[0].zero_filled
    assert model.use()["in_use"] == len(memories[0].in_use)


def pages_of(
    run: NDArray[np.uint64], *, exact_from: int = 64, memories: Sequence[int] = ()
) -> PageReport:
    return Pages(exact_from).take(run).report(memories)


def looped(pages: int, times: int) -> NDArray[np.uint64]:
    return np.tile(np.arange(pages, dtype=np.uint64) * PAGE_BYTES, times)


def test_a_loop_misses_always_in_a_memory_that_is_too_small_by_one_page() -> None:
    report = pages_of(looped(100, 5))
    assert report.misses(np.array([99, 100])).tolist() == [400, 0]
    assert report.first_touches == 100
    assert report.enough_pages == 100
    assert report.use.most_pages_in_use == 100


def test_reading_ahead_covers_seven_of_eight_misses_of_a_sweep() -> None:
    report = pages_of(looped(1024, 3), memories=[512])
    (half,) = report.prefetch
    assert (half.misses, half.others) == (2048, 256)
    assert half.prefetchable_share == 7 / 8


def test_reading_ahead_covers_nothing_of_a_sweep_over_every_eighth_page() -> None:
    run = looped(1024, 3) * np.uint64(8)
    report = pages_of(run, memories=[512])
    assert report.prefetch[0].prefetchable == 0


def test_what_stays_in_the_smallest_memory_is_left_out_of_the_trace() -> None:
    random = np.random.default_rng(1)
    run = random.integers(0, 60, 100_000).astype(np.uint64) * PAGE_BYTES
    report = pages_of(run)
    assert report.touches > 90_000
    assert report.steps <= 120
    assert report.misses(np.array([64])).tolist() == [0]


def test_a_trace_that_grows_too_long_is_reduced_for_larger_memories() -> None:
    random = np.random.default_rng(1)
    run = random.integers(0, 400, 100_000).astype(np.uint64) * PAGE_BYTES
    model = native_module().PageModel(16, 5000)
    model.take(run)
    exact = pages_of(run, exact_from=16)
    use = model.use()
    assert use["exact_from"] > 16
    assert use["steps"] <= 5000
    sizes = np.arange(use["exact_from"], 410)
    curve = model.curve(np.zeros(0, np.uint32), 256, 8)["application"]
    assert [curve[size + 1 :].sum() for size in sizes] == exact.misses(sizes).tolist()


def test_fragmentation_is_pages_over_the_pages_of_what_was_asked_for(tmp_path: Path) -> None:
    """Vam, section 4.4: the most pages in use over the most live data, as requested."""
    path = tmp_path / "run.trace"
    with TraceWriter(path) as trace:
        items = [trace.allocate(1024, address=0x10000 + 0x1000 * i) for i in range(8)]
        for item in items:
            trace.access(item, 0, write=True)
        trace.access(0, 0x7FFC0000, write=True)  # the program's stack
        for item in items[1:]:
            trace.free(item)
        grown = items[0]
        trace.resize(grown, 2048, address=0x40000, moved=True)
        trace.access(grown, 2040)
    use = pages_of_trace(Trace(path)).use
    assert use.most_live_bytes == 8 * 1024
    assert use.live_bytes == 2048
    assert use.most_pages_in_use == 9
    assert use.fragmentation == 9 / 2


def test_a_trace_without_objects_counts_all_accesses(tmp_path: Path) -> None:
    path = tmp_path / "foreign.trace"
    with TraceWriter(path) as trace:
        for page in range(10):
            trace.access(0, (page + 1) * PAGE_BYTES)
    report = pages_of_trace(Trace(path))
    assert report.use.most_pages_in_use == 10
    assert report.use.fragmentation is None


def test_a_layout_that_packs_what_is_used_needs_fewer_pages(tmp_path: Path) -> None:
    """One object of each page is used again and again: packed, they fit on one page."""
    path = tmp_path / "sparse.trace"
    with TraceWriter(path) as trace:
        items = [trace.allocate(64, address=0x100000 + 64 * i) for i in range(64 * 200)]
        for item in items:
            trace.access(item, 0, write=True)
        for _ in range(3):
            for item in items[::64]:
                trace.access(item, 8)
    used_first = np.argsort(np.arange(len(items)) % 64 != 0, kind="stable")
    places = np.zeros(len(items), np.uint64)
    places[used_first] = 0x100000 + 64 * np.arange(len(items), dtype=np.uint64)
    sizes = np.array([150])
    assert pages_of_trace(Trace(path)).misses(sizes)[0] == 3 * 200
    same = pages_of_trace(Trace(path), layout="random", seed=7)
    assert same.misses(sizes)[0] == pages_of_trace(Trace(path), layout="random", seed=7).misses(
        sizes
    )
    assert pages_of_trace(Trace(path), layout=places).misses(sizes)[0] <= 200 // 64 + 1


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="page"):
        Pages(0)
    with pytest.raises(ValueError, match="page"):
        Pages().native.curve(np.zeros(0, np.uint32), 1, 6)


def test_memories_that_were_not_told_apart_are_refused() -> None:
    report = pages_of(looped(100, 2), exact_from=32)
    assert report.misses(np.array([32])).tolist() == [100]
    with pytest.raises(ValueError, match="32 pages"):
        report.misses(np.array([31]))
    (half,) = Pages(32).take(looped(40, 2)).report(shares=[0.5]).prefetch
    assert half.memory_pages == 32


def test_curves_fall() -> None:
    random = np.random.default_rng(2)
    report = pages_of(random.integers(0, 1 << 22, 20_000).astype(np.uint64))
    misses = report.misses(np.arange(64, 1100, 50)).tolist()
    assert all(before >= after for before, after in pairwise(misses))
