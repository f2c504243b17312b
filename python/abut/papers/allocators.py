"""The papers' allocators, run: Feng and Berger's table 1 and figures 2 to 5, and Rezaei and Kavi's
separation on two real cores.

Times and resident memory are of real runs, interleaved. Misses are simulated: each program is
recorded once, and its objects are laid out as each allocator would have, on the authors' Pentium 4.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.composed import OFFLOAD, composed_heaps
from abut.environment import untouched_environment
from abut.heaps import GLIBC, preload, require_heap
from abut.measure.workload import Workload
from abut.papers.paper import Request
from abut.papers.recordings import heaps, recording, workloads

if TYPE_CHECKING:
    from rich.table import Table

    from abut.measure.summary import ProgramSummary, Summary

ABOUT = "the papers' allocators run: Vam's table 1 and figures 2-5, Rezaei's on two cores"
PROGRAMS = ("perl-hashes", "sqlite", "lua-tables", "translate", "balls")
HEAPS = (
    *("lea", "phk", "phk-sc", "phk-reap", "phk-sc-reap", "vam", "vam-header", "vam-bitmap"),
    *("abt", "offload:lea", "offload:vam", "abut"),
)
RUNS, WARMUP, SEED = 5, 1, 1
PRESET = "pentium4"
# What Feng and Berger report, sections 4.1 and 4.2, of the time and the L2 misses of the others.
THEIRS = (("lea", 0.08), ("phk", 0.04))
THEIR_MISSES = 0.39


@dataclass(frozen=True, slots=True)
class Demand:
    """Table 1: what a program asks of its allocator. Sizes in bytes, time in seconds."""

    seconds: float
    allocations: int
    requested: int
    most_live: int


@dataclass(frozen=True, slots=True)
class AllocatorsResult:
    """`misses[program][heap]` are the simulated misses of each level, of the application alone."""

    summary: "Summary"
    demands: Mapping[str, Demand]
    misses: Mapping[str, Mapping[str, Sequence[int]]]

    def verdict(self) -> list[str]:
        """The means, beside the authors'; and whom a second core helped."""
        return [*_times(self.summary), *_misses(self.misses), *_separate(self.summary)]

    def tables(self) -> "list[Table]":
        """Table 1, then a table a figure."""
        from abut.reporters.allocators import demand_table, misses_table, ratio_table

        return [
            demand_table(self.demands),
            ratio_table(self.summary, "wall", "time, by lea's (figures 2, 4c, 5c)"),
            ratio_table(self.summary, "rss", "peak resident memory, by lea's"),
            *misses_table(self.misses),
        ]

    def document(self) -> dict[str, Any]:
        """Medians by program and heap, simulated misses, demands."""
        medians = {
            figure: {
                _name(program): {heap: cell.median.value for heap, cell in row.items()}
                for program in self.summary.programs
                if (row := program.cells.get(figure))
            }
            for figure in ("wall", "rss")
        }
        demands = {
            name: {
                "seconds": one.seconds,
                "allocations": one.allocations,
                "requested": one.requested,
                "most_live": one.most_live,
            }
            for name, one in self.demands.items()
        }
        return {**medians, "demands": demands, "misses": self.misses}

    def draw(self, path: Path) -> None:
        """Times by program and heap."""
        from abut.measure.sample import WALL
        from abut.reporters.plot import bars_of, draw

        draw(bars_of(self.summary, WALL), path)


def measure(request: Request) -> AllocatorsResult:
    """Run every program under every heap, in turn; record and simulate each once."""
    from abut.measure.counters import available
    from abut.measure.measurement import Comparison, Plan
    from abut.measure.session import Task, compare
    from abut.measure.summary import summarise

    chosen = workloads(request)
    comparison = Comparison(Plan(RUNS, WARMUP, SEED), heaps(request), [], available())
    tasks = [Task(one.name, lambda one=one: one) for one in chosen]  # type: ignore[misc]
    compare(comparison, tasks, _Teller(request))
    return AllocatorsResult(
        summarise(comparison),
        {one.name: demand_of(one) for one in chosen},
        {one.name: _simulated(request, one) for one in chosen},
    )


