"""What an interrupted tuning kept counts for the same runs alone, and of whole rounds."""

import math
import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.measure.spawn import Launch, TakesTooLongError
from abut.reporters.tune import tuning_words
from abut.tuning.objective import objective_of
from abut.tuning.policies import DEFAULT, Policy
from abut.tuning.race import LeftOutError
from abut.tuning.runs import Input, Runs
from abut.tuning.tuning import Request, Tuning

COUNTED = Policy("counted", {"order": "birth"})


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Runs]:
    """Runs of `cat input`, which go on from what was kept before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input").write_text("some")
    (tmp_path / "plan").write_text("some")

    def runs() -> Runs:
        folder = tmp_path / f"scratch-{os.urandom(4).hex()}"
        folder.mkdir()
        return Runs([Input(("cat", "input"))], [], folder, "salt")

    return runs


def resumed(opened: Callable[[], Runs], *policies: Policy) -> int:
    """How many runs of a round of these were there from before."""
    with closing(opened()) as runs:
        runs.begin("race", policies, 0)
        for policy in policies:
            runs("race", policy, 0)
        return runs.resumed


def test_rounds_are_kept_for_the_same_command(opened: Callable[[], Runs]) -> None:
    assert [resumed(opened, DEFAULT, COUNTED) for _ in range(2)] == [0, 2]


@pytest.mark.parametrize("changed", ["input", "LD_LIBRARY_PATH", "ABUT_CHECK"])
def test_what_runs_depend_on_is_no_other(
    opened: Callable[[], Runs], changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed(opened, DEFAULT)
    if changed == "input":
        Path("input").write_text("else")
    else:
        monkeypatch.setenv(changed, "/nowhere")
    assert resumed(opened, DEFAULT) == 0


def test_a_policy_is_its_settings_and_what_their_files_hold(opened: Callable[[], Runs]) -> None:
    planned = Policy("counted", {"order": "birth", "plan": "plan"})
    assert [resumed(opened, COUNTED), resumed(opened, planned), resumed(opened, planned)] == [
        0,
        0,
        1,
    ]
    Path("plan").write_text("else")
    assert resumed(opened, planned) == 0


def test_a_round_that_is_not_whole_is_run_again(opened: Callable[[], Runs]) -> None:
    resumed(opened, DEFAULT)
    assert [resumed(opened, DEFAULT, COUNTED) for _ in range(2)] == [0, 2]


def test_a_journal_is_one_tunings_at_a_time_and_stays_if_something_is_in_it(
    opened: Callable[[], Runs],
) -> None:
    with closing(opened()) as runs:
        with pytest.raises(AbutError, match="another `abut tune`"):
            opened()
        runs.begin("race", [DEFAULT], 0)
    assert not runs.journal.exists()
    resumed(opened, DEFAULT)
    assert runs.journal.exists()


def test_a_journal_that_may_not_be_opened_is_named(opened: Callable[[], Runs]) -> None:
    with closing(opened()) as runs:
        pass
    runs.journal.mkdir()
    with pytest.raises(AbutError, match=runs.journal.name) as refused:
        opened()
    assert "XDG_CACHE_HOME" in refused.value.fix


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (TakesTooLongError(20.0), "takes too long: more than 20 s"),
        (AbutError("server: ended"), "fails: server: ended"),
    ],
)
def test_a_policy_under_which_a_run_fails_is_left_out(
    opened: Callable[[], Runs], monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    limits = []

    def run(launch: Launch, limit: float) -> None:
        limits.append(limit)
        raise error

    with closing(opened()) as runs:
        runs.warm_up()
        monkeypatch.setattr("abut.tuning.runs.run_once", run)
        with pytest.raises(LeftOutError, match=why):
            runs("race", COUNTED, 0)
        with pytest.raises((type(error), LeftOutError)):
            runs("race", DEFAULT, 0)
    assert limits == [5, math.inf]


def test_what_differs_under_a_policy_alone_is_left_out(
    opened: Callable[[], Runs], tmp_path: Path
) -> None:
    opened()
    command = Input(("sh", "-c", "echo $ABUT_ORDER"))
    with closing(Runs([command], [], tmp_path, "salt")) as runs:
        runs.warm_up()
        with pytest.raises(LeftOutError, match="differs: its standard output"):
            runs("race", COUNTED, 0)


def test_what_differs_now_and_then_by_default_is_no_policys(opened: Callable[[], Runs]) -> None:
    with closing(opened()) as runs:
        runs.warm_up()
        Path("input").write_text("else")
        assert runs("race", COUNTED, 0)


def test_processes_that_a_run_leaves_are_noted(opened: Callable[[], Runs], tmp_path: Path) -> None:
    opened()
    script = "sleep 300 >/dev/null & echo $! >>left"
    command = Input(("sh", "-c", script))
    with closing(Runs([command], [], tmp_path, "salt")) as runs:
        runs.warm_up()
        left = runs.left_running
    for pid in Path("left").read_text().split():
        os.kill(int(pid), signal.SIGKILL)
    request = Request([command], [], {}, objective_of("user"), 1.0, Path("p"), print)
    said = tuning_words(Tuning(request, left_running=left))
    assert said[0] == "note: a run leaves 1 processes running, which are not measured"
