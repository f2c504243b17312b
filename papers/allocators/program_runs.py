"""A program under many allocators: timed runs, what it asks for, simulated misses; kept as JSON.

Times and resident memory are of real runs, interleaved. Times are the processor's, of all processes
that the run has: whatever else the machine does disturbs them less. Beside them stands the time by
the clock, which is what a second core that serves a heap may save. Misses are simulated on Feng and
Berger's Pentium 4, of recordings under each allocator: as with the authors' counters, the
allocator's own accesses to memory are in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abut.heaps import Heap, require_heap
from abut.measure.statistics import Estimate, exact, median, ratio
from abut.measure.workload import Workload
from abut.papers import Request
from abut.simulation.caches import Caches
from abut.simulation.presets import find_preset
from abut.simulation.replay import feed
from abut.trace.reader import Trace
from abut_papers.common.kept import kept
from abut_papers.common.recordings import at_once, heaps, pages_of, recording, recordings
from abut_papers.common.rounds import rounds_of

RUNS, SEED = 5, 1
PRESET = "pentium4"
MEASURES = (
    "time",
    "resident memory",
    "L1 misses",
    "L2 misses",
    "application's L2 misses",
    "instructions",
)
WALL_TIME = "wall time"


@dataclass(frozen=True, slots=True)
class Demand:
    """Table 1: what a program asks of its allocator. Sizes in bytes, time in seconds."""

    seconds: float
    allocations: int
    requested: int
    most_live: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """A recorded run: misses by level, from the first on, of all accesses to the heap and of the
    application's alone; `instructions` is how many ran, 0 where they were not counted.
    """

    misses: Sequence[int]
    own_misses: Sequence[int]
    instructions: int


@dataclass(frozen=True, slots=True)
class ProgramRuns:
    """One program: by heap the processor's seconds of each round, the most resident bytes of each,
    what the caches did, where that was simulated, and the seconds by the clock.
    """

    program: str
    demand: Demand
    seconds: Mapping[str, Sequence[float]]
    resident: Mapping[str, Sequence[float]]
    simulated: Mapping[str, Simulated] = field(default_factory=dict)
    wall: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def measured(self, what: str, heap: str) -> Estimate | None:
        """One of `MEASURES`, or `WALL_TIME`, under a heap, in seconds, bytes or times; None if it
        is not known.
        """
        of_rounds = {"time": self.seconds, WALL_TIME: self.wall, "resident memory": self.resident}
        if what in of_rounds:
            rounds = of_rounds[what].get(heap)
            return median(rounds, SEED) if rounds else None
        if (run := self.simulated.get(heap)) is None:
            return None
        if what == "instructions":
            return exact(run.instructions) if run.instructions else None
        level, counts = (0 if what == "L1 misses" else 1), run.misses
        if what == "application's L2 misses":
            counts = run.own_misses
        return exact(counts[level]) if level < len(counts) else None

    def ratio(self, what: str, heap: str, to: str) -> Estimate | None:
        """The same as a multiple of another heap's."""
        own, other = self.measured(what, heap), self.measured(what, to)
        return ratio(own, other) if own and other else None


def runs_of(
    request: Request,
    workload: Workload,
    recorded: Workload | None = None,
    others: Sequence[Heap] = (),
) -> ProgramRuns:
    """What is kept of the program under the request's heaps and others, measured where there is
    nothing; with what the caches do if the program is given as it is to be recorded.
    """
    found = rounds_of(request, workload, [*heaps(request), *others], RUNS)
    seconds = found["seconds"]
    demand = demand_of(
        recording(request, workload, require_heap("abut"), "--recorder", "light"),
        median(seconds.get("lea") or next(iter(seconds.values())), SEED).value,
    )
    caches = simulated(request, recorded) if recorded else {}
    return ProgramRuns(workload.name, demand, seconds, found["resident"], caches, found["wall"])


def simulated(request: Request, workload: Workload) -> dict[str, Simulated]:
    """What the caches do in a recorded run under each of the request's heaps."""
    traces = recordings(request, workload, heaps(request))
    request.progress(f"simulating the caches of {workload.name}")
    rows = at_once(lambda trace: _caches(request, trace), traces.values())
    return dict(zip(traces, rows, strict=True))


def _caches(request: Request, path: Path) -> Simulated:
    def measure() -> dict[str, Any]:
        trace = Trace(path)
        caches = Caches(find_preset(PRESET).levels)
        feed(trace, [caches])
        levels = caches.counts()
        return {
            "misses": [level.total_misses for level in levels],
            "own_misses": [level.of_side(0)[1] for level in levels],
            "instructions": int((trace.info.totals or {}).get("instructions", 0)),
        }

    return Simulated(**kept(request, f"{path.stem}-{PRESET}", measure))


def demand_of(path: Path, seconds: float) -> Demand:
    """What a recorded run asked for. The sizes are those that objects have in the end."""
    sizes = Trace(path).objects(accesses=False)["last_size"]
    (pages,) = pages_of(path).values()
    return Demand(seconds, len(sizes), int(sizes.sum()), pages.use.most_live_bytes)
