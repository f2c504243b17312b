"""`make lint` refuses imports that point upwards, and cycles."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

# What is installed as editable would be found before the copy: only Python's own finders are left.
LINT = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if isinstance(finder, type)]
from importlinter.cli import lint_imports_command
lint_imports_command()
"""


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "python")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the packages, to spoil."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("abut", "abut_papers"):
        shutil.copytree(ROOT / "python" / package, tmp_path / "python" / package)
    return tmp_path


def test_this_project_keeps_its_contracts(tree: Path) -> None:
    done = lint(tree)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("abut/reporters/grid.py", "import abut.commands.console", "stands below them BROKEN"),
        ("abut/trace/writer.py", "import abut.simulation.caches", "stands below them BROKEN"),
        ("abut/heaps.py", "import abut_papers.vam.bench", "without the papers BROKEN"),
        ("abut/simulation/caches.py", "import abut.simulation.jobs", "no cycles BROKEN"),
    ],
)
def test_an_import_upwards_or_in_a_circle_is_refused(
    tree: Path, file: str, line: str, broken: str
) -> None:
    with (tree / "python" / file).open("a") as out:
        out.write(f"\n{line}\n")
    done = lint(tree)
    assert done.returncode == 1
    assert broken in done.stdout