class _Teller:
    def __init__(self, request: Request) -> None:
        self._request = request

    def on_program(self, name: str) -> None:
        self._request.tell(f"running {name}")

    def on_run(self, program: str, heap: str) -> None:
        pass


def demand_of(workload: Workload) -> Demand:
    """What the program asks for, counted by the heap that stands in for the authors' DLmalloc."""
    import time

    lea = require_heap("lea")
    with tempfile.TemporaryDirectory(prefix="abut-demand-") as scratch:
        file = Path(scratch, "statistics")
        environment = {**untouched_environment(), **workload.environment, **lea.environment}
        environment |= {"LD_PRELOAD": preload(lea, ""), "ABUT_STATS": str(file)}
        begin = time.monotonic()
        with workload.stdin.open("rb") as stdin:
            subprocess.run(
                workload.argv,
                cwd=workload.folder,
                env=environment,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        seconds = time.monotonic() - begin
        counts = json.loads(file.read_text())
    return Demand(seconds, counts["allocations"], counts["requested"], counts["most_live"])


def _simulated(request: Request, workload: Workload) -> dict[str, list[int]]:
    from abut.analysis.presets import find_preset
    from abut.analysis.simulation import Job, simulate_all

    layouts = [name for name in request.heaps if name.partition("+")[0] in composed_heaps()]
    trace = str(recording(request, workload, GLIBC))
    request.tell(f"simulating {workload.name}")
    preset = find_preset(PRESET)
    jobs = [Job(trace, preset, layout=name, side="application") for name in layouts]
    results = simulate_all(jobs, len(os.sched_getaffinity(0)), "")
    return {
        result.job.layout: [level.total_misses for level in result.levels if level.total_accesses]
        for result in results
    }


def _name(program: "ProgramSummary") -> str:
    return program.measurement.workload.name


def mean_ratio(summary: "Summary", heap: str, other: str, figure: str = "wall") -> float | None:
    """The geometric mean over all programs of `heap`'s figure by `other`'s."""
    from math import exp, log

    logs = [
        log(row[heap].median.value / row[other].median.value)
        for program in summary.programs
        if {heap, other} <= (row := program.cells.get(figure, {})).keys()
    ]
    return exp(sum(logs) / len(logs)) if logs else None


def _times(summary: "Summary") -> list[str]:
    said = []
    for other, theirs in THEIRS:
        if (ratio := mean_ratio(summary, "vam", other)) is not None:
            said.append(
                f"vam takes {1 - ratio:+.0%} less time than {other} "
                f"(Feng and Berger: {theirs:+.0%})"
            )
    rivals = {
        heap.name: ratio
        for heap in summary.comparison.heaps
        if heap.name in composed_heaps()
        and (ratio := mean_ratio(summary, "abut", heap.name)) is not None
    }
    if rivals:
        best = max(rivals, key=lambda name: rivals[name])
        said.append(
            f"abut takes {1 - rivals[best]:+.0%} less time than {best}, the best of the papers'"
        )
    return said


def _misses(misses: Mapping[str, Mapping[str, Sequence[int]]]) -> list[str]:
    pairs = [row for row in misses.values() if {"vam", "lea"} <= row.keys()]
    shares = [row["vam"][1] / row["lea"][1] for row in pairs if row["lea"][1]]
    if not shares:
        return []
    removed = 1 - sum(shares) / len(shares)
    return [
        f"vam's layout has {removed:+.0%} fewer L2 misses than lea's (theirs: {THEIR_MISSES:+.0%})"
    ]


def _separate(summary: "Summary") -> list[str]:
    said = []
    for heap in summary.comparison.heaps:
        service, _, inner = heap.name.partition(":")
        if service != OFFLOAD:
            continue
        faster = [
            _name(program)
            for program in summary.programs
            if {heap.name, inner} <= (row := program.cells.get("wall", {})).keys()
            and row[heap.name].median.value < row[inner].median.value
        ]
        if (ratio := mean_ratio(summary, heap.name, inner)) is not None:
            programs = f"; faster: {', '.join(faster)}" if faster else ""
            said.append(
                f"{heap.name} on a core of its own takes {ratio:.2f} of {inner}'s time{programs}"
            )
    return said
