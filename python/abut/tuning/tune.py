"""Tuning: from coarse to fine, race what may gain, measure the best again, and keep it if it wins.

First the heap's settings; then, where there is time to record a run, places for contexts; then a
slot an object, where the simulator sees a gain that those leave.
"""

import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from abut.errors import AbutError
from abut.measure.paired import CONFIDENCE
from abut.tuning.contexts import beside, context_policies
from abut.tuning.first_run import least_seconds
from abut.tuning.kept import write_kept
from abut.tuning.policies import DEFAULT, Policy
from abut.tuning.predictor import predictor_of
from abut.tuning.race import (
    BEHIND,
    FEWEST_ROUNDS,
    FIRST_LOOK,
    LEAST_GAIN,
    LONGER,
    NO_TIME,
    Race,
    Standing,
    is_gain,
    takes_longer,
)
from abut.tuning.runs import CONFIRM, Runs
from abut.tuning.slots import slot_policies
from abut.tuning.tuning import Request, Tuning

# Of the budget, when the races of an axis end: of the first, with or without a recorded run after
# it, of layouts, and of the rest. What they leave is for measuring the best again.
_UNTIL_RECORDED, _UNTIL_PLACED, _UNTIL_LAID_OUT, _UNTIL_RACED = 0.2, 0.4, 0.5, 0.6
_SHARE_TO_RECORD = 0.2
_LIKELY_GAIN = 0.03
_ROUNDS_BEFORE = 3  # of the first axis, that there must be time for
_CONFIRMATIONS = (CONFIRM, f"{CONFIRM} the next best")
_TOO_LITTLE = "--time-budget: over before anything could be distinguished from chance"


def tune(request: Request) -> Tuning:
    """Do all of it. Ctrl-C keeps the best so far, if it gains for sure.

    Raises AbutError where the program cannot be run, or the budget is too small.
    """
    result = Tuning(request)
    with tempfile.TemporaryDirectory(prefix="abut-tune-") as scratch:
        folder = Path(scratch)
        with closing(Runs(request.train, request.test, folder, repr(request.axes))) as runs:
            try:
                _tune(result, runs, folder)
            except KeyboardInterrupt:
                result.interrupted = True
                _keep_so_far(result)
            result.resumed = runs.resumed
            result.seconds, result.left_running = runs.spent, runs.left_running
            if result.winner:
                write_kept(result)
            if not result.interrupted:
                runs.forget()
    return result


def check(request: Request, policy: Policy) -> Tuning:
    """Measure whether a profile's policy still wins. Raises AbutError where time is too short."""
    result = Tuning(request)
    with (
        tempfile.TemporaryDirectory(prefix="abut-tune-") as scratch,
        closing(Runs(request.train, request.test, Path(scratch), repr(policy))) as runs,
    ):
        _check_budget(request, 0.0, runs.warm_up()[1])
        result.confirmed = Standing(policy)
        _race(result, runs).confirm(CONFIRM, result.confirmed, request.budget)
        _decide(result, "the profile")
        if result.why == _TOO_LITTLE:
            raise AbutError(_TOO_LITTLE, fix="give it more time")
        runs.forget()
        result.seconds, result.left_running = runs.spent, runs.left_running
    return result


def _tune(result: Tuning, runs: Runs, folder: Path) -> None:
    request = result.request
    took, again = runs.warm_up()
    result.took = took
    races = FEWEST_ROUNDS * (len(next(iter(request.axes.values()))) + 1)
    _check_budget(request, races * took, again)
    race = _race(result, runs)
    (first, placements), *others = request.axes.items()
    is_recorded = _can_be_recorded(request, took, len(placements))
    until = request.budget * (_UNTIL_RECORDED if is_recorded else _UNTIL_PLACED)
    base = _raced(result, race, first, placements, until, took)
    if is_recorded:
        base = _race_layouts(result, runs, race, base, took, folder)
    for axis, policies in others:
        raced = [base.beside(one) for one in policies]
        base = _raced(result, race, axis, raced, request.budget * _UNTIL_RACED, took)
    _confirm(result, race)


def _can_be_recorded(request: Request, took: float, policies: int) -> bool:
    """Whether a recorded run can tell anything of the objective, and there is time for one."""
    if request.train[0].measure or not request.objective.weights.keys() & {"user", "wall"}:
        return False
    races = _ROUNDS_BEFORE * (policies + 1) * took
    return (
        races <= request.budget * _UNTIL_RECORDED
        and least_seconds(took) <= request.budget * _SHARE_TO_RECORD / 2
    )


def _race_layouts(
    result: Tuning, runs: Runs, race: Race, base: Policy, took: float, folder: Path
) -> Policy:
    """Record a run, and race what the simulator sees a gain in, each beside `base`; the best so
    far. Settings do without what cannot be recorded.
    """
    request, begun = result.request, time.monotonic()
    share = request.budget * _SHARE_TO_RECORD
    try:
        friendly = runs.friendly_sites()
        argv = request.train[0].argv
        predictor = predictor_of(argv, took, share, folder, request.show, friendly)
    except AbutError as error:
        request.show(f"settings alone are raced: {error.problem}")
        predictor = None
    contexts = context_policies(predictor, folder) if predictor else []
    best = min((predicted for predicted, _ in contexts), default=1.0)
    slots = slot_policies(predictor, best, folder, request.show) if predictor else []
    runs.spent += time.monotonic() - begun
    # Against the default's order, too: the pools may be what the other order was good for.
    bases = {one.name: one for one in (base, DEFAULT)}.values()
    raced = [beside(one, policy) for _, policy in contexts for one in bases]
    raced += [base.beside(policy) for policy in slots]
    return _raced(result, race, "layouts", raced, request.budget * _UNTIL_LAID_OUT, took)


