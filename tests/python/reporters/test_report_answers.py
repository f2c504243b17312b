"""What `abut report` says without a page: on the terminal, as JSON, by its exit code."""

import json
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from abut.advice.advise import advise
from abut.reporters.advice import next_of
from abut.simulation.report import Request, trace_report
from abut.trace import Frame, TraceWriter
from conftest import Inside
from report_traces import SMALL, pairs_trace

MANY = 100_000


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Nodes that all lie in one set of the cache, a buffer beside each."""
    return pairs_trace(tmp_path / "run.trace", 3000, walks=4)


def test_the_terminal_shows_the_bound_the_changes_and_the_culprits(
    trace: Path, inside: Inside
) -> None:
    done = inside("report --terminal run.trace")
    assert done.returncode == 0, done.stderr
    assert "layout could save at most" in done.stdout
    assert "begin at different lines of their pages" in done.stdout
    assert "24-byte objects in" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("next: abut ")
    assert not (trace.parent / "report.html").exists()


@pytest.mark.parametrize("answer", ["--terminal", "--json"])
def test_layouts_are_looked_for_where_a_page_is_written(inside: Inside, answer: str) -> None:
    done = inside(f"report {answer} --layouts nosuch run.trace")
    assert (done.returncode, "--layouts: no effect here" in done.stderr) == (2, True)


def test_what_json_prints_has_the_form_that_the_schema_says(trace: Path, inside: Inside) -> None:
    text = resources.files("abut.advice").joinpath("answer.schema.json").read_text()
    schema = Draft202012Validator(json.loads(text))
    with TraceWriter(trace.parent / "empty.trace"):
        pass
    for traces in ("run.trace", "run.trace run.trace", "empty.trace"):
        answer = json.loads(inside(f"report --json {traces}").stdout)
        schema.validate(answer)
        assert len(answer["runs"]) == len(traces.split())
    del answer["next"]
    assert not schema.is_valid(answer)


def test_json_has_each_culprit_with_reason_action_and_gain(trace: Path, inside: Inside) -> None:
    done = inside("report --json run.trace")
    (run,) = json.loads(done.stdout)["runs"]
    first = run["advice"]["culprits"][run["advice"]["actions"][0]]
    assert (first["reason"], first["action"]["kind"]) == ("alignment conflict", "spread")
    assert first["gain"] > 0.05
    assert set(first) >= {"name", "type", "function", "file", "line", "lost", "misses", "use"}
    assert sum(first["use"].values()) == pytest.approx(1)


def test_a_check_ends_with_one_where_a_change_would_save_more(trace: Path, inside: Inside) -> None:
    assert inside("report --json --check max-loss=99% run.trace").returncode == 0
    done = inside("report --json --check max-loss=1% run.trace")
    assert done.returncode == 1
    assert "of the time is lost, more than 1.0%" in done.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--terminal -o x.html", "no page is written"),
        ("--json --terminal", "prints all"),
        ("--check loss=5", "not known"),
        ("--check=", "not known"),
        ("--names none.toml", "No such file"),
    ],
)
def test_what_has_no_effect_is_refused(trace: Path, inside: Inside, options: str, why: str) -> None:
    done = inside(f"report {options} run.trace")
    assert done.returncode == 2
    assert why in done.stderr


def test_what_to_type_next_is_whole_where_an_argument_has_lines() -> None:
    run = "$ abut tune -- awk '{\n}'"
    for code, typed in (
        (f"{run}\nor, at main, main.c:3:\n#include <abut/abut.h>", run[2:]),
        (run, run[2:]),
        ("/* main, main.c:3 */\nstruct node {", ""),
    ):
        assert next_of({"actions": [0], "culprits": [{"action": {"code": code}}]}) == typed


def test_two_runs_differ_by_culprit(trace: Path, inside: Inside) -> None:
    pairs_trace(trace.parent / "longer.trace", 3000, walks=9)
    changes = json.loads(inside("report --json run.trace longer.trace").stdout)["changes"]
    (first, *_) = changes
    assert first["name"] == "24-byte objects in prog+0x10"
    assert first["after"] > 1.5 * first["before"] > 0
    with TraceWriter(trace.parent / "light.trace") as light:
        light.allocate(24)
    assert json.loads(inside("report --json run.trace light.trace").stdout)["changes"] == []


def test_a_trace_of_nothing_has_an_answer(tmp_path: Path, inside: Inside) -> None:
    with TraceWriter(tmp_path / "empty.trace", command=["prog"]):
        pass
    done = inside("report --terminal --check max-loss=1% empty.trace")
    assert done.returncode == 0, done.stderr
    assert "only allocations were recorded" in done.stdout


@pytest.mark.long
def test_a_hundred_thousand_contexts_are_put_together_by_name(tmp_path: Path) -> None:
    path = tmp_path / "many.trace"
    with TraceWriter(path, command=["prog"]) as out:
        module = out.module("/nowhere/prog", "", 0x1000, 0x1000000)
        objects = [
            out.allocate(
                48,
                address=0x100000 + 64 * n,
                context=out.context([Frame(module, 0x10), Frame(module, 0x20 + n)]),
            )
            for n in range(MANY)
        ]
        for one in objects:
            out.access(one, 0, 8)
    report = trace_report(Request(str(path), SMALL, find_advice=advise))
    culprits = report["advice"]["culprits"]
    assert [one["name"] for one in culprits] == ["48-byte objects in prog+0x10"]
    assert len(json.dumps(report)) < 1_500_000
