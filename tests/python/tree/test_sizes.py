"""`make lint` refuses what has grown too large."""

import subprocess
from pathlib import Path

import pytest

import check_sizes
from conftest import ROOT


def problems(root: Path, exceptions: frozenset[str] = frozenset()) -> list[str]:
    files = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return list(check_sizes.violations(root, files, exceptions))


@pytest.mark.parametrize(("count", "refused"), [(25, False), (26, True)])
def test_a_folder_has_at_most_25_files(tmp_path: Path, count: int, refused: bool) -> None:
    for number in range(count):
        (tmp_path / f"{number}.txt").touch()
    assert bool(problems(tmp_path)) == refused


@pytest.mark.parametrize(("lines", "refused"), [(400, False), (401, True)])
def test_a_source_file_has_at_most_400_lines(tmp_path: Path, lines: int, refused: bool) -> None:
    (tmp_path / "long.py").write_text("pass\n" * lines)
    assert problems(tmp_path) == (
        [f"long.py: {lines} lines; a source file has at most 400"] if refused else []
    )


def test_an_exception_that_is_none_any_more_is_refused(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, frozenset({"once/large"}))
    assert problem.startswith("once/large: 0 files; take it off the list")


def test_this_project_keeps_its_sizes() -> None:
    done = subprocess.run(
        ["python3", "tools/check_sizes.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
