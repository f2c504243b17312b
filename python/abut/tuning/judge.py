"""The cheap judge of layouts: a recorded run of the program, and the simulator's model of time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from abut.errors import AbutError
from abut.simulation.jobs import Job, Result, simulate
from abut.simulation.owners import NO_OWNER
from abut.simulation.presets import STANDARD, find_preset
from abut.simulation.windows import windows_of
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.tuning.choice import access_cycles, cache_of
from abut.tuning.first_run import record
from abut.tuning.planning import Recorded, read_recorded

# Of long traces, so many accesses are read for strategies, in so many windows, or simulated.
_READ_ACCESSES, _READ_WINDOWS, _JUDGED_ACCESSES = 100_000_000, 3, 10_000_000


@dataclass(frozen=True, slots=True)
class Judge:
    """Predicts an access's time under a layout, as a multiple of that under the recorded one.

    It has time until `until`, of the clock that is monotonic; `base` is what was simulated of the
    recorded layout, by context.
    """

    trace: Trace
    run: Recorded
    base: Result
    until: float

    @property
    def has_time(self) -> bool:
        """Whether another layout should be looked at."""
        return time.monotonic() < self.until

    def predicted(self, places: Array) -> float:
        """With the objects at these addresses."""
        job = replace(self.base.job, by=NO_OWNER)
        return access_cycles(simulate(job, places)) / access_cycles(self.base)

    def losses(self) -> Array:
        """Cycles lost to misses, by the numbers of keys."""
        numbers = self.run.keys.numbers
        lost = np.zeros(len(self.run.keys.keys) + 1)
        for row in self.base.owners:
            lost[numbers[row.owner] if row.owner else 0] += row.lost_cycles
        return lost


def judge_of(
    argv: Sequence[str],
    seconds: float,
    budget: float,
    folder: Path,
    progress: Callable[[str], None],
) -> Judge | None:
    """Record a program that takes `seconds`, in `folder`; None where nothing can be placed."""
    until = time.monotonic() + budget
    path = record(argv, seconds, budget / 2, folder, progress)
    preset = find_preset(STANDARD)
    trace = Trace(path)
    try:
        # A few long windows: what follows what must be seen for whole walks of the program.
        windows = windows_of(trace, _READ_ACCESSES, _READ_WINDOWS)
        run = read_recorded(trace, windows=windows, cache=cache_of(preset))
    except AbutError as error:
        if "no object can be placed" not in error.problem:
            raise
        return None
    progress("simulating it")
    job = Job(str(path), preset, side="application", by="context", most=_JUDGED_ACCESSES)
    return Judge(trace, run, simulate(job), until)
