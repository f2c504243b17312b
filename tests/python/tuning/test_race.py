"""The race of policies, on measurements that are made up: what wins, and how seldom chance does."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.measure.paired import ratio_of
from abut.tuning.objective import MEASURED, Figures, Objective, objective_of
from abut.tuning.policies import DEFAULT, Policy, declared_axes
from abut.tuning.race import LONGER, LeftOutError, Race, Standing, is_gain, takes_longer
from abut.tuning.runs import CONFIRM, Input
from abut.tuning.tune import tune
from abut.tuning.tuning import Request, Tuning

EIGHT = [Policy(f"policy-{number}", {"order": "birth"}) for number in range(8)]
FOREVER = math.inf


class MadeUp:
    """Runs that take a second each, whose times are drawn: `effects` by policy, one run in twenty
    up to twice as long. `competitor` is how much longer runs take while others use the machine;
    `kernel` what a policy's wall time has besides, as a multiple of its user time.
    """

    def __init__(
        self,
        seed: int,
        effects: Mapping[str, float],
        competitor: float = 0.0,
        kernel: Mapping[str, float] | None = None,
    ) -> None:
        self._random = random.Random(seed)
        self._effects, self._competitor, self._kernel = effects, competitor, kernel or {}
        self.spent, self.resumed, self.left_running = 0.0, 0, 0

    def warm_up(self) -> tuple[float, float]:
        return 1.0, 1.0

    def friendly_sites(self) -> list[str]:
        return []

    def begin(self, phase: str, policies: Sequence[Policy], number: int) -> None:
        pass

    def forget(self) -> None:
        pass

    def close(self) -> None:
        pass

    def __call__(self, phase: str, policy: Policy, number: int) -> Sequence[Figures]:
        self.spent += 1
        effect = self._effects.get(policy.name, 1.0)
        if not effect:
            raise LeftOutError("differs: it exits with 1")
        wild = self._random.random() if self._random.random() < 0.05 else 0.0
        busy = self._competitor * self._random.random()
        user = effect * math.exp(self._random.gauss(0, 0.05)) * (1 + wild + busy)
        return [{"user": user, "wall": user * (1 + self._kernel.get(policy.name, 0.0))}]


def raced(runs: MadeUp, until: float = FOREVER) -> tuple[list[Standing], Standing | None]:
    """All standings, and the best of those that are left, measured again."""
    race = Race(runs, objective_of("user"), lambda phase, standings: None)
    standings = [Standing(policy) for policy in EIGHT]
    race.halve("placement", standings, until, 1.0)
    left = [one for one in standings if not one.out and one.value < 0.99]
    best = min(left, key=lambda one: one.value, default=None)
    return standings, best and race.confirm("confirm", Standing(best.policy), until)


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Tuning]:
    """A whole tuning with made-up runs: of settings alone, with time for a hundred runs."""
    monkeypatch.setattr("abut.tuning.tune.write_kept", lambda result: None)
    monkeypatch.setattr("abut.tuning.tune.predictor_of", lambda *words: None)

    def result(runs: MadeUp, budget: float = 100.0) -> Tuning:
        monkeypatch.setattr("abut.tuning.tune.Runs", lambda *words: runs)
        command = [Input(("program",))]
        figure = objective_of("user")
        return tune(
            Request(
                command,
                [],
                declared_axes(figure.weights),
                figure,
                budget,
                Path("p"),
                lambda said: None,
            )
        )

    return result


def test_tuning_finds_settings_of_several_axes(tuned: Callable[..., Tuning]) -> None:
    found = [
        tuned(MadeUp(seed, {"birth": 0.8, "birth+huge": 0.7, "huge": 0.9, "pools": 0.0}))
        for seed in range(20)
    ]
    assert sum(one.winner is not None for one in found) >= 19
    assert sum(one.winner is not None and one.winner.name == "birth+huge" for one in found) >= 15
    assert all(one.seconds <= 100 + 20 for one in found)


def test_what_moves_time_into_the_kernel_does_not_win(tuned: Callable[..., Tuning]) -> None:
    effects = {"birth": 0.8, "birth+huge": 0.7, "huge": 0.9}
    for seed in range(20):
        result = tuned(MadeUp(seed, effects, kernel={"birth+huge": 0.8, "huge": 0.8}))
        assert result.winner is None or result.winner.name == "birth", seed
        assert result.others.keys() == {"wall"}
    slowed = dict.fromkeys(("policy-1", "policy-2"), 2.0)
    standings, _ = raced(MadeUp(1, {"policy-1": 0.7, "policy-2": 0.7}, kernel=slowed))
    assert [one.out for one in standings[1:3]] == [LONGER, LONGER]
    checked = Race(
        MadeUp(1, {"policy-0": 0.8}, kernel={"policy-0": 0.5}),
        objective_of("user"),
        lambda phase, standings: None,
    ).confirm("confirm", Standing(EIGHT[0]), FOREVER)
    assert takes_longer(checked, objective_of("user")) == checked.others["wall"]
    assert takes_longer(checked, objective_of("wall")) is None


class Stopped(MadeUp):
    """Ctrl-C comes after so many runs: of the races, or when the best is measured again, and then
    takes `again` of the time.
    """

    races, again, confirmations = 220, 1.0, 0

    def __call__(self, phase: str, policy: Policy, number: int) -> Sequence[Figures]:
        if phase.startswith(CONFIRM):
            self.races, self.confirmations = 1000, self.confirmations - 1
            self._effects = {"birth": self.again}
        if self.spent >= self.races or self.confirmations < 0:
            raise KeyboardInterrupt
        return super().__call__(phase, policy, number)


@pytest.mark.parametrize("kernel", [0.0, 0.47])
def test_interrupted_it_keeps_what_gains_and_takes_no_longer(
    tuned: Callable[..., Tuning], kernel: float
) -> None:
    """Where a race has had enough rounds to tell: several that gain leave it late."""
    names = ("birth", "birth+retain", "birth+huge", "birth+huge-retained")
    effects, kernels = dict.fromkeys(names, 0.7), dict.fromkeys(names, kernel)
    found = [tuned(Stopped(seed, effects, kernel=kernels), 600.0) for seed in range(20)]
    assert all(one.interrupted and one.confirmed is None for one in found)
    winners = [one.winner.name for one in found if one.winner]
    assert set(winners) <= set(names)
    assert len(winners) >= 15 if not kernel else len(winners) <= 5
    assert all(one.others["wall"].value <= 1.01 for one in found if one.winner)


def test_interrupted_it_seldom_keeps_what_gains_by_chance(tuned: Callable[..., Tuning]) -> None:
    found = [tuned(Stopped(seed, {}), 600.0) for seed in range(100)]
    assert sum(one.winner is not None for one in found) <= 3


@pytest.mark.parametrize(("again", "confirmations"), [(1.2, 16), (0.7, 11), (0.95, 39)])
def test_what_is_measured_again_counts_by_that_alone(
    tuned: Callable[..., Tuning], again: float, confirmations: int
) -> None:
    for seed in range(10):
        runs = Stopped(seed, {"birth": 0.7})
        runs.again, runs.confirmations = again, confirmations
        result = tuned(runs, 300.0)
        assert result.winner is None or (result.confirmed and again < 1)


def test_what_is_faster_wins_and_no_other() -> None:
    for seed in range(20):
        standings, best = raced(MadeUp(seed, {"policy-3": 0.8, "policy-5": 1.3, "policy-6": 0.0}))
        assert best is not None
        assert (best.policy.name, is_gain(best.ratio)) == ("policy-3", True)
        assert standings[5].out
        assert standings[6].out == "differs: it exits with 1"
        assert len(standings[6].logs) == 0


def test_what_cannot_be_recorded_is_tuned_by_settings(
    tuned: Callable[..., Tuning], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refuse(*words: object) -> None:
        asked.append(words)
        raise AbutError("it cannot be recorded")

    monkeypatch.setattr("abut.tuning.tune.predictor_of", refuse)
    runs = MadeUp(1, {"birth": 0.7})
    monkeypatch.setattr(runs, "warm_up", lambda: (0.5, 0.5))
    winner = tuned(runs).winner
    assert (len(asked), winner and winner.name.split("+")[0]) == (1, "birth")


@pytest.mark.parametrize("competitor", [0.0, 0.5])
def test_chance_wins_in_few_of_a_hundred_trials(
    tuned: Callable[..., Tuning], competitor: float
) -> None:
    """As each policy is the default; a competing process makes no more of them win."""
    found = [tuned(MadeUp(seed, {}, competitor=competitor)) for seed in range(100)]
    assert sum(one.winner is not None for one in found) <= 8
    assert all(one.why for one in found if one.winner is None)


def test_a_confirmation_alone_errs_as_seldom_as_it_says() -> None:
    def wins(seed: int) -> bool:
        race = Race(MadeUp(seed, {}), objective_of("user"), lambda phase, standings: None)
        return is_gain(race.confirm("confirm", Standing(EIGHT[0]), FOREVER).ratio)

    assert 0 < sum(wins(seed) for seed in range(400)) <= 18  # 2.5 % and chance


def test_a_competing_process_makes_intervals_wider() -> None:
    def width(competitor: float) -> float:
        runs = MadeUp(1, {"policy-0": 0.9}, competitor=competitor)
        race = Race(runs, objective_of("user"), lambda phase, standings: None)
        ratio = race.confirm("confirm", Standing(EIGHT[0]), 16).ratio
        assert ratio is not None
        return ratio.high - ratio.low

    assert width(0.5) > 2 * width(0.0)


def test_a_race_ends_when_its_time_is_over_or_nothing_is_left_to_race() -> None:
    runs = MadeUp(1, {})
    raced(runs, until=10)
    assert runs.spent <= 10 + 9  # and what was left of its round
    lost = MadeUp(1, {policy.name: 0.0 for policy in EIGHT})
    assert raced(lost)[1] is None


def test_rounds_are_shuffled_and_the_same_when_repeated() -> None:
    orders: list[list[str]] = [[], []]
    for order in orders:
        runs = MadeUp(1, {})

        def noting(
            phase: str, policy: Policy, number: int, runs: MadeUp = runs, order: list[str] = order
        ) -> Sequence[Figures]:
            order.append(policy.name)
            return runs(phase, policy, number)

        noting.spent, noting.begin = 0.0, runs.begin  # type: ignore[attr-defined]
        race = Race(noting, objective_of("user"), lambda phase, standings: None)  # type: ignore[arg-type]
        race.confirm("confirm", Standing(EIGHT[0]), FOREVER)
    assert orders[0] == orders[1]
    assert {tuple(orders[0][at : at + 2]) for at in range(0, len(orders[0]), 2)} == {
        (DEFAULT.name, "policy-0"),
        ("policy-0", DEFAULT.name),
    }


def test_a_budget_holds_what_the_test_takes(tuned: Callable[..., Tuning]) -> None:
    runs = MadeUp(1, {})
    runs.warm_up = lambda: (1.0, 20.0)  # type: ignore[method-assign]
    with pytest.raises(AbutError, match=r"--time-budget: too little: .* take 256\.0 s"):
        tuned(runs)


def test_an_interval_is_that_of_wilcoxon() -> None:
    # Eight differences: at 95 % the fourth smallest and the fourth largest of 36 means of pairs.
    logs = [0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, 0.8]
    means = sorted((one + other) / 2 for at, one in enumerate(logs) for other in logs[at:])
    found = ratio_of(logs, 0.95)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((means[3], means[-4]))
    assert found.value == pytest.approx(math.exp((means[17] + means[18]) / 2))
    few = ratio_of([0.1] * 5, 0.95)  # five cannot tell at 95 %
    assert (few.high, str(few)) == (math.inf, "1.105")


def test_objectives_are_weighted_and_may_be_better_the_larger() -> None:
    ours, theirs = [{"user": 1.0, "rss": 40.0}], [{"user": 2.0, "rss": 20.0}]
    assert math.exp(objective_of("user").log_ratio(ours, theirs)) == pytest.approx(0.5)
    both = objective_of("7*user + 3 * rss")
    assert math.exp(both.log_ratio(ours, theirs)) == pytest.approx(0.7 * 0.5 + 0.3 * 2)
    assert str(both) == "0.7 user time + 0.3 peak RSS"
    more = Objective({MEASURED: 1.0}, more_is_better=True)
    assert math.exp(more.log_ratio([{MEASURED: 200.0}], [{MEASURED: 100.0}])) == pytest.approx(0.5)
    for wrong in ("", "speed", "user+user", "0*user", "user-rss", "user*2"):
        with pytest.raises(AbutError):
            objective_of(wrong)


def test_policies_combine_across_axes() -> None:
    axes = declared_axes({"user", "rss"})
    assert "lean" in {policy.name for policy in axes["memory"]}
    assert "lean" not in {policy.name for policy in declared_axes({"user"})["memory"]}
    assert all(policy.why for policies in axes.values() for policy in policies)
    birth, huge = Policy("birth", {"order": "birth"}), Policy("huge", {"thp": "always"})
    assert birth.beside(huge) == Policy("birth+huge", {"order": "birth", "thp": "always"})
    assert DEFAULT.beside(huge) == huge
