import sys
from pathlib import Path

import pytest
import typer

from abut import json_lines
from abut.tuning.move import Space, main, tune

PROGRAM = """
import json, pathlib, sys
values = dict(zip(sys.argv[2::2], sys.argv[3::2]))
with open(sys.argv[1], "a") as file: file.write("run\\n")
a, b = int(values["--a"]), int(values["--b"])
if a == 9: sys.exit(1)
print(json.dumps({"last_ns": 100 + (a - 3) ** 2 * 10 + (b - 2) ** 2}))
"""


@pytest.fixture
def space(tmp_path: Path) -> Space:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    return Space(
        (sys.executable, str(program), str(tmp_path / "runs")),
        {"a": list("123459"), "b": list("12345")},
    )


def test_tuning_finds_the_best_setting_and_what_mattered(space: Space, tmp_path: Path) -> None:
    tuned = tune(space, tmp_path / "journal", starts=2, workers=2)
    assert dict(tuned.best) == {"a": "3", "b": "2"}
    assert [option for option, _ in tuned.importance()] == ["a", "b"]


def test_tuning_goes_on_where_it_was(space: Space, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    first = tune(space, journal, starts=1)
    with journal.open("a") as file:
        file.write('{"command": ["cut')  # where it was broken off
    runs = (tmp_path / "runs").read_text()
    assert tune(space, journal, starts=1).best == first.best
    assert (tmp_path / "runs").read_text() == runs
    assert len(list(json_lines.read(journal))) == len(runs.splitlines())


def test_tuning_from_a_shell_tells_what_is_best(
    space: Space,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [f"--option={name}={','.join(values)}" for name, values in space.options.items()]
    journal = f"--journal={tmp_path / 'journal'}"
    monkeypatch.setattr(
        sys, "argv", ["tune", *arguments, journal, "--starts=1", "--", *space.command]
    )
    with pytest.raises(SystemExit) as ended:
        typer.run(main)
    assert not ended.value.code
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == "best last_ns 100: --a 3 --b 2"
    assert printed.out.splitlines()[1].startswith("a: ")
    assert "settings measured" in printed.err
