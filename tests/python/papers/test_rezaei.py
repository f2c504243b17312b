"""Rezaei and Kavi's figures: caches that both sides share, and caches of their own."""

from pathlib import Path

import pytest

from abut.simulation.presets import find_preset
from abut.trace import TraceWriter
from abut_papers.allocators.tables import AllocatorsResult
from abut_papers.rezaei.bench import RezaeiResult, Row, rows_of


def test_rezaeis_shares_are_his_and_signed() -> None:
    row = Row("loop", "glibc", "rezaei-8k", 1000, 100, 80, 500, 60, 500, 5)
    assert row.removed == pytest.approx(0.4)
    assert row.rate_change == pytest.approx(0.2), "fewer misses, but of far fewer accesses"
    assert row.pollution == pytest.approx(0.25)
    (table,) = RezaeiResult([row], AllocatorsResult([], ["lea"])).tables()
    assert table.title == "rezaei-8k: the first level (figures 1, 2 and 5)"
    assert [list(column.cells) for column in table.columns[-2:]] == [["5", ""], ["1.00%", ""]]
    removed, change = RezaeiResult([row], AllocatorsResult([], ["lea"])).claims()
    assert (removed[1:3], change[1:3]) == (("26%", "40%"), ("-70%", "+20%"))


def test_sides_that_evict_each_other_miss_once_each_with_caches_of_their_own(
    tmp_path: Path,
) -> None:
    """Two lines of a direct-mapped cache of 8 KiB, 8 KiB apart: in turn, each access is a miss."""
    with TraceWriter(tmp_path / "run.trace") as trace:
        item = trace.allocate(32, address=0x10000)
        for _ in range(10):
            trace.access(item, 0)
            trace.access(0, 0x10000 + (8 << 10), allocator=True)
    (row,) = rows_of(tmp_path / "run.trace", "loop", "lea", [find_preset("rezaei-8k")])
    assert (row.shared_accesses, row.shared_misses, row.application_misses_shared) == (20, 20, 10)
    assert (row.alone_accesses, row.alone_misses) == (10, 1)
    assert (row.allocator_accesses, row.allocator_misses) == (10, 1)
    assert row.pollution == pytest.approx(0.9)
