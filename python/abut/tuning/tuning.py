"""What is to be tuned, and what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from abut.measure.paired import Ratio
from abut.tuning.objective import Objective
from abut.tuning.policies import Policy
from abut.tuning.race import Standing
from abut.tuning.runs import Input


@dataclass(frozen=True, slots=True)
class Request:
    """What to tune: by `axes` of policies, for about `budget` seconds. `output` is the profile."""

    train: Sequence[Input]
    test: Sequence[Input]
    axes: Mapping[str, Sequence[Policy]]
    objective: Objective
    budget: float
    output: Path
    show: Callable[[str], None]

    @property
    def plan(self) -> Path:
        """Where a plan that won is written."""
        return self.output.with_name(self.output.name.removesuffix(".profile") + ".plan")


@dataclass(slots=True)
class Tuning:
    """What came of it. `confirmed` is the best, measured again, unless Ctrl-C came before; `winner`
    is None where the default is kept, and `why` says why. `others` are its figures that the
    objective has not. `resumed` runs were there from before. A run of all inputs took `took`
    seconds, and all of the work `seconds`. A run left `left_running` processes behind.
    """

    request: Request
    standings: list[Standing] = field(default_factory=list)
    confirmed: Standing | None = None
    winner: Policy | None = None
    gain: Ratio | None = None
    others: dict[str, Ratio] = field(default_factory=dict)
    why: str = ""
    took: float = 0.0
    seconds: float = 0.0
    resumed: int = 0
    left_running: int = 0
    interrupted: bool = False
