"""`abut paper`: what it lists, and what it says of that which a paper leaves out."""

import json
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer import Exit

from abut.commands import paper
from abut.papers import Claim, Paper, Request, papers, with_ranges
from conftest import Abut


def test_the_papers_are_listed(abut: Abut) -> None:
    shown = abut("paper").stdout.splitlines()
    assert [line.split()[0] for line in shown[:-1]] == papers()
    assert shown[-1] == "next: abut paper --list"
    unknown = abut("paper", "lea")
    assert unknown.returncode == 2
    assert "vam" in unknown.stderr


def test_rows_are_shown_with_their_commands(abut: Abut) -> None:
    done = abut("paper", "--list", "vam", "--json")
    (rows,) = json.loads(done.stdout)["papers"].values()
    assert {"place", "what", "command", "because"} == set(rows[0])
    assert any(
        row["because"]
        for row in json.loads(abut("paper", "--list", "--json").stdout)["papers"]["rezaei"]
    )
    shown = abut("paper", "--list")
    assert shown.stdout.splitlines()[-1] == "next: abut paper adcock --quick"
    assert "not, because" in shown.stdout
    assert abut("paper", "--list", "--quick").returncode == 2


def test_what_is_measured_has_the_range_that_it_has_without_one_round() -> None:
    def measure(request: Request) -> Any:
        times = request.counting([1.0, 1.5, 3.0])
        alone = request.counting([7])
        claims = [
            Claim("time", "2", f"{median(times):.2f} of 1's", "why"),
            Claim("misses", "40 %", "35 %"),
            Claim("once", "7", f"{alone[0]}"),
            *([Claim("only of all", "1", "1")] if request.without is None else []),
        ]
        return SimpleNamespace(claims=lambda: claims)

    request = Request(["one"], ["one"], "tiny", Path(), fresh=True, progress=pytest.fail)
    whole = measure(request).claims()
    assert with_ranges(cast("Paper", SimpleNamespace(measure=measure)), request, whole) == [
        ("time", "2", "1.50 of 1's (1.25 to 2.25)", "why"),
        ("misses", "40 %", "35 %", ""),
        ("once", "7", "7", ""),
        ("only of all", "1", "1", ""),
    ]


def test_what_was_left_out_is_said_after_the_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(request: Request) -> Any:
        assert [*request.programs] == ["two", "one"]
        request.leave_out("one recorded under abt", "recording failed")
        return SimpleNamespace(claims=list, tables=list, document=dict)

    failing = {"PROGRAMS": ("one",), "HEAPS": ("one",), "QUICK": {}, "measure": measure}
    monkeypatch.setattr("abut.papers.find_paper", lambda _: SimpleNamespace(**failing))
    monkeypatch.setattr("abut.verb._given", {})
    for as_json in (False, True):
        with pytest.raises(Exit) as ended:
            paper.command("failing", programs="two, one,two", json=as_json)
        assert ended.value.exit_code == 2
        printed = capsys.readouterr()
        assert printed.err.splitlines()[-1] == (
            "abut: one recorded under abt is left out: recording failed"
        )
    assert '"left_out"' in printed.out
