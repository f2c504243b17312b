import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer.main

import docs_data
from abut.cli import VERBS, build_app
from abut.recording.compilers import COMPILERS
from conftest import Abut

REFERENCE = [
    place
    for page in docs_data.pages()
    for place in docs_data.places(page)
    if place.kind == "reference"
]


def test_the_reference_is_generated_and_not_tracked() -> None:
    assert {place.text for place in REFERENCE} == {""}


@pytest.mark.parametrize("place", REFERENCE, ids=lambda place: " ".join(place.commands)[:60])
def test_every_place_of_the_reference_can_be_generated(place: docs_data.Place) -> None:
    assert len(docs_data.fresh_text(place).splitlines()) > 2


def test_a_page_is_filled_without_being_changed() -> None:
    page = docs_data.ROOT / "docs" / "reference" / "options.md"
    before = page.read_text()
    filled = docs_data.filled(page)
    assert "ABUT_DECAY_MS" in filled
    assert page.read_text() == before


def test_every_verb_is_in_the_reference_with_its_options() -> None:
    group: Any = typer.main.get_command(build_app(list(VERBS)))
    text = docs_data.filled(docs_data.ROOT / "docs" / "reference" / "commands.md")
    assert [verb for verb in VERBS if f"$ abut {verb} --help" not in text] == []
    for verb in set(VERBS) - set(COMPILERS):
        options = {name for each in group.commands[verb].params for name in each.opts}
        assert [name for name in options if name.startswith("--") and name not in text] == []


def test_every_statistic_is_explained(abut: Abut, library: Path, tmp_path: Path) -> None:
    abut("run", "--stats", "heap.json", "--", "true", ABUT_LIBRARY=str(library))
    members = json.loads((tmp_path / "heap.json").read_text())
    explained = (docs_data.ROOT / "docs" / "reference" / "statistics.md").read_text()
    assert [name for name in members if f"`{name}`" not in explained] == []


PAGES = list(docs_data.pages())


@pytest.mark.long
def test_every_example_runs_and_ends_as_it_should() -> None:
    """One page after the other, since they leave files in `build`."""
    places = [place for page in PAGES for place in docs_data.places(page)]
    for place in places:
        if place.kind in ("output", "refusal"):
            docs_data.fresh_text(place)


def test_a_command_that_ends_otherwise_is_named(page: Path) -> None:
    for kind, command, wrong in (
        ("output", "true", False),
        ("output", "false", True),
        ("refusal", "false", False),
        ("refusal", "true", True),
    ):
        place = docs_data.Place(page, kind, (command,), "")
        if wrong:
            with pytest.raises(docs_data.WrongEndError, match=command):
                docs_data.fresh_text(place)
        else:
            docs_data.fresh_text(place)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name + "-" + page.stem)
def test_every_listing_was_produced_or_says_why_not(page: Path) -> None:
    assert [text for why, text in docs_data.unproduced(page) if not why] == []


def test_listings_that_were_not_run_have_verbs_and_options_that_exist() -> None:
    group = typer.main.get_command(build_app(list(VERBS)))
    lines = [
        line
        for page in PAGES
        for _, text in docs_data.unproduced(page)
        for line in re.findall(r"^\$ abut (.*)$", text, re.MULTILINE)
    ]
    assert len(lines) > 10
    assert [line for line in lines if not is_known(line, group)] == []


def is_known(line: str, group: Any) -> bool:
    """Whether abut has the verb, and the verb the options."""
    words = line.partition(" -- ")[0].partition("#")[0].split()
    command = group
    while words and hasattr(command, "commands") and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    known = {name for each in command.params for name in each.opts} | {"--help", "--version"}
    options = {word for word in words if word.startswith("-")}
    return words[:1] == ["--version"] or (command is not group and options <= known)


def test_what_is_no_verb_or_option_is_noticed() -> None:
    group = typer.main.get_command(build_app(list(VERBS)))
    assert is_known("compare --runs 3 -- prog --any", group)
    assert is_known("trace info FILE", group)
    assert not is_known("compare --rums 3 -- prog", group)
    assert not is_known("compete -- prog", group)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with one place of each kind, not written yet."""
    ends = {"refusal": "; false"}
    kinds = "".join(
        f"<!-- {kind}\necho {kind}{ends.get(kind, '')}\n-->\n<!-- end -->\n"
        for kind in docs_data.KINDS
    )
    path = tmp_path / "page.md"
    path.write_text(f"before\n{kinds}after\n")
    return path


def test_only_the_kinds_asked_for_are_written(page: Path) -> None:
    assert docs_data.rewrite(page, ["output"])
    texts = {place.kind: place.text for place in docs_data.places(page)}
    assert texts == {
        "reference": "",
        "output": "```console\n$ echo output\noutput\n```\n",
        "refusal": "",
        "measured": "",
    }


def test_only_places_with_a_word_in_a_command_are_written(page: Path) -> None:
    assert not docs_data.rewrite(page, docs_data.KINDS, "nothing like this")
    assert docs_data.rewrite(page, docs_data.KINDS, "o output")
    assert {place.kind for place in docs_data.places(page) if place.text} == {"output"}


def test_what_was_measured_says_where_and_when_and_what(page: Path) -> None:
    assert docs_data.rewrite(page, ["measured"])
    text = next(place.text for place in docs_data.places(page) if place.kind == "measured")
    listing, origin = text.split("\n\n")
    assert listing == "```console\n$ echo measured\nmeasured\n```"
    assert re.fullmatch(r"\*.*\.\*\n", origin)
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True)
    load = re.search(r"load before (\d+\.\d\d)", origin)
    assert load
    assert 0 <= float(load[1]) <= (os.cpu_count() or 1)
    for word in (
        " cores",
        "L2 ",
        "glibc 2.",
        "abut 0.",
        "jemalloc ",
        "Measured on 2",
        commit.strip(),
    ):
        assert word in origin


def test_every_measured_place_says_where_it_was_measured() -> None:
    places = [place for page in PAGES for place in docs_data.places(page)]
    last = [place.text.splitlines()[-1] for place in places if place.kind == "measured"]
    assert len(last) > 20
    said = re.compile(r"\*.+ cores, .+Measured on \d{4}-.+ load before \d+\.\d\d\.\*")
    assert [line for line in last if not said.fullmatch(line)] == []


def test_writing_twice_changes_nothing(page: Path) -> None:
    kinds = [kind for kind in docs_data.KINDS if kind != "measured"]
    docs_data.rewrite(page, kinds)
    once = page.read_text()
    assert not docs_data.rewrite(page, kinds)
    assert page.read_text() == once
    assert once.startswith("before\n")
    assert once.endswith("after\n")


def test_the_place_of_the_source_tree_is_not_shown(page: Path) -> None:
    page.write_text("<!-- output\npwd\n-->\n<!-- end -->\n")
    docs_data.rewrite(page, ["output"])
    assert "$ pwd\n~/abut\n" in page.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name + "-" + page.stem)
def test_links_between_pages_lead_to_files(page: Path) -> None:
    """On a code host the pages are read as they stand, without Sphinx."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#\s]+)", text)
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []
