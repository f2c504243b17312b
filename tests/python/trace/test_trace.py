import json
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abut.errors import AbutError
from abut.trace import EventKind, Frame, Trace, TraceWriter
from abut.trace.steps import steps, text_of
from conftest import Abut

WORD = 8


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two objects: a node that is read and moved, and an array that is swept and never freed."""
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog", "an argument"], machine="a machine") as trace:
        module = trace.module("/nowhere/prog", "00ff", 0x400000, 0x1000)
        context = trace.context([Frame(module, 0x10), Frame(module, 0x20)])
        node = trace.allocate(48, address=0x1000, context=context, time=10)
        array = trace.allocate(800, address=0x2000, time=20)
        trace.access(node, 8)
        trace.resize(node, 64, address=0x9000, moved=True, time=30)
        trace.access(node, 16, 4, write=True)
        for at in range(0, 800, WORD):
            trace.access(array, at)
        trace.access(0, 0x7FFC0000, thread=2)
        trace.access(array, 0, allocator=True)
        trace.free(node, time=40)
    return path


def test_info_says_what_was_recorded(run: Path) -> None:
    info = Trace(run).info
    assert info.command == ["prog", "an argument"]
    assert (info.machine, info.recorder) == ("a machine", "python")
    assert (info.accesses, info.events, info.contexts, info.modules) == (104, 4, 1, 1)
    assert info.totals is not None
    assert info.totals["objects"] == 2
    assert info.file_bytes == run.stat().st_size


def test_batches_hold_columns_in_the_order_of_accesses(run: Path) -> None:
    (batch,) = Trace(run).batches()
    assert len(batch) == 104
    assert batch.object.tolist() == [1, 1, *[2] * 100, 0, 2]
    assert batch.offset[:5].tolist() == [8, 16, 0, 8, 16]
    assert batch.offset[102] == 0x7FFC0000
    assert batch.size[:3].tolist() == [8, 4, 8]
    assert np.flatnonzero(batch.write).tolist() == [1]
    assert np.flatnonzero(batch.side).tolist() == [103]
    assert np.flatnonzero(batch.thread == 2).tolist() == [102]
    assert batch.object.dtype == np.int64
    assert batch.code is None


def test_batches_hold_events_where_they_happened(run: Path) -> None:
    (batch,) = Trace(run).batches()
    kinds = [EventKind.ALLOCATE, EventKind.ALLOCATE, EventKind.MOVE, EventKind.FREE]
    assert batch.events.kind.tolist() == kinds
    assert batch.events.position.tolist() == [0, 0, 1, 104]
    assert batch.events.size.tolist() == [48, 800, 64, 0]
    assert batch.events.address.tolist() == [0x1000, 0x2000, 0x9000, 0]


def test_small_batches_are_the_large_ones_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.trace"
    with TraceWriter(path, chunk_accesses=20_000) as trace:
        for item in (trace.allocate(1 << 20), trace.allocate(64)):
            for at in range(50_000):
                trace.access(item, at % 64 if item == 2 else at * 8)
    whole = np.concatenate([batch.offset for batch in Trace(path).batches(1 << 20)])
    pieces = list(Trace(path).batches(1000))
    assert len(pieces) > 3
    assert np.array_equal(np.concatenate([batch.offset for batch in pieces]), whole)
    firsts = np.cumsum([0, *map(len, pieces)])[:-1].tolist()
    assert [batch.first_access for batch in pieces] == firsts


def test_objects_are_rows_with_lives_and_counts(run: Path) -> None:
    objects = Trace(run).objects()
    assert objects["size"].tolist() == [48, 800]
    assert objects["last_size"].tolist() == [64, 800]
    assert objects["born"].tolist() == [10, 20]
    assert objects["died"].tolist() == [40, -1]
    assert objects["reads"].tolist() == [1, 100]
    assert objects["writes"].tolist() == [1, 0]
    assert objects["allocator_accesses"].tolist() == [0, 1]
    assert "reads" not in Trace(run).objects(accesses=False)


def test_a_sound_trace_checks_clean(run: Path) -> None:
    check = Trace(run).check()
    assert check.clean
    assert check.counts["accesses"] == 104
    assert check.counts["without_object"] == 1
    assert check.counts["live_objects"] == 1


def test_a_second_free_is_found_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "twice.trace"
    with TraceWriter(path) as trace:
        item = trace.allocate(8)
        trace.free(item)
        trace.free(item)
    (violation,) = Trace(path).check().violations
    assert violation.rule == "an object is freed once"
    assert violation.first == "event 2, object 1"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_anywhere_never_yields_what_was_not_recorded(
    run: Path, data: st.DataObject, tmp_path: Path
) -> None:
    whole = run.read_bytes()
    bytes_ = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(16, len(whole) - 1))
        bytes_[at] = data.draw(st.integers(0, 255))
    del bytes_[data.draw(st.integers(16, len(whole))) :]
    path = tmp_path / "damaged.trace"
    path.write_bytes(bytes_)
    trace = Trace(path)
    recorded = [text_of(step) for step in steps(Trace(run))]
    read = [text_of(step) for step in steps(trace)]
    assert read in (recorded, [])
    assert read == recorded or trace.damages


def test_steps_come_in_order_and_begin_where_asked(run: Path) -> None:
    lines = [text_of(step) for step in steps(Trace(run))]
    assert lines[0].startswith("- allocate object 1 size 48 align 16 at 0x1000 ")
    assert lines[2] == "0 read 8 object 1 +8 application thread 1"
    assert lines[3].startswith("- move object 1 size 64 at 0x9000 ")
    assert lines[-2] == "103 read 8 object 2 +0 allocator thread 1"
    assert lines[-1].startswith("- free object 1 ")
    assert [text_of(step) for step in steps(Trace(run), skip=102)] == lines[-3:]


def json_of(result: Any) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    assert document["schema"] == 1
    return document


def test_every_answering_verb_has_json(abut: Abut, run: Path) -> None:
    assert json_of(abut("trace", "info", "--json", str(run)))["accesses"] == 104
    assert json_of(abut("trace", "check", "--json", str(run)))["clean"] is True
    objects = json_of(abut("trace", "objects", "--json", "--by", "accesses", str(run)))["objects"]
    assert [row["object"] for row in objects] == [2, 1]
    contexts = json_of(abut("trace", "contexts", "--json", str(run)))["contexts"]
    assert [row["context"] for row in contexts] == [0, 1]
    assert [place["offset"] for place in contexts[1]["chain"]] == [0x10, 0x20]
    head = json_of(abut("trace", "head", "--json", "-n", "3", str(run)))["steps"]
    assert [step["step"] for step in head] == ["event", "event", "access"]


@pytest.mark.parametrize("verb", ["info", "check", "objects", "contexts", "head"])
def test_every_answering_verb_ends_with_what_to_type_next(abut: Abut, run: Path, verb: str) -> None:
    result = abut("trace", verb, str(run))
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith("next: abut trace ")


def test_what_to_type_next_after_head_goes_on_where_it_ended(abut: Abut, run: Path) -> None:
    lines = abut("trace", "head", "-n", "5", str(run)).stdout.splitlines()
    assert lines[-2].startswith("1 write 4 object 1 ")
    assert lines[-1] == f"next: abut trace head --skip 2 {shlex.quote(str(run))}"


def test_a_check_that_finds_something_exits_with_1(abut: Abut, run: Path) -> None:
    run.write_bytes(run.read_bytes()[:-30])
    result = abut("trace", "check", str(run))
    assert result.returncode == 1
    assert "the end is missing" in result.stderr
    assert "not clean" in result.stdout


@pytest.fixture
def converted(abut: Abut, run: Path, tmp_path: Path) -> Callable[[str], Path]:
    def convert(to: str) -> Path:
        out = tmp_path / to
        result = abut("trace", "convert", "--to", to, "-o", str(out), str(run))
        assert result.returncode == 0, result.stderr
        return out

    return convert


def test_din_has_the_addresses_that_were_recorded(converted: Callable[[str], Path]) -> None:
    lines = converted("din").read_text().splitlines()
    assert len(lines) == 104
    assert lines[:4] == ["0 1008", "1 9010", "0 2000", "0 2008"]
    assert lines[102:] == ["0 7ffc0000", "0 2000"]


def test_parquet_tables_are_read_by_their_column_names(converted: Callable[[str], Path]) -> None:
    import pyarrow.parquet as pq

    folder = converted("parquet")
    objects = pq.read_table(folder / "objects.parquet").to_pydict()
    assert objects["object"] == [1, 2]
    assert objects["died"] == [40, None]
    events = pq.read_table(folder / "events.parquet").to_pydict()
    assert events["kind"] == ["allocate", "allocate", "move", "free"]
    contexts = pq.read_table(folder / "contexts.parquet").to_pydict()
    assert contexts["offset"] == [0x10, 0x20]
    modules = pq.read_table(folder / "modules.parquet").to_pydict()
    assert modules["build_id"] == ["00ff"]


def test_steps_begin_with_the_first_event_where_there_are_many_before_an_access(
    tmp_path: Path,
) -> None:
    with TraceWriter(tmp_path / "t") as out:
        for number in range(200_000):
            out.allocate(16, address=4096 + 16 * number)
        out.access(1, 0)
    trace = Trace(tmp_path / "t")
    assert len(trace.chunks()) > 2
    assert "object 1 " in text_of(next(iter(steps(trace)))) + " "
    assert sum(1 for _ in steps(trace)) == 200_001


@pytest.mark.parametrize("use", ["flush", "finish", "context"])
def test_a_finished_trace_takes_nothing_more(tmp_path: Path, use: str) -> None:
    with TraceWriter(tmp_path / "run.trace") as trace:
        trace.access(0, WORD)
    with pytest.raises(AbutError, match=r"run\.trace: is finished"):
        getattr(trace, use)(*([[]] if use == "context" else []))
    assert Trace(tmp_path / "run.trace").check().clean


@pytest.mark.parametrize("read", ["batches", "events"])
def test_threads_may_read_a_trace_at_a_time(tmp_path: Path, read: str) -> None:
    with TraceWriter(tmp_path / "run.trace", chunk_accesses=100) as out:
        for item in [out.allocate(WORD, address=WORD * at) for at in range(5000)]:
            out.access(item, 0)
    trace = Trace(tmp_path / "run.trace")

    def count(_: int) -> int:
        return sum(map(len, getattr(trace, read)()))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(count, range(100))) == {5000}
    assert trace.damages == []
