import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.errors import AbutError
from abut.papers import Request
from abut.places import bench_places
from abut_papers.adcock import bench as adcock
from abut_papers.adcock.experiments import SIZES, experiments
from abut_papers.adcock.tables import MoveResult

Answer = Callable[[list[str]], dict[str, object]]
Measure = Callable[..., MoveResult]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measure:
    """Measures experiments whose programs answer as the test says."""
    for program in ("dict", "mlist"):
        (tmp_path / f"move_{program}").touch()
    monkeypatch.setattr(adcock, "bench_places", type("Places", (), {"programs": tmp_path}))

    def measure(answer: Answer, *names: str, suite: str = "quick", **more: Any) -> MoveResult:
        monkeypatch.setattr(adcock, "_answer", answer)
        request = Request(names, (), suite, tmp_path, more.pop("fresh", False), print, **more)
        return adcock.measure(request)

    return measure


def answered(time: float, **more: object) -> dict[str, object]:
    figures = {"first_ns": 100.0, "last_ns": time, "worst_ms": 1.0, "m": 2.0, "checksum": "1"}
    return {**figures, "course_ns": [time] * 10, **more}


def test_every_mover_is_measured_in_turn_and_compared(measured: Measure) -> None:
    order: list[str] = []

    def answer(command: list[str]) -> dict[str, object]:
        order.append(command[command.index("--mover") + 1])
        return answered(50.0 if order[-1] == "bfs" else 100.0)

    result = measured(answer, "dict-node-1")
    third = len(order) // 3
    assert order[:third] == order[third : 2 * third] == order[2 * third :]
    claims = {claim.what: claim for claim in result.claims()}
    assert claims["dict-node-1: perfect, BFS"][1:3] == ("37 %", "50 %")
    assert result.tables()[0].row_count == third
    json.dumps(result.document())


def test_movers_that_compute_something_else_are_an_error(measured: Measure) -> None:
    with pytest.raises(AbutError, match="change what is computed"):
        measured(lambda command: answered(1.0, checksum=command[-1]), "dict-node-1")


def test_a_series_goes_on_after_the_rounds_that_are_kept(measured: Measure) -> None:
    runs: list[list[str]] = []
    variants = next(len(one.variants) for one in experiments("quick") if one.name == "dict-node-1")

    def answer(command: list[str]) -> dict[str, object]:
        runs.append(command)
        if len(runs) == variants + 5:
            raise KeyboardInterrupt
        return answered(float(len(runs)))

    with pytest.raises(KeyboardInterrupt):
        measured(answer, "dict-node-1")
    first = measured(answer, "dict-node-1")
    assert len(runs) == 3 * variants + 5
    assert measured(answer, "dict-node-1").document() == first.document()
    assert len(runs) == 3 * variants + 5
    measured(answer, "dict-node-1", quick=True, fresh=True)
    assert len(runs) == 4 * variants + 5


def test_an_unknown_experiment_or_size_is_named(measured: Measure) -> None:
    with pytest.raises(AbutError, match="nonsense"):
        measured(lambda _: answered(1.0), "nonsense")
    with pytest.raises(AbutError, match="enormous"):
        measured(lambda _: answered(1.0), "dict-node-1", suite="enormous")


def test_every_size_has_the_same_experiments() -> None:
    names = [[one.name for one in experiments(suite)] for suite in SIZES]
    assert all(each == names[0] for each in names)
    assert set(adcock.QUICK["programs"]) <= set(adcock.PROGRAMS) == set(names[0])
    for experiment in experiments("full"):
        labels = [variant.label for variant in experiment.variants]
        assert len(labels) == len(set(labels))


def test_lines_are_counted_where_a_path_comes_to_another(measured: Measure) -> None:
    def answer(command: list[str]) -> dict[str, object]:
        if "--visits" in command:
            visits = np.array([0, 64, 128, 4096, 0, 64, 192, 64], np.uint64)
            visits.tofile(command[command.index("--visits") + 1])
        return answered(100.0, looked_up=2)

    # What was timed with the same arguments is not taken for what was followed.
    timed, paths = measured(answer, "dict-node-1", "balance-dict").tables()
    assert timed.row_count > paths.row_count
    assert {*paths.columns[1].cells} == {"4"}, "nodes of a look-up"
    assert {*paths.columns[2].cells} == {"0.75"}, "lines: 0, 1, 32, 0, 1, 0"


@pytest.mark.long  # the program takes two minutes to build
def test_operations_that_are_not_timed_change_the_layout_alike(tmp_path: Path) -> None:
    def layout(changes: str, *sample: str) -> bytes:
        work = ["--nodes", "500", "--operations", "8000", "--changes", changes, *sample]
        command = [f"{bench_places().programs}/move_dict", "--mover", "none", *work]
        subprocess.check_output([*command, "--visits", f"{tmp_path}/visits"])
        visits = np.fromfile(tmp_path / "visits", np.uint64)
        return bytes(visits - visits[0])

    assert layout("100", "--sample", "160") == layout("100")
    assert layout("90", "--sample", "160") != layout("100")
