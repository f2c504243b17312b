"""Parts that are not built are named with the command that builds them."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from abut.commands import checkup
from abut.errors import NO, RUN_FAILED
from abut.places import collector_candidate, library_candidate
from conftest import BUILD, ROOT, Abut, abut_environment

# The command line of another tree than the one that the environment belongs to.
ELSEWHERE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
from abut.cli import main
main()
"""


def test_what_is_not_built_is_named_with_its_command(
    abut: Abut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABUT_LIBRARY", "/nowhere/libabut.so")
    done = abut("doctor")
    assert done.returncode == NO
    assert re.search(rf"next: {re.escape(BUILD)}( |$)", done.stdout, re.MULTILINE)
    for words in ("lib", "run -- true"):
        assert BUILD in abut(*words.split()).stderr


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


def test_the_doctor_names_what_the_machine_lacks_and_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "kernel/yama/ptrace_scope": "3",
        "vm/max_map_count": "100",
        "kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
    }
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(checkup, "_PROC", tmp_path)
    monkeypatch.setattr(checkup, "_SYS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("abut.heaps._find_library", lambda _: None)
    found = {one.what: one for one in checkup.checkup()}
    lacking = {
        "jemalloc": ("limited", "sudo apt install libjemalloc2"),
        "mimalloc": ("limited", "sudo apt install libmimalloc2.0"),
        "tcmalloc": ("limited", "sudo apt install libtcmalloc-minimal4"),
        "valgrind": ("missing", "sudo apt install valgrind gcc libc6-dev"),
        "cc": ("missing", "sudo apt install gcc libc6-dev"),
        "eu-addr2line": ("limited", "sudo apt install elfutils"),
        "lua5.4": ("missing", "sudo apt install lua5.4"),
        "ptrace scope": ("limited", "sudo sysctl kernel.yama.ptrace_scope=1"),
        "mappings": ("limited", "sudo sysctl vm.max_map_count=65530"),
    }
    assert {name: (found[name].state, found[name].fix) for name in lacking} == lacking
    assert found["huge pages"].says == "always madvise [never]"
    assert "hardware counters" in found
