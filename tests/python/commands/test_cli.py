"""The front: what it lists is there, explains itself, and costs nothing that was not asked for."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from abut.cli import VERBS, help_text
from abut.preloading import preloadable
from abut.trace import TraceWriter
from conftest import BUILD, Abut, abut_environment


def test_help_lists_every_verb(abut: Abut) -> None:
    done = abut("--help")
    assert (done.returncode, done.stdout) == (0, help_text())
    assert abut().stdout == help_text()
    assert all(f"\n  {verb} " in done.stdout for verb in VERBS)


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; sys.argv = ['abut', '--help']\nfrom abut.cli import main\n"
    script += "try: main()\nexcept SystemExit: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=abut_environment(),
        check=True,
    )  # fmt: skip
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "abut.cli" in loaded
    assert loaded.isdisjoint({"typer", "rich", "numpy", "ctypes", "matplotlib", "dataclasses"})


@pytest.mark.parametrize(
    ("word", "complaint"),
    [("comprae", "choose of compare"), ("--fast", "options follow a verb"), ("", "none called")],
)
def test_unknown_word_is_refused(abut: Abut, word: str, complaint: str) -> None:
    done = abut(word)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "abut --help" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(abut: Abut, shell: str) -> None:
    done = abut("completion", shell)
    assert done.returncode == 0, done.stderr
    assert "_ABUT_COMPLETE=complete_" in done.stdout


def test_completion_knows_the_verbs(abut: Abut) -> None:
    done = abut(_ABUT_COMPLETE="complete_bash", COMP_WORDS="abut com", COMP_CWORD="1")
    assert set(done.stdout.split()) == {"compare", "completion"}


def test_heaps_are_listed_with_what_brings_the_missing_ones(abut: Abut) -> None:
    done = abut("heaps", ABUT_LIBRARY="/nowhere/libabut.so")
    assert done.returncode == 0
    for heap in ("glibc", "jemalloc", "mimalloc", "tcmalloc", "abut"):
        assert heap in done.stdout
    assert BUILD in done.stdout


def test_reader_that_leaves_early_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m abut --help | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=abut_environment(), check=True
    )
    assert done.stderr == ""


def test_reader_that_leaves_before_the_last_words_is_no_error_either() -> None:
    """What is printed last is written when the command ends."""
    program = "from abut import cli; cli._dispatch = print; cli.main()"
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as output:
        command = [sys.executable, "-c", program, "last words"]
        environment = {**abut_environment(), "PYTHONUNBUFFERED": ""}
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.PIPE, env=environment, check=False
        )
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize(
    "words",
    ["trace head -n 9999 run.trace", "trace info run.trace", "trace head --help", "heaps",
     "trace convert --to text --force -o /dev/stdout run.trace", "report --terminal run.trace",
     "export -f collapsed --force -o /dev/stdout run.trace", "trace check --json run.trace"],
)  # fmt: skip
def test_what_nobody_reads_to_its_end_is_no_answer(words: str, tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "run.trace") as writer:
        item = writer.allocate(32, address=4096)
        for _ in range(9999):
            writer.access(item, 0)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as output:
        command = [sys.executable, "-m", "abut", *words.split()]
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.PIPE, env=abut_environment(), check=False,
            cwd=tmp_path,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_output_may_be_closed() -> None:
    command = f"{shlex.quote(sys.executable)} -m abut options >&-"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=abut_environment(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_behind_the_output_is_an_error_with_a_fix(unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        environment = {**abut_environment(), "PYTHONUNBUFFERED": unbuffered}
        command = [sys.executable, "-m", "abut", "--help"]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "abut: output: No space left on device\n  fix: make room\n"


def test_missing_library_is_an_error_with_a_fix(abut: Abut) -> None:
    for verb in ("lib", "options"):
        done = abut(verb, ABUT_LIBRARY="/nowhere/libabut.so")
        assert done.returncode == 2
        assert "/nowhere/libabut.so" in done.stderr
        assert BUILD in done.stderr


def test_file_that_is_not_the_library_is_an_error(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "libabut.so").write_text("not a library")
    done = abut("options", ABUT_LIBRARY=str(tmp_path / "libabut.so"))
    assert done.returncode == 2
    assert "cannot be used" in done.stderr


def test_lib_prints_the_path_alone(abut: Abut, library: Path) -> None:
    assert abut("lib").stdout == f"{preloadable(library)}\n"


def test_version_names_the_library_too(abut: Abut, library: Path) -> None:
    done = abut("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("abut ")
    assert str(library) in done.stdout


def test_options_are_those_of_the_library(abut: Abut, library: Path) -> None:
    options = json.loads(abut("options", "--json").stdout)
    by_name = {option["name"]: option for option in options}
    assert by_name["decay_ms"]["variable"] == "ABUT_DECAY_MS"
    assert all(option["help"] and option["kind"] for option in options)
    table, markdown = abut("options").stdout, abut("options", "--markdown").stdout
    for name in by_name:
        assert name in table
        assert f"| {name} | ABUT_{name.upper()} |" in markdown
