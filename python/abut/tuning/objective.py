"""What tuning makes less of: user time, wall time, peak RSS, a sum of them, or another figure."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abut.errors import AbutError

FIGURES = {"user": "user time", "wall": "wall time", "rss": "peak RSS"}
MEASURED = "measured"  # by the user's own command
_TERM = re.compile(r"(?:(\d+(?:\.\d+)?)\s*\*\s*)?([a-z]+)")

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Objective:
    """Weights by figure, which add up to 1. Each figure counts as a multiple of the default's."""

    weights: Mapping[str, float]
    more_is_better: bool = False

    def log_ratio(self, ours: Sequence[Figures], theirs: Sequence[Figures]) -> float:
        """The logarithm of ours as a multiple of theirs: the mean of all inputs."""
        logs = [
            math.log(sum(weight * one[key] / other[key] for key, weight in self.weights.items()))
            for one, other in zip(ours, theirs, strict=True)
        ]
        return (-1 if self.more_is_better else 1) * sum(logs) / len(logs)

    @property
    def needs_wall(self) -> bool:
        """Whether wall time may not be longer: time that moves into the kernel is no gain."""
        return "user" in self.weights and "wall" not in self.weights

    @property
    def text(self) -> str:
        """As --objective has it; of a figure of the user's own, that it is one."""
        if len(self.weights) == 1:
            return next(iter(self.weights))
        return " + ".join(f"{weight:.4g}*{key}" for key, weight in self.weights.items())

    def __str__(self) -> str:
        if MEASURED in self.weights:
            return "measured figure, inverted" if self.more_is_better else "measured figure"
        if len(self.weights) == 1:
            return FIGURES[next(iter(self.weights))]
        return " + ".join(f"{weight:.2g} {FIGURES[key]}" for key, weight in self.weights.items())


def objective_of(text: str) -> Objective:
    """`user`, or `0.7*user + 0.3*rss`. Raises AbutError for anything else."""
    weights: dict[str, float] = {}
    for term in text.split("+"):
        found = _TERM.fullmatch(term.strip())
        weight = float(found[1] or 1) if found else 0.0
        if found is None or found[2] not in FIGURES or found[2] in weights or not weight:
            raise AbutError(
                f"--objective '{text}': '{term.strip()}' is no figure with a weight",
                fix="write user, wall or rss, or a sum: --objective '0.7*user + 0.3*rss'",
            )
        weights[found[2]] = weight
    whole = sum(weights.values())
    return Objective({key: weight / whole for key, weight in weights.items()})
