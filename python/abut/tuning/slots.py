"""Plans of a slot an object, for what policies leave: those that the simulator sees a gain in."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from abut.errors import AbutError
from abut.simulation.jobs import Job, average_cycles, simulate
from abut.simulation.presets import STANDARD, find_preset
from abut.simulation.windows import windows_of
from abut.trace.reader import Trace
from abut.tuning.choice import cache_of, simulate_plan
from abut.tuning.first_run import record
from abut.tuning.plan import write_plan
from abut.tuning.planning import make_plan, read_recorded
from abut.tuning.policies import Policy
from abut.tuning.race import LEAST_GAIN
from abut.tuning.strategies import find_strategy

STRATEGIES = ("combined", "usage-df", "hot-streams", "hot-cold", "lifetime", "affinity", "simple")
_MOST = 3  # plans to race
_SHARE_TO_RECORD = 0.6  # of the time there is
# Of long traces, so many accesses are read for strategies, in so many windows, or simulated.
_READ_ACCESSES, _READ_WINDOWS, _RANK_ACCESSES = 300_000_000, 3, 60_000_000


def slot_policies(
    argv: Sequence[str],
    seconds: float,
    budget: float,
    folder: Path,
    progress: Callable[[str], None],
) -> list[Policy]:
    """Record a program that takes `seconds`, and plan; the plans that promise most, as policies.

    None where there is nothing to place or to gain. `budget` in seconds; plans lie in `folder`.
    """
    until = time.monotonic() + budget
    path = record(argv, seconds, budget * _SHARE_TO_RECORD, folder, progress)
    preset, trace = find_preset(STANDARD), Trace(path)
    try:
        # A few long windows: what follows what must be seen for whole walks of the program.
        windows = windows_of(trace, _READ_ACCESSES, _READ_WINDOWS)
        run = read_recorded(trace, windows=windows, cache=cache_of(preset))
    except AbutError as error:
        if "no object can be placed" not in error.problem:
            raise
        return []
    base = average_cycles(simulate(Job(str(path), preset, side="application", most=_RANK_ACCESSES)))
    found: list[tuple[float, Policy]] = []
    for name in STRATEGIES:
        if len(found) >= _MOST and time.monotonic() > until:
            break
        progress(f"placing and simulating {name}")
        plan = make_plan([run], find_strategy(name))
        if not plan.contexts:
            continue
        predicted = average_cycles(simulate_plan(path, run, plan, preset, _RANK_ACCESSES)) / base
        file = folder / f"{name}.plan"
        write_plan(plan, file)
        why = f"a slot an object; {predicted:.2f} of an access's time, simulated"
        found.append((predicted, Policy(f"slots-{name}", {"plan": str(file)}, why)))
    promising = sorted((one for one in found if one[0] <= 1 - LEAST_GAIN), key=lambda one: one[0])
    return [policy for _, policy in promising[:_MOST]]
