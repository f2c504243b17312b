import json
import sys
from pathlib import Path

import pytest
import typer

from abut import json_lines
from abut.errors import AbutError
from abut.tuning.move import Space, main, tune
from abut_papers.adcock import bench as adcock
from abut_papers.adcock.experiments import SIZES, experiments
from abut_papers.adcock.journal import RunJournal, TimeIsUpError

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
    told = capsys.readouterr()
    assert told.out.splitlines()[0] == "best last_ns 100: --a 3 --b 2"
    assert told.out.splitlines()[1].startswith("a: ")
    assert "settings measured" in told.err


def test_every_way_is_measured_in_turn_and_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    order: list[str] = []

    def answer(command: list[str], _heap: str = "") -> dict[str, object]:
        mover = command[command.index("--mover") + 1]
        order.append(mover)
        time = 50.0 if mover == "bfs" else 100.0
        course = [time] * 10
        return {"last_ns": time, "worst_ms": 1.0, "m": 2.0, "checksum": "1", "course_ns": course}

    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(adcock, "_answer", answer)
    result = adcock.run(["dict-node-1"], runs=2)
    assert order[: len(order) // 2] == order[len(order) // 2 :]
    assert "perfect, BFS is quickest, 2.00 times" in result.verdict()[0]
    assert result.tables()[0].row_count == len(order) // 2
    json.dumps(result.document())


def test_a_pass_that_comes_rarely_is_measured_from_one_to_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rounds = iter((1.0, 2.0))

    def answer(command: list[str], _heap: str = "") -> dict[str, object]:
        # A pass falls into the fourth and the eighth tenth.
        pass_takes = 9.0 * next(rounds) if "3200000" in command else 0.0
        course = [1.0 + (pass_takes if tenth in (3, 7) else 0.0) for tenth in range(10)]
        return {"last_ns": 1.0, "worst_ms": 1.0, "m": 2.0, "checksum": "1", "course_ns": course}

    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(adcock, "_answer", answer)
    result = adcock.run(["dict-fields-1"], "full", runs=2, variants=["periodic2space, rarely"])
    rarely = result.document()["dict-fields-1"]["periodic2space, rarely"]
    assert rarely["rounds"] == (1 + 9 / 4, 1 + 18 / 4)
    assert rarely["last_ns"] == 1 + 27 / 8
    row = [list(column.cells)[-1] for column in result.tables()[0].columns]
    assert "0.23 (0.18\N{EN DASH}0.31)" in row


def test_movers_that_compute_something_else_are_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(
        adcock,
        "_answer",
        lambda command, _heap: {"last_ns": 1.0, "worst_ms": 1.0, "m": 1.0, "checksum": command[-1]},
    )
    with pytest.raises(AbutError, match="change what is computed"):
        adcock.run(["dict-node-1"], runs=1)


def test_a_series_goes_on_from_its_journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    measured: list[list[str]] = []

    def answer(command: list[str], _heap: str = "") -> dict[str, object]:
        measured.append(command)
        time = float(len(measured))
        course = [time] * 10
        return {"last_ns": time, "worst_ms": 1.0, "m": 1.0, "checksum": "1", "course_ns": course}

    (tmp_path / "move_dict").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(adcock, "_answer", answer)
    path = tmp_path / "journal"
    with pytest.raises(TimeIsUpError):
        adcock.run(["dict-node-1"], runs=2, journal=RunJournal(path, seconds=0))
    assert measured == []
    first = adcock.run(["dict-node-1"], runs=1, journal=RunJournal(path))
    runs = len(measured)
    with path.open("a") as file:
        file.write('{"command": "cut')  # where it was broken off
    again = adcock.run(["dict-node-1"], runs=1, journal=RunJournal(path, seconds=0))
    assert len(measured) == runs
    assert again.document() == first.document()
    kept = RunJournal(path, kept_only=True)
    shown = adcock.run(["dict-node-1", "mlist-15"], runs=1, journal=kept)
    assert len(measured) == runs
    assert shown.document() == first.document()
    chosen = adcock.run(["dict-node-1"], runs=1, journal=RunJournal(path), variants=["perfect"])
    assert list(chosen.document()["dict-node-1"]) == [
        *("none", "upper bound", "perfect, BFS", "perfect, fixedHeight")
    ]


def test_a_container_is_measured_under_each_heap(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "move_containers").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)

    def answer(command: list[str], heap: str) -> dict[str, object]:
        if heap == "mimalloc":
            return {"missing": True}
        walk = 10.0 if "abut" in command else 90.0
        return {"walk_ns": walk, "change_ns": 30.0, "checksum": "1"}

    monkeypatch.setattr(adcock, "_answer", answer)
    result = adcock.run(["list"], runs=1)
    assert list(result.document()["list"]) == [
        *("std::list, glibc", "std::list, jemalloc", "boost::container::list"),
        *("abut::list, glibc", "abut::list, jemalloc"),
    ]
    assert "9.00 times as fast as std::list" in result.verdict()[0]
    assert "a change takes 1.00 times as long" in result.verdict()[0]


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(AbutError, match="nonsense"):
        adcock.run(["nonsense"])


def test_sweeps_and_courses_are_tables_and_pictures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")

    def answer(command: list[str], _heap: str = "") -> dict[str, object]:
        course = [100.0 + 10 * tenth for tenth in range(10)]
        work = command[: command.index("--mover")]
        figures = {"first_ns": 100.0, "last_ns": 190.0, "worst_ms": 1.0, "m": 2.0}
        return figures | {"checksum": str(work), "course_ns": course}

    for program in ("dict", "mlist"):
        (tmp_path / f"move_{program}").touch()
    places = type("Places", (), {"programs": tmp_path})()
    monkeypatch.setattr(adcock, "bench_places", lambda: places)
    monkeypatch.setattr(adcock, "_answer", answer)
    result = adcock.run(["degradation-mlist", "memory-dict", "mlist-15"], runs=1)
    assert "1.90 times as slow at the end" in result.verdict()[0]
    assert "1.00 times the bound's time" in result.verdict()[1]
    assert result.tables()[0].columns[10].header == "100 %"
    assert {column.header for column in result.tables()[2].columns} > {"thesis", "speedup"}
    result.draw(tmp_path / "adcock.svg")
    picture = (tmp_path / "adcock.svg").read_text()
    assert "degradation" in picture
    assert result.document()["degradation-mlist"]["degrades, v = 2^7"]["course_ns"][9] == 190.0


def test_every_size_has_the_same_experiments() -> None:
    names = [[one.name for one in experiments(suite)] for suite in SIZES]
    assert all(each == names[0] for each in names)
    assert set(adcock.PROGRAMS) <= set(names[0])
    for experiment in experiments("full"):
        labels = [variant.label for variant in experiment.variants]
        assert len(labels) == len(set(labels))


def test_look_ups_that_come_to_fewer_lines_miss_fewer() -> None:
    import numpy as np

    scattered = np.arange(40_000, dtype=np.uint64) * 4160  # each in a line and page of its own
    paired = np.repeat(np.arange(20_000, dtype=np.uint64) * 4160, 2)
    far, near = adcock.misses_of(scattered, 10_000), adcock.misses_of(paired, 10_000)
    assert far["pentium4 lines"] == 4
    assert near["pentium4 lines"] == 2
    assert near["zen5 pages"] <= far["zen5 pages"] / 2
