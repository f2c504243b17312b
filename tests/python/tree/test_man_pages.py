import shutil
import subprocess
from pathlib import Path

import pytest

import man_pages
from abut.cli import VERBS

PAGES = dict(man_pages.pages())


def test_every_verb_and_each_of_its_options_has_a_place() -> None:
    assert set(PAGES) == {"abut.1", *(f"abut-{verb}.1" for verb in VERBS)}
    assert all(rf"abut\-{verb}" in PAGES["abut.1"] for verb in VERBS)
    assert r".B \-\-stats FILE" in PAGES["abut-run.1"].splitlines()
    assert ".SH CONVERT" in PAGES["abut-trace.1"].splitlines()
    assert "ABUT_CC names another compiler" in PAGES["abut-cc.1"]


def test_pages_of_verbs_that_are_no_more_are_taken_away(tmp_path: Path) -> None:
    (tmp_path / "abut-gone.1").write_text("")
    man_pages.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(PAGES)


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_troff_finds_nothing_wrong_with_the_pages(tmp_path: Path) -> None:
    man_pages.write(tmp_path)
    command = ["groff", "-man", "-Tutf8", "-ww", "-z", *sorted(map(str, tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_shells_find_what_completes_where_they_look(tmp_path: Path) -> None:
    man_pages.write_completions(tmp_path)
    for script in ("bash-completion/completions/abut", "fish/vendor_completions.d/abut.fish"):
        assert "_ABUT_COMPLETE" in (tmp_path / script).read_text()
    assert (tmp_path / "zsh/site-functions/_abut").read_text().startswith("#compdef abut")
