"""What `abut report` is given: measurements as abut writes them, and a place for the page."""

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abut.errors import AbutError
from abut.measure.saved import sorted_out
from abut.places import collector_candidate
from abut.targets import check_target
from abut.trace import Trace
from conftest import Abut, Inside, abut_environment
from report_traces import COMPARISON, TUNING, data_of, pairs_trace


def changed(document: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """The document with one place of it changed; `...` takes it away."""
    found: Any = copy.deepcopy(document)
    *way, last = [int(one) if one.isdigit() else one for one in place.split("/")]
    here = found
    for step in way:
        here = here[step]
    if value is ...:
        del here[last]
    else:
        here[last] = value
    return dict(found)


WRONG = [
    (COMPARISON, "benchmarks", 3),
    (COMPARISON, "benchmarks/0", []),
    (COMPARISON, "benchmarks/0/command/0", 7),
    (COMPARISON, "benchmarks/0/figures/wall/abut/median", None),
    (COMPARISON, "benchmarks/0/figures/wall/abut/median/low", "fast"),
    (COMPARISON, "benchmarks/0/figures/wall/abut/median/low", float("nan")),
    (COMPARISON, "machine/cores", ...),
    (COMPARISON, "settings", ...),
    (TUNING, "candidates", {}),
    (TUNING, "candidates/0/to_plain", [1.0, 2.0]),
    (TUNING, "candidates/0/to_plain", None),
    (TUNING, "strategy", "another"),
    (TUNING, "runs", "many"),
    (TUNING, "held_out", ...),
]


@pytest.mark.parametrize(("document", "place", "value"), WRONG)
def test_what_abut_did_not_write_is_refused(
    tmp_path: Path, document: dict[str, Any], place: str, value: Any
) -> None:
    path = tmp_path / "measured.json"
    path.write_text(json.dumps(changed(document, place, value)))
    with pytest.raises(AbutError, match=r"measured\.json: (?:not as abut|is no JSON)") as refused:
        sorted_out([path])
    assert place.split("/", maxsplit=1)[0] in str(refused.value) or "NaN" in path.read_text()


def test_what_abut_wrote_is_taken(tmp_path: Path) -> None:
    few_runs = changed(COMPARISON, "benchmarks/0/figures/wall/abut/median/low", None)
    for name, document in (("compared", few_runs), ("tuned", TUNING)):
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / "trace").write_bytes(b"abut")
    lost = changed(changed(TUNING, "plan", None), "candidates/0/to_plain", None)
    (tmp_path / "lost").write_text(json.dumps(lost))
    paths = [tmp_path / name for name in ("trace", "tuned", "compared", "lost")]
    traces, comparisons, tunings = sorted_out(paths)
    assert traces == paths[:1]
    assert [one["file"] for one in comparisons] == [str(paths[2])]
    assert [one["plan"] for one in tunings] == ["prog.plan", None]


