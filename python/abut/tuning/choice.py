"""Strategies put to the simulator: whose plan is the best?"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from abut.errors import AbutError
from abut.simulation.jobs import Job, Result, average_cycles, simulate
from abut.simulation.presets import Preset, find_preset
from abut.trace.reader import Trace
from abut.tuning.objects import Cache
from abut.tuning.plan import Plan, write_plan
from abut.tuning.planning import Recorded, make_plan, planned_addresses, read_recorded
from abut.tuning.strategies import find_strategy


@dataclass(frozen=True, slots=True)
class Candidate:
    """A strategy's plan; `cycles`: the mean time of an access with it, simulated, a trace each."""

    strategy: str
    plan: Plan
    cycles: list[float]

    @property
    def mean_cycles(self) -> float:
        """Over all traces alike."""
        return float(np.mean(self.cycles)) if self.cycles else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """What was looked at, the best first; `path` holds its plan. `damages`: what could not be read
    of which trace.
    """

    path: Path
    command: str
    candidates: list[Candidate]
    objects: int
    damages: dict[str, list[str]] = field(default_factory=dict)

    @property
    def best(self) -> Candidate:
        """The one that was written."""
        return self.candidates[0]


def cache_of(preset: Preset) -> Cache:
    """The first level, as strategies use it."""
    first = preset.levels[0]
    return Cache(first.capacity, first.ways or first.capacity // first.line, first.line)


def simulate_plan(trace: Path, run: Recorded, plan: Plan, preset: Preset) -> Result:
    """The trace with its objects where the plan has them; the program's accesses alone."""
    layout = f"plan:{plan.strategy}"
    job = Job(str(trace), preset, layout=layout, side="application")
    return simulate(job, planned_addresses(run, plan))


def access_cycles(result: Result) -> float:
    """What layouts are ranked by: a core's predicted cycles an access where the machine has one,
    else the mean time of an access.
    """
    if result.time is not None:
        return result.time.total / max(1, result.time.accesses)
    return average_cycles(result)


def choose(
    traces: Sequence[Path],
    strategies: Sequence[str],
    path: Path,
    *,
    cache: str = "modern",
    depth: int | None = None,
    seed: int = 1,
) -> Choice:
    """Make a plan by each strategy, simulate if there are several, and write the best one."""
    preset = find_preset(cache)
    found = [find_strategy(name) for name in strategies]
    opened = [Trace(trace) for trace in traces]
    if len(found) > 1 and not any(one.info.accesses for one in opened):
        raise AbutError(
            f"{traces[0]}: no accesses were recorded, so none of several strategies is the best",
            fix="name one strategy, or record accesses: abut record, without --recorder light",
        )
    runs = [read_recorded(one, depth=depth, cache=cache_of(preset), seed=seed) for one in opened]
    candidates = []
    for strategy in found:
        plan = make_plan(runs, strategy)
        cycles = []
        if len(found) > 1:
            for trace, run in zip(traces, runs, strict=True):
                cycles.append(access_cycles(simulate_plan(trace, run, plan, preset)))
        candidates.append(Candidate(strategy.name, plan, cycles))
    candidates.sort(key=lambda candidate: candidate.mean_cycles)
    write_plan(candidates[0].plan, path)
    command = shlex.join(opened[0].info.command) or "PROGRAM"
    damages = {one.path: [str(damage) for damage in one.damages] for one in opened if one.damages}
    return Choice(path, command, candidates, sum(len(run.objects) for run in runs), damages)
