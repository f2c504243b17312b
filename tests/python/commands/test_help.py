"""Help that is read line by line, and shells that complete verbs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, Abut, Inside
from verb_help import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_shown_one_a_line(name: str, inside: Inside) -> None:
    examples = re.findall(r"^    (\S.*)$", COMMANDS[name].help or "", re.MULTILINE)
    shown = [line.strip() for line in inside(f"{name} --help").stdout.splitlines()]
    assert f"abut {name}" in "\n".join(examples)
    assert [line for line in examples if line not in shown] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_what_takes_no_value_is_not_shown_with_one(name: str, inside: Inside) -> None:
    flags = [one.opts[0] for one in COMMANDS[name].params if getattr(one, "is_flag", False)]
    shown = inside(f"{name} --help").stdout
    assert re.findall(rf"({'|'.join((*flags, '--help'))})\b.*<", shown) == []


@pytest.mark.parametrize("group", ["trace", "plan"])
def test_examples_of_groups_are_shown_one_a_line(group: str, inside: Inside) -> None:
    lines = [line.strip() for line in inside(f"{group} --help").stdout.splitlines()]
    assert any(re.fullmatch(rf"abut {group} \w+ .*\.\w+", line) for line in lines)


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("bash", 'source "{0}"; COMP_WORDS=(abut com); COMP_CWORD=1; _abut_completion abut;'
                 ' echo "${{COMPREPLY[@]}}"'),
        ("zsh", "_ABUT_COMPLETE=complete_zsh _TYPER_COMPLETE_ARGS='abut com' abut"),
        ("fish", "source '{0}'; complete -C 'abut com'"),
    ],
)  # fmt: skip
def test_shells_complete_verbs(shell: str, script: str, abut: Abut, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / f"abut.{shell}"
    file.write_text(abut("completion", shell).stdout)
    # Each must at least be what the shell can read.
    subprocess.run([shell, "-n", str(file)], check=True)
    path = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", script.format(file)], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert {"compare", "completion"} <= set(re.findall(r"\w+", done.stdout)), done.stderr
