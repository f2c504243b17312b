"""abut without the papers: nothing of it needs them."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import abut_environment
from report_traces import pairs_trace

# What importlib.metadata and the importer say where the package is not installed.
WITHOUT = """
import importlib.metadata, sys
importlib.metadata.entry_points = lambda **_: ()
sys.modules["abut_papers"] = None
from abut.cli import main
main()
"""


def abut_alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments],
        capture_output=True,
        text=True,
        env=abut_environment(),
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--help", "Verbs:"),
        ("paper --help", "abut paper"),
        ("paper", "no papers are installed"),
        ("heaps", "glibc"),
        ("place --list", "combined"),
        ("compare --heaps glibc,abut --runs 1 --warmup 0 -- true", "heap"),
    ],
)
def test_a_verb_needs_no_paper(arguments: str, expected: str) -> None:
    done = abut_alone(*arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout


def test_a_trace_is_simulated_without_the_papers_heaps(tmp_path: Path) -> None:
    trace = str(pairs_trace(tmp_path / "run.trace", 20))
    done = abut_alone("sim", "--layout", "recorded,line", trace)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("paper vam", "vam: no papers are installed"),
        ("run --heap vam -- true", "heap: there is none called 'vam'"),
        ("sim --machine pentium4 run.trace", "--machine: there is none called 'pentium4'"),
    ],
)
def test_what_a_paper_brings_is_not_known(arguments: str, problem: str) -> None:
    done = abut_alone(*arguments.split())
    assert done.returncode == 2
    assert problem in done.stderr
