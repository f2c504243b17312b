"""A program under many allocators: timed runs, what it asks for, simulated misses; kept as JSON.

Times and resident memory are of real runs, interleaved. Misses are simulated: the program is
recorded once, under glibc, and its objects are laid out as each allocator would have, on Feng and
Berger's Pentium 4. Whatever has been measured is used again until a library or an input changes.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from abut.composed import composed_heaps, papers_library
from abut.errors import AbutError
from abut.heaps import GLIBC, Heap, require_heap
from abut.measure.statistics import Estimate, median, ratio
from abut.measure.workload import Workload
from abut.papers.paper import Request
from abut.papers.recordings import heaps, kept, recording, run_silently

RUNS, WARMUP, SEED = 3, 0, 1
PRESET = "pentium4"


@dataclass(frozen=True, slots=True)
class Demand:
    """Table 1: what a program asks of its allocator. Sizes in bytes, time in seconds."""

    seconds: float
    allocations: int
    requested: int
    most_live: int


@dataclass(frozen=True, slots=True)
class ProgramRuns:
    """One program: by heap the seconds of each round and the most resident bytes of each; by layout
    the simulated misses of each cache level, of the application's accesses alone.
    """

    program: str
    demand: Demand
    seconds: Mapping[str, Sequence[float]]
    resident: Mapping[str, Sequence[float]]
    misses: Mapping[str, Sequence[int]]

    def time(self, heap: str) -> Estimate | None:
        """The median of its seconds, with its interval; None where it was not run."""
        return median(self.seconds[heap], SEED) if self.seconds.get(heap) else None

    def time_ratio(self, heap: str, to: str) -> Estimate | None:
        """The median time as a multiple of another heap's, in the same rounds."""
        own, other = self.time(heap), self.time(to)
        return ratio(own, other) if own and other else None

    def memory(self, heap: str) -> float | None:
        """The median of its most resident bytes."""
        return median(self.resident[heap], SEED).value if self.resident.get(heap) else None


def runs_of(request: Request, workload: Workload, *, simulate: bool) -> ProgramRuns:
    """What is kept of the program under the request's heaps, measured where there is nothing; with
    the misses if they are asked for.
    """
    timed = timed_runs(request, workload)
    return ProgramRuns(
        workload.name,
        Demand(**timed["demand"]),
        timed["seconds"],
        timed["resident"],
        simulated_misses(request, workload) if simulate else {},
    )


def timed_runs(request: Request, workload: Workload) -> dict[str, Any]:
    """What must be measured on a quiet machine: seconds, resident bytes and the demand."""
    chosen = heaps(request)

    def measure() -> dict[str, Any]:
        request.tell(f"running {workload.name}")
        seconds, resident = _timed(workload, chosen)
        demand = asdict(demand_of(workload))
        return {"demand": demand, "seconds": seconds, "resident": resident}

    return kept(request, f"{workload.name}-runs-{_fingerprint(workload, chosen)}", measure)


def simulated_misses(request: Request, workload: Workload) -> dict[str, list[int]]:
    """By layout, for those of the request's heaps that are layouts, too: misses of each level."""
    layouts = [name for name in request.heaps if name.partition("+")[0] in composed_heaps()]
    if not layouts:
        return {}
    trace = recording(request, workload, GLIBC)
    digest = hashlib.sha256(repr((layouts, PRESET)).encode() + papers_library().read_bytes())

    def measure() -> dict[str, list[int]]:
        request.tell(f"simulating {workload.name}")
        return _simulated(trace, layouts)

    return kept(request, f"{trace.stem}-misses-{digest.hexdigest()[:12]}", measure)


def demand_of(workload: Workload) -> Demand:
    """What the program asks for, counted by the heap that stands in for the authors' DLmalloc."""
    import time

    lea = require_heap("lea")
    with tempfile.TemporaryDirectory(prefix="abut-demand-") as scratch:
        file = Path(scratch, "statistics")
        begin = time.monotonic()
        run_silently(workload, lea, {"ABUT_STATS": str(file)})
        seconds = time.monotonic() - begin
        counts = json.loads(file.read_text())
    return Demand(seconds, counts["allocations"], counts["requested"], counts["most_live"])


def _timed(
    workload: Workload, chosen: Sequence[Heap]
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    from abut.measure.counters import available
    from abut.measure.measurement import Comparison, Plan
    from abut.measure.session import Task, compare

    comparison = Comparison(Plan(RUNS, WARMUP, SEED), chosen, [], available())
    compare(comparison, [Task(workload.name, lambda: workload)], _Silent())
    if not comparison.measurements:
        reasons = "; ".join(one.reason for one in comparison.left_out)
        raise AbutError(f"{workload.name}: not measured: {reasons or 'interrupted'}")
    samples = comparison.measurements[0].samples
    return (
        {heap: [one.wall_s for one in rounds] for heap, rounds in samples.items()},
        {heap: [float(one.peak_rss_bytes) for one in rounds] for heap, rounds in samples.items()},
    )


class _Silent:
    def on_program(self, name: str) -> None:
        """Nobody is told."""

    def on_run(self, program: str, heap: str) -> None:
        """Nobody is told."""


def _simulated(trace: Path, layouts: Sequence[str]) -> dict[str, list[int]]:
    from abut.analysis.presets import find_preset
    from abut.analysis.simulation import Job, simulate_all

    preset = find_preset(PRESET)
    jobs = [Job(str(trace), preset, layout=name, side="application") for name in layouts]
    results = simulate_all(jobs, len(os.sched_getaffinity(0)), "")
    return {
        result.job.layout: [level.total_misses for level in result.levels if level.total_accesses]
        for result in results
    }


def _fingerprint(workload: Workload, chosen: Sequence[Heap]) -> str:
    """Changes with the program's command and inputs, and with the heaps and their libraries."""
    state = hashlib.sha256(repr((workload.argv, workload.stdin, RUNS)).encode())
    for heap in chosen:
        state.update(repr((heap.name, heap.environment)).encode())
    for library in sorted({heap.library for heap in chosen if heap.library}):
        state.update(library.read_bytes())
    return state.hexdigest()[:12]
