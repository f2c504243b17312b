"""Tuning: race the heap's policies, measure the best again, and keep it as a profile if it wins."""

import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import abut
from abut.errors import USAGE, AbutError
from abut.machine import this_machine
from abut.measure.paired import Ratio
from abut.program import find_program
from abut.targets import write
from abut.tuning.objective import Objective
from abut.tuning.policies import DEFAULT, Policy
from abut.tuning.profile import Profile, profile_text
from abut.tuning.program import program_build_id
from abut.tuning.race import FEWEST_ROUNDS, LEAST_GAIN, LOOKS, Race, Standing, is_gain
from abut.tuning.runs import CONFIRM, Input, Runs
from abut.tuning.slots import slot_policies

_SHARE_OF_RACES = 0.6  # of the budget; the rest is for measuring the best again
_SHARE_TO_RECORD = 0.3
_NO_TIME = "the time was over before anything could be told from chance: --time-budget"


@dataclass(frozen=True, slots=True)
class Request:
    """What to tune: by `axes` of policies, for about `budget` seconds. `output` is the profile;
    with `slots`, plans are raced, too.
    """

    train: Sequence[Input]
    test: Sequence[Input]
    axes: Mapping[str, Sequence[Policy]]
    objective: Objective
    budget: float
    output: Path
    slots: bool
    show: Callable[[str], None]

    @property
    def plan(self) -> Path:
        """Where a plan that won is written."""
        return self.output.with_suffix(".plan")


@dataclass(slots=True)
class Tuning:
    """What came of it. `confirmed` is the best, measured again; `winner` is None where the default
    is kept, and `why` says why. `resumed` runs were there from before.
    """

    request: Request
    standings: list[Standing] = field(default_factory=list)
    confirmed: Standing | None = None
    winner: Policy | None = None
    gain: Ratio | None = None
    why: str = ""
    seconds: float = 0.0
    resumed: int = 0
    interrupted: bool = False


def tune(request: Request) -> Tuning:
    """Do all of it. Ctrl-C keeps the best so far, if it gains for sure.

    Raises AbutError where the program cannot be run, or the budget is too small.
    """
    result = Tuning(request)
    with tempfile.TemporaryDirectory(prefix="abut-tune-") as scratch:
        folder = Path(scratch)
        runs = Runs(request.train, request.test, folder, repr(request.axes))
        result.resumed = runs.resumed
        try:
            _tune(result, runs, folder)
            runs.forget()
        except KeyboardInterrupt:
            result.interrupted = True
            _keep_so_far(result)
        result.seconds = runs.spent
        if result.winner:
            _write(result)
    return result


def check(request: Request, policy: Policy) -> Tuning:
    """Measure whether a profile's policy still wins."""
    result = Tuning(request)
    with tempfile.TemporaryDirectory(prefix="abut-tune-") as scratch:
        runs = Runs(request.train, request.test, Path(scratch), repr(policy))
        _check_budget(request, runs.warm_up(), policies=0)
        result.confirmed = _race(result, runs).confirm(CONFIRM, policy, request.budget)
        _decide(result, "the profile")
        runs.forget()
        result.seconds = runs.spent
    return result


def _tune(result: Tuning, runs: Runs, folder: Path) -> None:
    request = result.request
    took = runs.warm_up()
    _check_budget(request, took, policies=len(next(iter(request.axes.values()))))
    race = _race(result, runs)
    base, until = DEFAULT, request.budget * _SHARE_OF_RACES
    for done, (axis, policies) in enumerate(request.axes.items(), start=1):
        # The first axis has half of the time, the second half of the rest, ...
        share = 1 - 0.5**done
        raced = [base.beside(one) for one in policies]
        base = _raced(result, race, axis, raced, share * until, took)
    if request.slots:
        left = request.budget * _SHARE_TO_RECORD
        plans = slot_policies(request.train[0].argv, took, left, folder, request.show)
        _raced(result, race, "slots", [base.beside(one) for one in plans], until, took)
    best = _best(result)
    if best is None:
        result.why = _why_none(result)
        return
    result.confirmed = race.confirm(CONFIRM, best.policy, request.budget)
    _decide(result, best.policy.name)


def _raced(
    result: Tuning, race: Race, axis: str, policies: Sequence[Policy], until: float, took: float
) -> Policy:
    """Race them; what the next ones are put beside: the best so far, if it gains for sure.

    A run takes `took` seconds.
    """
    standings = [Standing(policy) for policy in policies]
    result.standings += standings
    race.halve(axis, standings, until, took)
    best = _best(result)
    return best.policy if best and is_gain(best.ratio) else DEFAULT


