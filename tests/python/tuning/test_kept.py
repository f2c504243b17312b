"""What tuning keeps: written whole, beside what it names, and nothing that has not surely won."""

from dataclasses import replace
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.measure.paired import Ratio
from abut.reporters.tune import check_words
from abut.tuning.kept import write_kept
from abut.tuning.objective import objective_of
from abut.tuning.policies import Policy
from abut.tuning.profile import Profile, merged
from abut.tuning.runs import Input
from abut.tuning.tune import check
from abut.tuning.tuning import Request, Tuning
from conftest import Inside


def request_of(output: Path) -> Request:
    inputs = [Input(("/bin/true",))]
    return Request(inputs, [], {}, objective_of("user"), 1.0, output, lambda said: None)


def test_a_plan_that_is_followed_is_replaced_and_not_cut(tmp_path: Path) -> None:
    (tmp_path / "slots.plan").write_bytes(b"new")
    policy = Policy("slots", {"plan": str(tmp_path / "slots.plan")})
    request = request_of(tmp_path / "true.profile")
    request.plan.write_bytes(b"which is longer")
    with request.plan.open("rb") as followed:
        write_kept(Tuning(request, winner=policy, gain=Ratio(0.9, 0.8, 0.95, 6)))
        assert followed.read() == b"which is longer"
    assert request.plan.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("output", "plan"),
    [("p", "p.plan"), ("p.profile", "p.plan"), ("p.v2", "p.v2.plan"), ("p.plan", "p.plan.plan")],
)
def test_each_profile_has_a_plan_of_its_own(output: str, plan: str) -> None:
    assert request_of(Path("folder") / output).plan == Path("folder") / plan


@pytest.mark.parametrize(
    ("is_other", "again"),
    [(False, "abut tune --force -o 'my p.profile'"), (True, "abut tune")],
)
def test_what_to_type_names_the_profile_but_not_another_programs(
    tmp_path: Path, is_other: bool, again: str
) -> None:
    result = Tuning(request_of(tmp_path / "p"))
    said = check_words(result, Path("my p.profile"), is_other=is_other)
    assert said[-1] == f"next: {again} -- /bin/true"


PROFILE = 'profile = 1\n[program]\nname = "lua"\nobjective = "%s"\n[settings]\norder = "birth"\n'


@pytest.mark.parametrize(
    ("objective", "problem"),
    [
        ("rss", "p was measured with lua, not true"),
        ("measured", "p: was tuned with a figure of --measure"),
        ("speed", "'speed' is no figure with a weight"),
    ],
)
def test_a_check_is_of_what_the_profile_was_tuned_for(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str, problem: str
) -> None:
    asked = []

    def check(request: Request, policy: Policy) -> Tuning:
        asked.append(str(request.objective))
        return Tuning(request)

    monkeypatch.setattr("abut.tuning.tune.check", check)
    (tmp_path / "p").write_text(PROFILE % objective)
    done = inside("tune --check p -- /bin/true")
    assert problem in done.stderr
    assert asked == ["peak RSS"] * (objective == "rss")


def test_a_check_that_has_no_time_for_an_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("abut.tuning.tune._check_budget", lambda *words: None)
    with pytest.raises(AbutError, match="--time-budget: over before") as refused:
        check(replace(request_of(tmp_path / "p"), budget=0.0), Policy("p", {"order": "birth"}))
    assert (
        refused.value.exit_code is None
    )  # the one of a wrong command line, not of "it does not win"


def test_merging_keeps_an_objective_that_all_have() -> None:
    one = Profile("p", "", {}, {"order": "birth"}, objective="rss")
    assert merged({Path("a"): one, Path("b"): one}, Path()).objective == "rss"
    assert merged({Path("a"): one, Path("b"): replace(one, objective="")}, Path()).objective == ""
