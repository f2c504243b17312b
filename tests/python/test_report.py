"""`abut report`: what one pass gathers, against counts that anybody would make; and the page."""

import base64
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.analysis.caches import Caches, Level
from abut.analysis.presets import Preset
from abut.analysis.report import Request, trace_report
from abut.analysis.reuse import feed
from abut.analysis.run_document import distinct_names
from abut.analysis.survey import FIELD_BINS, SIZE_BINS, Survey, survey, windows_of
from abut.commands.report import command
from abut.errors import AbutError
from abut.reporters.html import data_of, page
from abut.reporters.report import report_document
from abut.reporters.report_words import cards
from abut.trace import Trace, TraceWriter
from conftest import Abut
from report_traces import BUFFER, NODE, pairs_trace

NODES = 300
CHUNK = 500
SMALL = Preset(
    "small",
    "two small levels",
    (Level("L1", 1024, below="L2", ways=2, cycles=1), Level("L2", 16384, ways=4, cycles=10)),
    tlb=(Level("TLB", 4 * 4096, line=4096, ways=4, cycles=1),),
    memory_cycles=100,
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return pairs_trace(tmp_path / "run.trace", NODES, command=["prog", "</script><b>"], chunk=CHUNK)


def look(path: Path, **more: Any) -> Survey:
    return survey(Trace(path), SMALL, **more)


def test_a_survey_counts_as_the_simulator_does(trace: Path) -> None:
    found = look(trace)
    alone = feed(Trace(trace), Caches(SMALL.levels))
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


def report_of(trace: Path, **more: Any) -> dict[str, Any]:
    return trace_report(Request(str(trace), SMALL, **more))


def test_the_page_is_one_file_with_its_data_inside(trace: Path) -> None:
    report = report_of(trace)
    document = report_document([report], [], [], arguments=["run.trace"])
    text = page(document)
    assert data_of(text) == json.loads(json.dumps(document))
    assert not re.search(r'(?:src|href)="(?!#)', text)
    assert "<b>" not in text.split('id="data"')[1].split("</script>")[0]
    assert "@" not in re.sub(r"@media", "", text.split("<script")[0])


def test_the_report_names_who_wastes_and_what_to_type(trace: Path) -> None:
    report = report_of(trace)
    document = report_document([report], [], [], arguments=["run.trace"])
    rows = {row["id"]: row for row in report["run"]["contexts"]}
    assert set(rows) == {NODE, BUFFER}
    assert rows[BUFFER]["used"] < rows[BUFFER]["brought"]
    assert document["worst"][0]["name"] == report["run"]["contexts"][0]["name"]
    assert document["next"].startswith(("abut tune -- prog", "abut compare -- prog"))
    assert len(document["cards"]) == 4
    heat = base64.b64decode(report["run"]["map"]["heat"])
    assert len(heat) == report["run"]["map"]["columns"] * len(report["run"]["map"]["address"])
    codes = report["run"]["code_flames"][0]["root"]
    assert codes["w"] == sum(report["run"]["levels"][0]["misses"])
    assert report["why_no_layout"]  # the program has no build-id


def test_a_trace_without_accesses_still_has_a_page(tmp_path: Path) -> None:
    path = tmp_path / "light.trace"
    with TraceWriter(path, command=["prog"]) as out:
        for number in range(100):
            out.allocate(100, address=4096 * (number + 1))
    document = report_document([report_of(path)], [], [], arguments=["light.trace"])
    assert data_of(page(document))["reports"][0]["run"]["objects"] == 100
    assert sum(base64.b64decode(document["reports"][0]["run"]["map"]["heat"])) > 0
    assert "only allocations" in document["sentences"][0]


def test_misses_are_told_by_instructions_where_the_trace_counts_them(trace: Path) -> None:
    report = report_of(trace)
    totals = report["trace"]["totals"]
    misses = sum(report["run"]["levels"][0]["misses"])
    assert cards(report, [], None)[1]["what"] == "L1 misses per 1000 accesses"
    report["trace"]["totals"] = {**totals, "instructions": 1000 * misses}
    assert cards(report, [], None)[1]["value"] == "1.0"
    assert cards(report, [], None)[1]["what"] == "L1 misses per 1000 instructions"
    assert cards(report, [], 500 * misses)[1]["value"] == "2.0"


ESTIMATE = {"value": 1.0, "low": 0.9, "high": 1.1}
COMPARISON = {
    "benchmarks": [
        {
            "name": "prog",
            "command": ["prog"],
            "figures": {
                "wall": {
                    "glibc": {"median": ESTIMATE, "to_reference": ESTIMATE, "to_best": ESTIMATE},
                    "abut": {
                        "median": {"value": 0.5, "low": 0.4, "high": 0.6},
                        "to_reference": {"value": 0.5, "low": 0.4, "high": 0.6},
                        "to_best": ESTIMATE,
                    },
                }
            },
        }
    ],
    "reference": "glibc",
    "heaps": [{"name": "glibc"}, {"name": "abut"}],
    "settings": {"runs": 3, "warmup": 1, "seed": 1, "suite": None},
    "versions": {"abut": "0"},
    "machine": {
        "processor": "p",
        "cores": 2,
        "virtual": True,
        "system": "s",
        "kernel": "k",
        "glibc": "g",
    },
}
TUNING = {
    "command": ["prog", "x"],
    "plan": "prog.plan",
    "strategy": "combined",
    "why": "",
    "runs": 5,
    "recorded_cycles": 9.0,
    "seconds": {"abut": [1.0, 0.9, 1.1], "glibc": [1.2, 1.1, 1.3]},
    "candidates": [
        {
            "strategy": "combined",
            "predicted_cycles": 5.0,
            "seconds": [0.8, 0.7, 0.9],
            "to_plain": [0.8, 0.75, 0.85],
            "to_system": [0.7, 0.6, 0.8],
        }
    ],
    "held_out": [],
}


def test_measurements_have_pages_too(tmp_path: Path, abut: Abut) -> None:
    (tmp_path / "compare.json").write_text(json.dumps(COMPARISON))
    (tmp_path / "tune.json").write_text(json.dumps(TUNING))
    done = abut("report", "compare.json", "tune.json")
    assert done.returncode == 0, done.stderr
    document = data_of((tmp_path / "report.html").read_text())
    assert document["next"] == "abut run --plan prog.plan -- prog x"
    assert any("fastest under abut, 0.50 of glibc's" in one for one in document["sentences"])
    assert any("0.800 of plain" in one for one in document["sentences"])


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(AbutError, match="neither a comparison nor a tuning"):
        command([tmp_path / "other.json"], output=tmp_path / "new.html")
    (tmp_path / "there.html").touch()
    with pytest.raises(AbutError, match="is there already"):
        command([tmp_path / "other.json"], output=tmp_path / "there.html")


def test_names_differ_where_chains_do() -> None:
    same = ["a", "b", "c", "d"]
    names = distinct_names([[*same, "e", "x"], [*same, "e", "y"], ["q", "b"], []])
    assert names == ["a … e < x", "a … e < y", "q < b", "unknown"]
    assert len(set(distinct_names([same, same]))) == 2
