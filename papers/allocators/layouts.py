"""The same objects elsewhere: what the caches would miss if the heap had been laid out otherwise.

Of no paper; the layouts are those of `abut sim --layout`: simple ones, two that strategies compute,
and three heaps of the papers, fed the same requests.

Only the application's accesses count: the allocator's belong to the layout that it made.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.analysis.owners import NOBODY
from abut.analysis.presets import find_preset
from abut.analysis.simulation import LAYOUTS, Job, Result, average_cycles, simulate_all
from abut.bench import Request
from abut_papers.common.recordings import heaps, recordings, workloads

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "Layouts: the caches' misses of the same objects, placed in other ways"
PROGRAMS = ("cover", "hexapawn", "traverse", "xmllint-parse", "lua-tables", "sqlite")
HEAPS = ("glibc",)
CACHE = "modern"
STRATEGIES = ("usage-df", "hot-streams")
PAPER_HEAPS = ("lea", "phk", "vam")
CHOSEN = (*LAYOUTS, *STRATEGIES, *PAPER_HEAPS)


@dataclass(frozen=True, slots=True)
class Run:
    """One program under one heap, in every layout: the first is the recorded one."""

    program: str
    heap: str
    results: Sequence[Result]

    @property
    def best(self) -> Result:
        """The one whose accesses take least time, by the cycles of the preset."""
        return min(self.results, key=average_cycles)


@dataclass(frozen=True, slots=True)
class LayoutsResult:
    """A run a program and heap."""

    runs: Sequence[Run]

    def verdict(self) -> list[str]:
        """Which layout would be best, and by how much."""
        return [_sentence(run) for run in self.runs]

    def tables(self) -> "list[Table]":
        """One table, a row a program, heap and layout."""
        from abut_papers.allocators.layout_tables import layouts_table

        return [layouts_table(self.runs)]

    def document(self) -> dict[str, Any]:
        """Accesses, misses by level, shares of lines and pages that are used, cycles an access."""
        return {"rows": [_row(run, result) for run in self.runs for result in run.results]}

    def draw(self, path: Path) -> None:
        """Cycles an access beside those of the recorded layout, a group of bars a program."""
        from abut_papers.allocators.layout_tables import draw

        draw(self.runs, path)


def measure(request: Request) -> LayoutsResult:
    """Record what is not yet recorded, and simulate."""
    chosen = heaps(request)
    runs = []
    for workload in workloads(request):
        for heap, path in recordings(request, workload, chosen).items():
            request.tell(f"simulating {workload.name} under {heap}")
            runs.append(run_of(path, workload.name, heap))
    return LayoutsResult(runs)


def run_of(path: Path, program: str, heap: str, names: Sequence[str] = CHOSEN) -> Run:
    """A trace in each layout, the recorded one first. Raises AbutError where one cannot be."""
    preset = find_preset(CACHE)
    jobs = [Job(str(path), preset, layout=name, side="application", by=NOBODY) for name in names]
    return Run(program, heap, simulate_all(jobs, len(os.sched_getaffinity(0))))


def gain(run: Run, result: Result) -> float:
    """The share of the time of an access that this layout saves against the recorded one."""
    recorded = average_cycles(run.results[0])
    return 1 - average_cycles(result) / recorded if recorded else 0.0


def _sentence(run: Run) -> str:
    best = run.best
    if best is run.results[0]:
        return f"{run.program} under {run.heap}: no other layout is better than the recorded one"
    return (
        f"{run.program} under {run.heap}: '{best.job.layout}' is best, {gain(run, best):.0%} "
        "less time an access"
    )


def _row(run: Run, result: Result) -> dict[str, Any]:
    pages = result.page_utilisation
    return {
        "program": run.program,
        "heap": run.heap,
        "layout": result.job.layout,
        "accesses": result.total_references,
        "misses": {level.name: level.total_misses for level in (*result.levels, *result.tlb)},
        "of_lines_used": result.utilisation[0].share,
        "of_pages_used": pages.share if pages else None,
        "cycles": average_cycles(result),
    }
