"""`abut paper`: what it lists, and what it says of that which a paper leaves out."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from typer import Exit

from abut.commands import paper
from abut.papers import Request, papers
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


def test_what_was_left_out_is_said_after_the_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(request: Request) -> Any:
        request.leave_out("one recorded under abt", "recording failed")
        return SimpleNamespace(claims=list, tables=list, document=dict)

    failing = {"PROGRAMS": ("one",), "HEAPS": ("one",), "QUICK": {}, "measure": measure}
    monkeypatch.setattr("abut.papers.find_paper", lambda _: SimpleNamespace(**failing))
    for as_json in (False, True):
        with pytest.raises(Exit) as ended:
            paper.command("failing", json=as_json)
        assert ended.value.exit_code == 2
        printed = capsys.readouterr()
        assert printed.err.splitlines()[-1] == (
            "abut: one recorded under abt is left out: recording failed"
        )
    assert '"left_out"' in printed.out
