"""What tuning keeps: written whole, beside what it names, and nothing that has not surely won."""

from pathlib import Path

import pytest

from abut.measure.paired import Ratio
from abut.reporters.tune import check_words
from abut.tuning.kept import write_kept
from abut.tuning.objective import objective_of
from abut.tuning.policies import Policy
from abut.tuning.runs import Input
from abut.tuning.tuning import Request, Tuning


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


def test_names_with_blanks_can_be_typed_again(tmp_path: Path) -> None:
    said = check_words(Tuning(request_of(tmp_path / "p")), Path("my p.profile"))
    assert said[-1] == "next: abut tune --force -o 'my p.profile' -- /bin/true"