def _confirm(result: Tuning, race: Race) -> None:
    """Measure the best against the default with runs of their own; if it does not win, the next."""
    result.why = _why_none(result)
    for phase, best in zip(_CONFIRMATIONS, _best(result), strict=False):
        if result.confirmed and not race.has_time(result.request.budget):
            return
        result.confirmed = Standing(best.policy)
        best.is_measured_again = True
        race.confirm(phase, result.confirmed, result.request.budget)
        _decide(result, best.policy.name)
        if result.winner:
            return


def _raced(
    result: Tuning, race: Race, axis: str, policies: Sequence[Policy], until: float, took: float
) -> Policy:
    """Race them; what the next ones are put beside: the best so far, if it seems to gain enough.

    A run takes `took` seconds.
    """
    standings = [Standing(policy) for policy in policies]
    result.standings += standings
    race.halve(axis, standings, until, took)
    best = _best(result)
    return best[0].policy if best and best[0].value <= 1 - _LIKELY_GAIN else DEFAULT


def _best(result: Tuning) -> list[Standing]:
    """Those that seem to gain, the best first: those that are left, then those that left last."""
    gaining = [
        one
        for one in result.standings
        if one.value <= 1 - LEAST_GAIN and one.out not in (BEHIND, LONGER, NO_TIME)
    ]
    return sorted(
        gaining, key=lambda one: (bool(one.out), -bool(one.out) * len(one.logs), one.value)
    )


def _race(result: Tuning, runs: Runs) -> Race:
    def show(phase: str, standings: Sequence[Standing]) -> None:
        ranked = sorted(standings, key=lambda one: one.value)
        rounds = len(ranked[0].logs) if ranked else 0
        said = ", ".join(f"{one.policy.name} {one.ratio}" for one in ranked[:3] if one.ratio)
        result.request.show(f"{phase}, round {rounds}, {len(ranked)} left: {said}")

    return Race(runs, result.request.objective, show)


def _check_budget(request: Request, races: float, again: float) -> None:
    """Raise AbutError where not even the first rounds would be done in time: `races` seconds, and
    six rounds of two runs of `again` seconds.
    """
    least = races + 2 * FIRST_LOOK * again
    if least > request.budget * 1.5:
        raise AbutError(
            f"--time-budget: too little: the fewest runs that tell anything from chance take "
            f"{least:.1f} s",
            fix=f"--time-budget {int(least * 2 / 60) + 1}m, or shorter inputs",
        )


def _decide(result: Tuning, name: str) -> None:
    confirmed = result.confirmed
    assert confirmed is not None
    result.gain, result.others = confirmed.ratio, confirmed.others
    figure = result.request.objective
    where = "with the test input" if result.request.test else "when it was measured again"
    if confirmed.out:
        result.why = f"with {name} the program {confirmed.out} {where}"
    elif len(confirmed.logs) < FIRST_LOOK:
        result.why = _TOO_LITTLE
    elif not is_gain(confirmed.ratio):
        took = f"{confirmed.ratio} of the {figure} under the default"
        result.why = f"{name} takes {took} {where}: no gain"
    elif wall := takes_longer(confirmed, figure):
        result.why = f"{name} wins in {figure}, and takes {wall} of the wall time {where}"
    elif lost := [
        shown
        for number in range(len(result.request.test or result.request.train))
        if (shown := confirmed.of_input(number)).low > 1
    ]:
        result.why = f"{name} wins in the mean, and loses with one input: {lost[0]}"
    else:
        result.winner, result.why = confirmed.policy, ""


def _why_none(result: Tuning) -> str:
    if all(one.out == NO_TIME or not one.logs for one in result.standings):
        return _TOO_LITTLE
    known = [one for one in result.standings if one.ratio]
    best = min(known, key=lambda one: one.value, default=None)
    if best is None:
        return "under none of the policies the program did the same"
    took = f"{best.ratio} of the {result.request.objective} under the default"
    return (
        f"none of {len(result.standings)} policies gains {LEAST_GAIN:.0%}; the best of them, "
        f"{best.policy.name}, takes {took}"
    )


def _keep_so_far(result: Tuning) -> None:
    """What was measured again counts by that alone; the others' intervals allow for their number:
    of many, one seems to gain by chance.
    """
    if result.confirmed and result.confirmed.logs:
        _decide(result, result.confirmed.policy.name)
        if result.winner:
            return
    result.confirmed, result.gain, result.others = None, None, {}
    result.why = "interrupted before anything won"
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(result.standings))
    for one in _best(result):
        gain = one.ratio_at(confidence)
        if (
            is_gain(gain)
            and not one.is_measured_again
            and not takes_longer(one, result.request.objective)
        ):
            result.winner, result.gain, result.others, result.why = one.policy, gain, one.others, ""
            return
