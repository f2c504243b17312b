"""What a layout gains, predicted from a recorded run and the simulator's model of time."""

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np

from abut.errors import AbutError
from abut.simulation.core_time import Core
from abut.simulation.jobs import core_of
from abut.simulation.presets import STANDARD, Preset, find_preset
from abut.simulation.replay import feed_by_context
from abut.simulation.windows import windows_of
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.tuning import assignment
from abut.tuning.choice import cache_of
from abut.tuning.first_run import record
from abut.tuning.planning import Recorded, addresses, read_recorded
from abut.tuning.profile import BESIDE

# Of long traces, so many accesses are read for strategies, in so many windows, or simulated.
_READ_ACCESSES, _READ_WINDOWS, _PREDICTED_ACCESSES = 40_000_000, 3, 10_000_000


class Predictor:
    """Predicts how long a part of a recorded run takes under a layout, as a multiple of the time
    under the default one: as recorded, but what comes from `friendly` sites is beside friends.
    There is time until `until`, of the clock that is monotonic.

    `losses` are the cycles that are waited for in it, by the numbers of keys; `befriended` are
    the contexts that have friends.
    """

    def __init__(
        self,
        trace: Trace,
        run: Recorded,
        preset: Preset,
        until: float,
        friendly: Collection[str] = (),
    ) -> None:
        self.trace, self.run, self._preset, self._until = trace, run, preset, until
        self._windows = windows_of(trace, _PREDICTED_ACCESSES)
        friends = assignment.with_friends(run.keys.keys, trace, friendly)
        self.befriended: assignment.Assignment = dict.fromkeys(friends, BESIDE)
        core = self._simulated(self._addresses({}) if friends else "recorded")
        self._base = core.time().total
        waits = core.native.waits_by_owner()[0]
        self.losses = np.bincount(run.keys.numbers[: len(waits)], waits, len(run.keys.keys) + 1)

    @property
    def has_time(self) -> bool:
        """Whether another layout should be looked at."""
        return time.monotonic() < self._until

    def predicted(self, places: Array) -> float:
        """With the objects at these addresses."""
        return self._simulated(places).time().total / self._base

    def assigned(self, places: assignment.Assignment) -> float:
        """With contexts in these places, and all others in those of the default."""
        return self.predicted(self._addresses(places))

    def _addresses(self, places: assignment.Assignment) -> Array:
        objects = self.run.objects
        return addresses(objects, assignment.offsets(objects, {**self.befriended, **places}))

    def _simulated(self, layout: str | Array) -> Core:
        core = core_of(self._preset, self.trace)
        assert core is not None
        feed_by_context(self.trace, [core], layout, side="application", windows=self._windows)
        return core


def predictor_of(
    argv: Sequence[str],
    seconds: float,
    budget: float,
    folder: Path,
    progress: Callable[[str], None],
    friendly: Collection[str] = (),
) -> Predictor | None:
    """Record a program that takes `seconds`, in `folder`, in half of the budget; the predictor has
    the other half. None where nothing can be placed. `friendly`: sites whose objects the heap has
    beside friends.
    """
    path = folder / "run.trace"
    record(argv, seconds, budget / 2, path, progress)
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
    return Predictor(trace, run, preset, time.monotonic() + budget / 2, friendly)