def _best(result: Tuning) -> Standing | None:
    """The best of those that are left, if it seems to gain."""
    left = [one for one in result.standings if not one.out and one.value <= 1 - LEAST_GAIN]
    return min(left, key=lambda one: one.value, default=None)


def _race(result: Tuning, runs: Runs) -> Race:
    def show(phase: str, standings: Sequence[Standing]) -> None:
        ranked = sorted(standings, key=lambda one: one.value)
        rounds = len(ranked[0].logs) if ranked else 0
        said = ", ".join(f"{one.policy.name} {one.ratio}" for one in ranked[:3] if one.ratio)
        result.request.show(f"{phase}, round {rounds}, {len(ranked)} left: {said}")

    return Race(runs, result.request.objective, show)


def _check_budget(request: Request, took: float, *, policies: int) -> None:
    """Raise AbutError where not even the first rounds would be done in time."""
    least = took * (FEWEST_ROUNDS * (policies + 1) * bool(policies) + 2 * LOOKS[0])
    if least > request.budget * 1.5:
        raise AbutError(
            f"--time-budget: too little: a run takes {took:.1f} s, and at least "
            f"{least / took:.0f} runs are needed to tell anything from chance",
            fix=f"--time-budget {int(least * 2 / 60) + 1}m, or a shorter input",
            exit_code=USAGE,
        )


def _decide(result: Tuning, name: str) -> None:
    confirmed = result.confirmed
    assert confirmed is not None
    result.gain = confirmed.ratio
    figure = result.request.objective
    where = "with the test input" if result.request.test else "when it was measured again"
    if confirmed.out:
        result.why = f"with {name} the program {confirmed.out} {where}"
    elif len(confirmed.logs) < LOOKS[0]:
        result.why = _NO_TIME
    elif not is_gain(confirmed.ratio):
        took = f"{confirmed.ratio} of the {figure} under the default"
        result.why = f"{name} takes {took} {where}: no gain"
    elif lost := [
        shown
        for number in range(len(result.request.test or result.request.train))
        if (shown := confirmed.of_input(number)).low > 1
    ]:
        result.why = f"{name} wins in the mean, and loses with one input: {lost[0]}"
    else:
        result.winner = confirmed.policy


def _why_none(result: Tuning) -> str:
    if all(one.out == "no time" or not one.logs for one in result.standings):
        return _NO_TIME
    known = [one for one in result.standings if one.ratio and not one.out.startswith("differs")]
    best = min(known, key=lambda one: one.value, default=None)
    if best is None:
        return "under none of the policies the program did the same"
    took = f"{best.ratio} of the {result.request.objective} under the default"
    return (
        f"none of {len(result.standings)} policies gains {LEAST_GAIN:.0%}; the best of them, "
        f"{best.policy.name}, takes {took}"
    )


def _keep_so_far(result: Tuning) -> None:
    best = _best(result)
    if best is None or not is_gain(best.ratio):
        result.why = "interrupted before anything won"
        return
    result.winner, result.gain = best.policy, best.ratio


def _write(result: Tuning) -> None:
    request, winner = result.request, result.winner
    assert winner is not None
    settings = dict(winner.settings)
    if "plan" in settings:
        shutil.copyfile(settings["plan"], request.plan)
        settings["plan"] = request.plan.name
    program = find_program(request.train[0].argv[0])
    machine = this_machine()
    profile = Profile(
        program.name,
        program_build_id(program) or "",
        {"processor": machine.processor, "cores": machine.cores, "system": machine.system},
        settings,
        evidence(result),
    )
    write(request.output, profile_text(profile))


def evidence(result: Tuning) -> list[str]:
    """What was measured, for a reader of the profile."""
    request, winner = result.request, result.winner
    assert winner is not None
    assert result.gain is not None
    lines = [
        f"abut {abut.__version__}, {datetime.now(UTC):%Y-%m-%d}: {winner.name} takes {result.gain} "
        f"of the {request.objective} under the default, in {result.gain.rounds} rounds",
        f"why: {winner.why}",
        *(f"trained with: {shlex.join(one.measure or one.argv)}" for one in request.train),
        *(f"tested with: {shlex.join(one.measure or one.argv)}" for one in request.test),
    ]
    if result.interrupted:
        lines.append("interrupted: it was not measured again, so part of the gain may be luck")
    elif not request.test:
        lines.append("no other input was tested: that it holds for others is not proven")
    return lines
