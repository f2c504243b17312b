"""Racing policies: rounds in shuffled order, of which ever fewer take part, and a last one of two.

A race halves those that are left after so many rounds, twice as many, and so on: the best by what
was measured so far go on. The default takes part in every round, and each figure counts as a
multiple of the default's in the same round. The best of many is partly the luckiest, so a race only
proposes it: `confirm` measures it against the default with runs of its own.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from abut.measure.paired import CONFIDENCE, Ratio, ratio_of
from abut.tuning.objective import Figures, Objective
from abut.tuning.policies import DEFAULT, Policy

LEAST_GAIN = 0.01
FEWEST_ROUNDS, _MOST_ROUNDS = 2, 6  # before the first leave
_RUNS_A_ROUND = 2.5  # of each policy in all of a race, for each of those
# Rounds after which a confirmation may end, beside when its time is over, each with its part of the
# error that is allowed. Most has the first, by which large gains are decided: six rounds can tell.
# A gain of a twentieth, where runs vary by as much, takes dozens.
LOOKS = {6: 0.032, 20: 0.006, 40: 0.006, 80: 0.006}
FIRST_LOOK, _LAST_LOOK = min(LOOKS), max(LOOKS)
NO_TIME, BEHIND, LONGER = "no time", "surely behind", "longer in wall time"


class LeftOutError(Exception):
    """Under a policy the program does not do what it does under the default: the message says in
    what it differs.
    """


class Runner(Protocol):
    """Runs a program under a policy once, with each input of a phase, and measures it."""

    def begin(self, phase: str, policies: Sequence[Policy], number: int) -> None:
        """A round of these begins; `number` is its."""

    def __call__(self, phase: str, policy: Policy, number: int) -> Sequence[Figures]:
        """What was measured, an input each. `number` is the round's. Raises LeftOutError."""

    @property
    def spent(self) -> float:
        """Seconds that all runs have taken."""


@dataclass(slots=True)
class Standing:
    """How a policy did: its figure as a multiple of the default's, None where it is not to be used;
    `out` says why it left.
    `other_logs` are of the figures that the objective has not. With `is_measured_again`, this is no
    longer what decides about it.
    """

    policy: Policy
    logs: list[list[float]] = field(default_factory=list)  # of each round, one an input
    ratio: Ratio | None = None
    out: str = ""
    other_logs: dict[str, list[float]] = field(default_factory=dict)
    is_measured_again: bool = False

    @property
    def value(self) -> float:
        """What standings are sorted by."""
        return self.ratio.value if self.ratio else math.inf

    @property
    def others(self) -> dict[str, Ratio]:
        """By figure that the objective has not."""
        return {figure: ratio_of(logs) for figure, logs in self.other_logs.items()}

    def ratio_at(self, confidence: float) -> Ratio:
        """Of all inputs, with an interval of this confidence."""
        return ratio_of([sum(logs) / len(logs) for logs in self.logs], confidence)

    def of_input(self, number: int) -> Ratio:
        """With one of the inputs alone."""
        return ratio_of([logs[number] for logs in self.logs])


def is_gain(ratio: Ratio | None) -> bool:
    """Whether it is less for sure, and by enough."""
    return ratio is not None and ratio.high < 1 and ratio.value <= 1 - LEAST_GAIN


def takes_longer(standing: Standing, objective: Objective) -> Ratio | None:
    """Its wall time, where that seems longer, by as much as counts, and must not be."""
    wall = standing.others.get("wall") if objective.needs_wall else None
    return wall if wall and wall.value > 1 + LEAST_GAIN else None


class Race:
    """Races by an objective. `show` is called with the phase and its standings after each round."""

    def __init__(
        self,
        run: Runner,
        objective: Objective,
        show: Callable[[str, Sequence[Standing]], None],
    ) -> None:
        self._run = run
        self._objective = objective
        self._show = show

    def halve(self, phase: str, standings: Sequence[Standing], until: float, took: float) -> None:
        """Race until one is left, or so many seconds are spent. Those that leave say why.

        Where a run with all inputs takes `took` seconds, there are as many rounds before the first
        leave as there is time for.
        """
        left, number = list(standings), 0
        whole = _RUNS_A_ROUND * (len(left) + 1) * took
        affordable = min((until - self._run.spent) / whole, _MOST_ROUNDS)
        target = max(int(affordable), FEWEST_ROUNDS)
        while len(left) > (number > 0) and self._run.spent < until:
            while number < target and self._run.spent < until:
                self._round(phase, [one for one in left if not one.out], number, CONFIDENCE)
                number += 1
            if number < FEWEST_ROUNDS:
                _leave(left, NO_TIME)
            # Than the default, or the best.
            bound = min((one.ratio.high for one in left if one.ratio), default=1.0)
            losers = [one for one in left if one.ratio and one.ratio.low > min(bound, 1.0)]
            _leave(losers, BEHIND)
            walls = [(one, takes_longer(one, self._objective)) for one in left]
            _leave((one for one, wall in walls if wall and wall.low > 1), LONGER)
            left = sorted((one for one in left if not one.out), key=lambda one: one.value)
            keep = (len(left) + 1) // 2
            _leave(left[keep:], f"behind after {number}")
            left, target = left[:keep], target * 2

    def confirm(self, phase: str, standing: Standing, until: float) -> Standing:
        """Measure a policy against the default until it is decided, or so many seconds are spent.

        The interval holds although there are several looks.
        """
        while len(standing.logs) < _LAST_LOOK and not standing.out and self._run.spent < until:
            number = len(standing.logs)
            # Where the time is over before a look, the result is that look's.
            error = next(error for look, error in LOOKS.items() if number < look)
            self._round(phase, [standing], number, 1 - error)
            if len(standing.logs) in LOOKS and standing.ratio:
                ratio = standing.ratio
                if is_gain(ratio) or ratio.value > 1 - LEAST_GAIN:
                    break
        return standing

    def has_time(self, until: float) -> bool:
        """Whether fewer seconds are spent."""
        return self._run.spent < until

    def measure(self, phase: str, standing: Standing, rounds: int) -> None:
        """Run a policy and the default in so many rounds."""
        while len(standing.logs) < rounds and not standing.out:
            self._round(phase, [standing], len(standing.logs), CONFIDENCE)

    def _round(
        self, phase: str, standings: Sequence[Standing], number: int, confidence: float
    ) -> None:
        order: list[Standing | None] = [None, *standings]
        random.Random(f"{phase} {number}").shuffle(order)
        self._run.begin(phase, [one.policy if one else DEFAULT for one in order], number)
        found: list[tuple[Standing, Sequence[Figures]]] = []
        base: Sequence[Figures] = []
        for one in order:
            try:
                figures = self._run(phase, one.policy if one else DEFAULT, number)
            except LeftOutError as error:
                if one is None:
                    raise
                one.out, one.ratio = str(error), None
                continue
            if one is None:
                base = figures
            else:
                found.append((one, figures))
        for one, figures in found:
            pairs = zip(figures, base, strict=True)
            one.logs.append([self._objective.log_ratio([ours], [its]) for ours, its in pairs])
            one.ratio = one.ratio_at(confidence)
            for figure in base[0].keys() - self._objective.weights.keys():
                log = Objective({figure: 1.0}).log_ratio(figures, base)
                one.other_logs.setdefault(figure, []).append(log)
        self._show(phase, standings)


def _leave(standings: Iterable[Standing], why: str) -> None:
    for one in standings:
        one.out = one.out or why
