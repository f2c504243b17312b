"""What lies on lines, which fields are used together, what threads take from each other."""

import random
from pathlib import Path

import pytest

from abut.advice.advise import advise
from abut.advice.sample import Closeup, Sample
from abut.simulation.report import Request
from abut.trace import Frame, Trace, TraceWriter
from report_traces import SMALL, pairs_trace

NODE, TEXT = 1, 2


def closeup_of(path: Path) -> Closeup:
    return Sample(Trace(path), SMALL).closeup


def writer(path: Path) -> tuple[TraceWriter, list[int]]:
    out = TraceWriter(path, command=["prog"])
    module = out.module("/nowhere/prog", "", 0x1000, 0x1000)
    return out, [out.context([Frame(module, at)]) for at in (0x10, 0x18)]


def test_words_of_a_line_belong_to_who_lies_there(tmp_path: Path) -> None:
    out, (node, text) = writer(tmp_path / "t")
    with out:
        first = out.allocate(16, address=0x10000, context=node)
        out.allocate(16, address=0x10010, context=node)
        out.allocate(16, address=0x10020, context=text)
        out.access(first, 0, 8)
    found = closeup_of(tmp_path / "t")
    names = ("lines", "used", "own", "alike", "others")
    assert [found.sum_of(name, [NODE]) for name in names] == [1, 1, 1, 2, 2]
    first_of, second_of, words = found.mates
    assert set(zip(first_of, second_of, words, strict=True)) == {(NODE, NODE, 2), (NODE, TEXT, 2)}
    assert found.sum_of("lines", [TEXT]) == 0


def test_what_was_freed_is_nobodys(tmp_path: Path) -> None:
    out, (node, text) = writer(tmp_path / "t")
    with out:
        kept = out.allocate(16, address=0x10000, context=node)
        out.free(out.allocate(48, address=0x10010, context=text))
        out.access(kept, 0, 16)
    found = closeup_of(tmp_path / "t")
    assert [found.sum_of(name, [NODE]) for name in ("used", "others")] == [2, 0]


def test_second_lines_of_what_would_fit_in_one_are_counted(tmp_path: Path) -> None:
    out, (node, _) = writer(tmp_path / "t")
    with out:
        for address in (0x10030, 0x20000):
            one = out.allocate(40, address=address, context=node)
            out.access(one, 0, 8)
            out.access(one, 32, 8)
    found = closeup_of(tmp_path / "t")
    # The second line of the first finds the first one there.
    assert [found.sum_of(name, [NODE]) for name in ("lines", "straddled")] == [3, 1]
    assert found.row_of("by_field", [NODE])[:5].tolist() == [2, 0, 0, 0, 1]
    assert found.row_of("uses", [NODE])[:5].tolist() == [2, 0, 0, 0, 2]


def test_fields_used_in_one_visit_are_a_set(tmp_path: Path) -> None:
    out, (node, _) = writer(tmp_path / "t")
    with out:
        nodes = [out.allocate(64, address=0x10000 + 64 * n, context=node) for n in range(100)]
        for one in nodes:
            out.access(one, 0, 8)
            out.access(one, 24, 16)
    assert closeup_of(tmp_path / "t").visits([NODE]) == [(0b11001, 100)]


@pytest.mark.parametrize(("offset", "kind"), [(8, "false"), (0, "true")])
def test_threads_that_write_one_line_in_turn_share_it(
    tmp_path: Path, offset: int, kind: str
) -> None:
    out, (node, _) = writer(tmp_path / "t")
    with out:
        one = out.allocate(64, address=0x10000, context=node)
        for _ in range(10):
            out.access(one, 0, 8, write=True, thread=1)
            out.access(one, offset, 8, write=True, thread=2)
    found = closeup_of(tmp_path / "t")
    falsely, truly = int(found.false_sharing[NODE]), int(found.true_sharing[NODE])
    assert (falsely > 15, truly > 15) == (kind == "false", kind == "true")
    fields = {pair[:4] for pair in found.sharing_pairs}
    assert fields == ({(NODE, 0, NODE, 1), (NODE, 1, NODE, 0)} if kind == "false" else set())


def test_what_one_thread_hands_to_another_is_not_shared(tmp_path: Path) -> None:
    out, (node, _) = writer(tmp_path / "t")
    with out:
        one = out.allocate(64, address=0x10000, context=node)
        for thread in (1, 2):
            for _ in range(10):
                out.access(one, 8, 8, write=True, thread=thread)
    found = closeup_of(tmp_path / "t")
    assert int(found.false_sharing.sum() + found.true_sharing.sum()) == 0


def test_what_is_used_of_pages_is_counted_for_who_brings_them(tmp_path: Path) -> None:
    """Nodes come first to pages that four at a time stay: twice with a buffer, and once alone."""
    found = advise(Request(str(pairs_trace(tmp_path / "t", 300)), SMALL))["culprits"]
    used = {one["size"]: one["page_use"] for one in found}
    assert used[24] == pytest.approx((2 * 2 + 1) / 3 * 64 / 4096)  # in lines of 64 bytes
    assert used[700] is None


def test_a_report_says_what_threads_take_from_each_other(tmp_path: Path) -> None:
    trace = pairs_trace(tmp_path / "t", 300, threads=2)
    (row,) = advise(Request(str(trace), SMALL))["sharing"]
    assert (row["name"], row["true"]) == ("700-byte objects in prog+0x18", 0)
    fields = {(one["missed"], one["written"]) for one in row["fields"]}
    assert fields == {
        (f"+{a} of 700-byte objects", f"+{b} of 700-byte objects")
        for a, b in ((640, 648), (648, 640))
    }
    assert row["false"] == sum(one["misses"] for one in row["fields"]) > 0
    assert advise(Request(str(pairs_trace(tmp_path / "one", 300)), SMALL))["sharing"] == []


def test_what_threads_write_in_one_object_is_given_lines_by_field(tmp_path: Path) -> None:
    out, (node, _) = writer(tmp_path / "t")
    with out:
        one = out.allocate(64, address=0x10000, context=node)
        for _ in range(2000):
            for thread in (1, 2):
                out.access(one, 8 * thread, 8, write=True, thread=thread)
    (found,) = advise(Request(str(tmp_path / "t"), SMALL))["culprits"]
    fields = "+16 of 64-byte objects and +8 of 64-byte objects"
    assert found["action"]["title"] == f"give {fields} lines of their own"
    assert found["action"]["code"].endswith(f"alignas(64)   /* of each: {fields} */")


def test_an_order_that_holds_only_where_it_was_found_gains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part of the run uses other objects together, by chance."""
    chance = random.Random(1)
    with TraceWriter(tmp_path / "t", command=["prog"], chunk_accesses=200) as out:
        module = out.module("/nowhere/prog", "0f", 0x1000, 0x1000)
        node = out.context([Frame(module, 0x10)])
        nodes = [out.allocate(32, address=0x10000 + 32 * n, context=node) for n in range(2000)]
        for _ in range(40):
            used = chance.sample(nodes, 50)
            for one in 4 * used:
                out.access(one, 0, 8)
    monkeypatch.setattr("abut.advice.sample.ACCESSES", 7000)

    def gain_of_an_order() -> float:
        (found,) = advise(Request(str(tmp_path / "t"), SMALL))["culprits"]
        return next(float(one["gain"]) for one in found["tried"] if one["kind"] == "order")

    assert gain_of_an_order() < 0.02
    monkeypatch.setattr("abut.advice.advise._HALVED", 1000)
    assert gain_of_an_order() > 0.1
