"""What one pass through a recorded run gathers, against counts that anybody would make."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.simulation.caches import Caches
from abut.simulation.replay import feed
from abut.simulation.survey import FIELD_BINS, SIZE_BINS, Survey, survey
from abut.simulation.windows import windows_of
from abut.trace import Trace, TraceWriter
from abut.tuning.objects import read_objects
from report_traces import BUFFER, NODE, SMALL, pairs_trace

NODES = 300
CHUNK = 500


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return pairs_trace(tmp_path / "run.trace", NODES, command=["prog", "</script><b>"], chunk=CHUNK)


def look(path: Path, **more: Any) -> Survey:
    return survey(Trace(path), SMALL, **more)


def test_a_survey_counts_as_the_simulator_does(trace: Path) -> None:
    found = look(trace)
    feed(Trace(trace), [alone := Caches(SMALL.levels)])
    assert found.references == alone.references
    assert [level.misses for level in found.levels] == [level.misses for level in alone.counts()]
    assert found.accesses == Trace(trace).info.accesses == 6 * NODES
    assert found.accesses_by_context[[NODE, BUFFER]].tolist() == [4 * NODES, 2 * NODES]


def test_misses_by_instruction_and_by_context_come_from_one_simulation(trace: Path) -> None:
    found, plain = look(trace, codes=True), look(trace)
    assert found.codes.tolist() == [0x1100, 0x1200, 0x1500]
    assert found.accesses_by_context.tolist() == plain.accesses_by_context.tolist()
    for level, other, code in zip(found.levels, plain.levels, found.code_levels, strict=True):
        assert level.misses_by_owner.tolist() == other.misses_by_owner.tolist()
        assert code.misses_by_owner.sum() == level.total_misses
    by_code = found.code_levels[0].misses_by_owner
    assert by_code[0] == 0
    assert by_code[1] == found.levels[0].misses_by_owner[NODE] - by_code[3]
    assert by_code[2] == found.levels[0].misses_by_owner[BUFFER]


def test_columns_add_up_to_the_whole(trace: Path) -> None:
    found = look(trace)
    timeline = found.timeline
    assert len(timeline.starts) > 1
    assert (np.diff(timeline.starts) > 0).all()
    for row, level in zip(timeline.misses, found.levels, strict=True):
        assert row.sum() == pytest.approx(level.total_misses)
    assert timeline.used_bytes.sum() == pytest.approx(sum(found.use.used_bytes))
    assert timeline.live_bytes[-1] == NODES * 700


def test_of_windows_all_events_and_their_accesses_count(trace: Path) -> None:
    opened = Trace(trace)
    windows = [(1, 2)]
    found = look(trace, windows=windows)
    inside = opened.chunks()[1]
    assert found.accesses == inside.accesses == sum(found.references)
    assert found.census["objects"][[NODE, BUFFER]].tolist() == [NODES, NODES]
    expected: Counter[int] = Counter()
    contexts = opened.objects(accesses=False)["context"]
    for batch in opened.batches(first=1, end=2):
        expected.update(contexts[batch.object - 1].tolist())
    assert {NODE: found.accesses_by_context[NODE], BUFFER: found.accesses_by_context[BUFFER]} == (
        expected
    )


def test_of_windows_strategies_see_all_objects_and_the_accesses_inside(trace: Path) -> None:
    opened = Trace(trace)
    whole, part = read_objects(opened), read_objects(opened, windows=[(1, 2)])
    assert len(part) == len(whole) == 2 * NODES
    assert part.died.tolist() == whole.died.tolist()
    assert whole.heat.sum() == 5 * NODES
    assert part.heat.sum() == sum(
        int((batch.side == 0).sum()) for batch in opened.batches(first=1, end=2)
    )
    assert 0 < len(part.usage.weight) < len(whole.usage.weight)


def test_windows_are_spread_and_hold_about_as_much_as_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long.trace"
    with TraceWriter(path, chunk_accesses=100) as out:
        for number in range(10_000):
            out.access(0, 64 * number)
    opened = Trace(path)
    assert windows_of(opened, 10_000) == []
    windows = windows_of(opened, 2_000)
    chunks = opened.chunks()
    assert (
        1_000
        <= sum(chunks[i].accesses for begin, end in windows for i in range(begin, end))
        <= 3_000
    )
    assert windows[0][0] == 0
    assert windows[-1][1] == len(chunks)
    assert all(one[1] <= other[0] for one, other in pairwise(windows))
    few = windows_of(opened, 3_000, 3)
    assert [end - begin for begin, end in few] == [10, 10, 10]
    assert (few[0][0], few[-1][1]) == (0, len(chunks))


def test_the_map_holds_every_access_and_whose_it_was(trace: Path) -> None:
    picture = look(trace).picture
    rows, columns = len(picture["address"]), picture["columns"]
    accesses = picture["accesses"].reshape(rows, columns)
    assert accesses.sum() == 6 * NODES
    assert picture["allocator"].sum() == NODES
    assert (np.diff(picture["address"]) > 0).all()
    begin, end = picture["address"], picture["address"] + picture["bytes"]
    touched = 0x10000 + 8192 * (NODES - 1) + 16
    assert ((begin <= touched) & (touched < end)).sum() == 1
    owners = picture["owner"].reshape(rows, columns)[accesses > 0]
    assert set(owners.tolist()) <= {NODE, BUFFER}


def test_a_map_of_scattered_addresses_stays_small_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "wide.trace"
    random = np.random.default_rng(1)
    addresses = random.integers(0, 1 << 46, 5_000).tolist()
    with TraceWriter(path) as out:
        for address in addresses:
            out.access(0, address, allocator=True)
    picture = look(path).picture
    assert picture["accesses"].sum() == len(addresses)
    assert picture["granule"] > 64
    assert len(picture["address"]) < 5_000


def test_the_census_knows_sizes_lives_and_neighbours(trace: Path) -> None:
    found = look(trace)
    census = found.census
    sizes = census["sizes"].reshape(-1, SIZE_BINS)
    assert sizes[NODE].nonzero()[0].tolist() == [1]  # 17 to 32 bytes
    assert sizes[BUFFER].nonzero()[0].tolist() == [32]  # up to 1 KiB
    assert census["most_live"][[NODE, BUFFER]].tolist() == [24 * NODES, 700 * NODES]
    assert census["immortal"][[NODE, BUFFER]].tolist() == [0, NODES]
    assert census["lives"].reshape(-1, 64)[NODE].sum() == NODES
    first, second, weight = found.line_mates
    assert list(zip(first.tolist(), second.tolist(), weight.tolist(), strict=True)) == [
        (NODE, BUFFER, NODES)
    ]


def test_heat_is_by_word_and_kind(trace: Path) -> None:
    found = look(trace)
    assert found.reads.shape[1] == FIELD_BINS
    assert found.reads[NODE].nonzero()[0].tolist() == [0, 2]
    assert found.reads[NODE][2] == 2 * NODES
    assert found.writes[BUFFER][64] == 2 * NODES


def test_what_is_used_in_turn_is_used_together(trace: Path) -> None:
    first, second, weight = look(trace).co_accesses
    pairs = {(a, b): w for a, b, w in zip(first, second, weight, strict=True)}
    assert pairs[NODE, BUFFER] > pairs[BUFFER, BUFFER] > 0


def test_an_object_may_become_empty_and_live_on(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "run.trace") as out:
        item = out.allocate(24, address=0x1000)
        for size in (0, 8):
            out.resize(item, size, address=0x1000, moved=False)
        out.resize(item, 0, address=0x1000, moved=False)
        out.free(item)
    census = look(tmp_path / "run.trace").census
    assert (census["live"][0], census["most_live"][0], census["most_live_bytes"]) == (0, 24, 24)
