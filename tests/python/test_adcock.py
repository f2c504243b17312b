import json
import sys
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.move_tuning import Journal, Space, tune
from abut.papers import adcock

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
    assert len(Journal(journal).figures) == len(runs.splitlines())


def test_every_way_is_measured_in_turn_and_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    order: list[str] = []

    def answer(command: list[str]) -> dict[str, object]:
        mover = command[command.index("--mover") + 1]
        order.append(mover)
        time = 50.0 if mover == "bfs" else 100.0
        return {"last_ns": time, "worst_ms": 1.0, "m": 2.0, "checksum": "1"}

    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(adcock, "_answer", answer)
    result = adcock.run(["dict-node-1"], runs=2)
    assert order[: len(order) // 2] == order[len(order) // 2 :]
    assert "perfect, BFS is quickest, 2.00 times" in result.verdict()[0]
    assert result.tables()[0].row_count == len(order) // 2
    json.dumps(result.document())


def test_movers_that_compute_something_else_are_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(
        adcock,
        "_answer",
        lambda command: {"last_ns": 1.0, "worst_ms": 1.0, "m": 1.0, "checksum": command[-1]},
    )
    with pytest.raises(AbutError, match="change what is computed"):
        adcock.run(["dict-node-1"], runs=1)


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(AbutError, match="nonsense"):
        adcock.run(["nonsense"])
