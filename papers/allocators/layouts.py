"""The same objects elsewhere: what the caches would miss if the heap had been laid out otherwise.

Of no paper; the layouts are those of `abut sim --layout`: simple ones, two that strategies compute,
and three heaps of the papers, fed the same requests.

Only the application's accesses count: the allocator's belong to the layout that it made.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from abut.bench import Request
from abut.reporters.grid import grid
from abut.reporters.plot import check_format
from abut.reporters.sim import layout_cells, layout_columns
from abut.simulation.jobs import LAYOUTS, Job, Result, average_cycles, simulate_all
from abut.simulation.owners import NO_OWNER
from abut.simulation.presets import find_preset
from abut.tuning.layouts import placer_of
from abut_papers.common.recordings import heaps, recordings, workloads

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

    def tables(self) -> list[Table]:
        """One table, a row a program, heap and layout."""
        return [layouts_table(self.runs)]

    def document(self) -> dict[str, Any]:
        """Accesses, misses by level, shares of lines and pages that are used, cycles an access."""
        return {"rows": [_row(run, result) for run in self.runs for result in run.results]}

    def draw(self, path: Path) -> None:
        """Cycles an access beside those of the recorded layout, a group of bars a program."""
        draw(self.runs, path)


def measure(request: Request) -> LayoutsResult:
    """Record what is not yet recorded, and simulate."""
    chosen = heaps(request)
    runs = []
    for workload in workloads(request):
        for heap, path in recordings(request, workload, chosen).items():
            request.progress(f"simulating {workload.name} under {heap}")
            runs.append(run_of(path, workload.name, heap))
    return LayoutsResult(runs)


def run_of(path: Path, program: str, heap: str, names: Sequence[str] = CHOSEN) -> Run:
    """A trace in each layout, the recorded one first. Raises AbutError where one cannot be."""
    preset = find_preset(CACHE)
    jobs = [
        Job(str(path), preset, name, side="application", by=NO_OWNER, placer=placer_of(name))
        for name in names
    ]
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


def layouts_table(runs: Sequence[Run]) -> Table:
    """A row a program and layout."""
    table = grid(
        "misses of the application's accesses",
        ["program", "layout", *layout_columns(runs[0].results[0])],
        words=2,
    )
    several = len({run.heap for run in runs}) > 1
    for run in runs:
        name = f"{run.program}, {run.heap}" if several else run.program
        for result in run.results:
            table.add_row(name, result.job.layout, *layout_cells(result))
        table.add_section()
    return table


def draw(runs: Sequence[Run], path: Path) -> None:
    """A group of bars a program, each layout's cycles an access over the recorded one's."""
    from matplotlib.figure import Figure

    check_format(path)
    figure = Figure(figsize=(10, 4), layout="constrained")
    plot = figure.subplots()
    layouts = [result.job.layout for result in runs[0].results]
    width = 0.8 / len(layouts)
    for number, layout in enumerate(layouts):
        plot.bar(
            [at + (number - (len(layouts) - 1) / 2) * width for at in range(len(runs))],
            [
                average_cycles(run.results[number]) / (average_cycles(run.results[0]) or 1)
                for run in runs
            ],
            width,
            label=layout,
        )
    plot.axhline(1, linewidth=1, color="black")
    plot.set_xticks(range(len(runs)), [f"{run.program}\n{run.heap}" for run in runs])
    plot.set_ylabel("AMAT over the recorded layout's")
    plot.legend()
    figure.savefig(path)
