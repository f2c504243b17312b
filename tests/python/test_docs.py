import json
from pathlib import Path

import pytest

import docs_data
from abut.cli import VERBS
from conftest import Abut

REFERENCE = [
    place
    for page in docs_data.pages()
    for place in docs_data.places(page)
    if place.kind == "reference"
]


@pytest.mark.parametrize("place", REFERENCE, ids=lambda place: " ".join(place.commands))
def test_the_reference_says_what_the_commands_say(place: docs_data.Place) -> None:
    assert place.text == docs_data.fresh_text(place), "write it anew with `make docs-data`"


def test_every_verb_is_in_the_reference() -> None:
    shown = {command for place in REFERENCE for command in place.commands}
    assert {f"abut {verb} --help" for verb in VERBS} <= shown


def test_every_statistic_is_explained(abut: Abut, library: Path, tmp_path: Path) -> None:
    abut("run", "--stats", "heap.json", "--", "true", ABUT_LIBRARY=str(library))
    members = json.loads((tmp_path / "heap.json").read_text())
    explained = (docs_data.ROOT / "docs" / "reference" / "statistics.md").read_text()
    assert [name for name in members if f"`{name}`" not in explained] == []


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with one place of each kind, not written yet."""
    kinds = "".join(f"<!-- {kind}\necho {kind}\n-->\n<!-- end -->\n" for kind in docs_data.KINDS)
    path = tmp_path / "page.md"
    path.write_text(f"before\n{kinds}after\n")
    return path


def test_only_the_kinds_asked_for_are_written(page: Path) -> None:
    assert docs_data.rewrite(page, ["output"])
    texts = {place.kind: place.text for place in docs_data.places(page)}
    assert texts == {
        "reference": "",
        "output": "```console\n$ echo output\noutput\n```\n",
        "measured": "",
    }


def test_writing_twice_changes_nothing(page: Path) -> None:
    docs_data.rewrite(page, docs_data.KINDS)
    once = page.read_text()
    assert not docs_data.rewrite(page, docs_data.KINDS)
    assert page.read_text() == once
    assert once.startswith("before\n")
    assert once.endswith("after\n")


def test_the_place_of_the_source_tree_is_not_shown(page: Path) -> None:
    page.write_text("<!-- output\npwd\n-->\n<!-- end -->\n")
    docs_data.rewrite(page, ["output"])
    assert "$ pwd\n~/abut\n" in page.read_text()
