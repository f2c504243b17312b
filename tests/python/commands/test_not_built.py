"""Parts that are not built are named with the command that builds them."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from abut.errors import NO, RUN_FAILED
from abut.places import collector_candidate, library_candidate
from conftest import ROOT, Abut, abut_environment

# The command line of another tree than the one that the environment belongs to.
ELSEWHERE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
from abut.cli import main
main()
"""


def test_what_is_not_built_is_named_with_its_command(
    abut: Abut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABUT_LIBRARY", "/nowhere/libabut.so")
    done = abut("doctor")
    assert done.returncode == NO
    assert re.search(r"next: \S*tools/build.sh release abut( |$)", done.stdout, re.MULTILINE)
    for words in ("lib", "run -- true"):
        assert "tools/build.sh release abut" in abut(*words.split()).stderr


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("run --heap lea -- true", "abut_papers"),
        ("compare --heaps glibc,vam -- true", "abut_papers"),
        ("run --check tail -- true", "abut_checked"),
        ("record --recorder light -- true", "abut_light"),
        ("record -- true", "abut-collect"),
        ("cc -o x x.c", "abut_rt"),
    ],
)
def test_a_part_that_is_not_built_is_named_with_its_command(
    words: str, target: str, tmp_path: Path
) -> None:
    """In a tree in which the heap alone is built."""
    tree = tmp_path / "tree"
    (tree / "python").mkdir(parents=True)
    (tree / "pyproject.toml").write_text("")
    shutil.copytree(ROOT / "python" / "abut", tree / "python" / "abut")
    library = tree / "build" / "release" / "lib" / "libabut.so"
    library.parent.mkdir(parents=True)
    library.symlink_to(library_candidate())
    collector = tree / "build" / "release" / "bin" / "abut-collect"
    if target != "abut-collect":
        collector.parent.mkdir()
        collector.symlink_to(collector_candidate())
    (tree / "python" / "abut_papers").symlink_to(ROOT / "papers")
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *words.split()],
        capture_output=True, text=True, check=False,
        env=abut_environment(PYTHONPATH=str(tree / "python")),
    )  # fmt: skip
    assert done.returncode in (2, RUN_FAILED)
    command = shlex.join([str(tree / "tools" / "build.sh"), "release", target])
    assert done.stderr.rstrip().endswith(command), done.stderr


def test_the_demonstration_builds_what_its_users_need() -> None:
    """README's verbs, and every recorder and heap, work after `make demo`."""
    recipe = (ROOT / "Makefile").read_text().partition("\ndemo:")[2].partition("\n\n")[0]
    libraries = ("abut", "abut_light", "abut_checked", "abut_rt", "abut_papers")
    for target in (*libraries, "abut_native", "abut-collect"):
        assert re.search(rf"\b{target}\b(?!-)", recipe), target