def test_deep_nesting_is_no_measurement(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text('{"a":' * 100_000)
    with pytest.raises(AbutError, match="is no JSON"):
        sorted_out([path])


def test_where_nothing_can_be_written_is_said_first(tmp_path: Path) -> None:
    trace = tmp_path / "run.trace"
    trace.touch()
    same = tmp_path / "same.trace"
    same.hardlink_to(trace)
    for target, force, folder, problem in (
        (tmp_path, True, False, "is a folder"),
        (trace, True, True, "is no folder"),
        (tmp_path / "none" / "report.html", True, False, "its folder is not there"),
        (trace, False, False, "is there already"),
        (same, True, False, "is what is to be read"),
    ):
        with pytest.raises(AbutError, match=problem):
            check_target(target, [tmp_path / "other", trace], force=force, folder=folder)
    check_target(tmp_path / "report.html", [trace], force=False)
    check_target(tmp_path, [trace], force=True, folder=True)


@pytest.mark.parametrize(
    "verb",
    ["report", "export --format collapsed", "trace convert --to text"],
    ids=lambda verb: verb.split()[0],
)
def test_no_verb_writes_over_what_it_reads(tmp_path: Path, abut: Abut, verb: str) -> None:
    trace = pairs_trace(tmp_path / "run.trace", 20)
    before = trace.read_bytes()
    done = abut(*verb.split(), "--force", "-o", "run.trace", "run.trace")
    assert done.returncode == 2
    assert "run.trace: is what is to be read" in done.stderr
    assert trace.read_bytes() == before


@pytest.mark.skipif(shutil.which("lua5.4") is None, reason="lua5.4 is not installed")
def test_a_demonstration_without_a_folder_says_so(tmp_path: Path, abut: Abut) -> None:
    (tmp_path / "file").touch()
    done = abut("demo", "-o", "file")
    assert (done.returncode, done.stderr) == (
        2,
        "abut: file: File exists\n  fix: name another folder: -o\n",
    )


@pytest.mark.parametrize("where", ["end", "middle"])
def test_a_damaged_trace_is_told_of_at_once(tmp_path: Path, abut: Abut, where: str) -> None:
    trace = pairs_trace(tmp_path / "run.trace", 200)
    chunk = Trace(trace).chunks()[1]
    last = chunk.offset + chunk.bytes - 1
    content = bytearray(trace.read_bytes())
    content[last] ^= 1
    trace.write_bytes(content if where == "middle" else content[:-400])
    said = "chunk 1 " if where == "middle" else "cut short"
    for verb in ("report", "report --json", "export --format collapsed"):
        done = abut(*verb.split(), "run.trace")
        assert done.returncode == 0, done.stderr
        assert said in done.stderr


@pytest.mark.skipif(not collector_candidate().is_file(), reason="abut-collect is not built")
def test_what_the_program_read_is_part_of_how_to_do_it_again(tmp_path: Path, abut: Abut) -> None:
    words = tmp_path / "two words"
    words.write_text("b\na\n")
    recorded = subprocess.run(
        [sys.executable, "-m", "abut", "record", "--recorder", "light", "-q", "--", "sort"],
        stdin=words.open(),
        capture_output=True,
        env=abut_environment(),
        cwd=tmp_path,
        check=False,
    )
    assert recorded.stdout == b"a\nb\n", recorded.stderr
    done = abut("report", "sort.trace")
    assert f"next: abut compare --stdin '{words}' -- sort\n" in done.stdout
    document = data_of((tmp_path / "report.html").read_text())
    assert document["title"] == f"sort < '{words}'"
    assert document["again"][0] == f"abut record --force -o sort.trace -- sort < '{words}'"
    abut("record", "--recorder", "light", "-q", "-o", "pipe.trace", "--", "sort", stdin="b")
    assert abut("report", "--force", "pipe.trace").stdout.endswith("abut compare -- sort\n")


def test_an_imported_trace_leads_to_no_program(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "run.din").write_text("0 1000\n")
    assert inside("trace import -o run.trace run.din").returncode == 0
    (tmp_path / "names.toml").touch()
    done = inside("report -o page.html --names names.toml --instructions 9 run.trace")
    assert done.stdout.endswith("next: abut sim run.trace\n")
    again = data_of((tmp_path / "page.html").read_text())["again"]
    assert again == [
        "abut trace import --from din --force -o run.trace run.din",
        "abut report --force --output page.html --instructions 9 --names names.toml run.trace",
    ]
    assert [inside(one.removeprefix("abut ")).returncode for one in again] == [0, 0]


def test_several_programs_lead_to_the_one_where_heaps_differ_most(
    tmp_path: Path, abut: Abut
) -> None:
    same = changed(COMPARISON["benchmarks"][0], "figures/wall/abut/median/value", 1.0)
    same["command"] = ["same"]
    both = {**COMPARISON, "benchmarks": [same, COMPARISON["benchmarks"][0]]}
    (tmp_path / "suite.json").write_text(json.dumps(both))
    done = abut("report", "suite.json")
    assert done.returncode == 0, done.stderr
    assert "next: abut record -- prog\n" in done.stdout


def test_other_inputs_of_a_tuning_are_told_of(tmp_path: Path, abut: Abut) -> None:
    other = {"command": ["prog", "y"], "to_plain": [0.9, 0.85, 0.95], "to_system": [0.8, 0.7, 0.9]}
    (tmp_path / "tune.json").write_text(json.dumps({**TUNING, "held_out": [other]}))
    done = abut("report", "tune.json")
    assert "with another input, prog y, it takes 0.900 (0.850 to 0.950)" in done.stdout
