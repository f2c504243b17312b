"""`abut report`: the page, its words, and what it refuses."""

import base64
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from abut.advice.advise import advise
from abut.commands.report import command
from abut.errors import AbutError
from abut.reporters.html import page
from abut.reporters.phrases import cards
from abut.reporters.report import report_document
from abut.simulation.context_names import distinct_names
from abut.simulation.report import Request, trace_report
from abut.trace import TraceWriter
from abut.tuning.best_layout import best_layout
from conftest import Abut
from report_traces import BUFFER, COMPARISON, NODE, SMALL, TUNING, data_of, pairs_trace

NODES = 300


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return pairs_trace(tmp_path / "run.trace", NODES, command=["prog", "</script><b>"])


def report_of(trace: Path, **more: Any) -> dict[str, Any]:
    return trace_report(Request(str(trace), SMALL, best_layout, find_advice=advise, **more))


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
    names = [one["name"] for one in report["advice"]["culprits"]]
    assert sorted(names) == ["24-byte objects in prog+0x10", "700-byte objects in prog+0x18"]
    assert document["next"].startswith(("abut tune -- prog", "abut compare -- prog"))
    assert len(document["cards"]) == 4
    heat = base64.b64decode(report["run"]["map"]["heat"])
    assert len(heat) == report["run"]["map"]["columns"] * len(report["run"]["map"]["address"])
    codes = report["run"]["code_flames"][0]["root"]
    assert codes["w"] == sum(report["run"]["levels"][0]["misses"])
    assert report["why_no_layout"]  # the program has no build-id


def test_two_runs_are_compared_in_words(tmp_path: Path) -> None:
    reports = [report_of(pairs_trace(tmp_path / f"{walks}", 300, walks=walks)) for walks in (2, 9)]
    document = report_document(reports, [], [], arguments=["2", "9"])
    said = document["sentences"][0]
    for report in reports:
        run = report["run"]
        assert f"{run['use']['share']:.0%}" in said
        assert f"{1000 * sum(run['levels'][0]['misses']) / run['accesses']:.1f}" in said
    faster = reports[1]["run"]["cycles"] < reports[0]["run"]["cycles"]
    assert ("less time" in said) == faster
    assert {one["name"] for one in document["changes"]} >= {"24-byte objects in prog+0x10"}
    alone = report_document(reports[:1], [], [], arguments=["2"])
    assert not any("an access takes" in one for one in alone["sentences"])


def test_lines_are_as_long_as_the_preset_says(trace: Path) -> None:
    levels = tuple(dataclasses.replace(one, line=128) for one in SMALL.levels)
    report = trace_report(
        Request(str(trace), dataclasses.replace(SMALL, levels=levels), best_layout)
    )
    said = " ".join(report_document([report], [], [], arguments=["x"])["sentences"])
    assert "of each 128-byte line" in said


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
    assert cards(report, [], None)[2]["what"] == "L1 misses per 1000 accesses"
    report["trace"]["totals"] = {**totals, "instructions": 1000 * misses}
    assert cards(report, [], None)[2]["value"] == "1.0"
    assert cards(report, [], None)[2]["what"] == "L1 misses per 1000 instructions"
    assert cards(report, [], 500 * misses)[2]["value"] == "2.0"


def test_measurements_have_pages_too(tmp_path: Path, abut: Abut) -> None:
    (tmp_path / "compare.json").write_text(json.dumps(COMPARISON))
    (tmp_path / "tune.json").write_text(json.dumps(TUNING))
    done = abut("report", "compare.json", "tune.json")
    assert done.returncode == 0, done.stderr
    document = data_of((tmp_path / "report.html").read_text())
    assert document["next"] == "abut run --profile prog.plan -- prog x"
    assert any("fastest under abut, 0.50 of glibc's" in one for one in document["sentences"])
    assert any("takes 0.800 (0.750 to 0.850) of" in one for one in document["sentences"])


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(AbutError, match="neither a comparison nor a tuning"):
        command([tmp_path / "other.json"], output=tmp_path / "new.html")
    (tmp_path / "there.html").touch()
    with pytest.raises(AbutError, match="is there already"):
        command([tmp_path / "other.json"], output=tmp_path / "there.html")


def test_names_differ_where_chains_do() -> None:
    same = ["a", "b", "c", "d"]
    names = distinct_names([[*same, "x"], [*same, "y"], ["q", "b"], [], ["r", "s"], ["r", "t"]])
    assert names == ["a … x", "a … y", "q", "unknown", "r < s", "r < t"]
    assert len(set(distinct_names([same, same]))) == 2
