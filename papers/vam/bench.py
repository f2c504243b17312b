"""Feng, Berger: *A Locality-Improving Dynamic Memory Allocator* (Vam), MSP 2005: table 1 and
figures 2 to 5 (allocators/comparison.py), 6 to 9, and custom allocators.

Figure 6 is fragmentation: the most pages in use over the most live data. Figure 7 is the time in
little memory. Figure 8 is how often memories of every size miss a page. Figure 9 is how many of
these misses reading ahead from swap would have covered. The authors' programs (gcc, parser, perl,
vortex of SPEC CPU2000) are not free; ours are as large, and are run under the heaps of today.
"""

from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from abut.papers import Claim, Request
from abut.reporters.charts import Chart
from abut.reporters.pages import pages_document, pages_table
from abut.simulation.jobs import Job
from abut.simulation.pages import compare_pages, run_pages
from abut_papers.allocators import comparison
from abut_papers.allocators.comparison import AllocatorsResult
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.common.recordings import at_once, heaps, recorded_workloads, recordings
from abut_papers.vam import custom, pressure
from abut_papers.vam.figures import (
    MEMORIES,
    THEIR_FRAGMENTATION,
    ProgramPages,
    ProgramsPages,
)
from abut_papers.vam.pressure import Pressure
from abut_papers.vam.tables import charts, curve_table, fragmentation_table, prefetch_table

ABOUT = "Feng and Berger 2005, Vam: time, misses, fragmentation, little memory, reading ahead"
PROGRAMS = ("cc1", "lua-tables", "perl-hashes", "sqlite", "translate")
HEAPS = comparison.VAM_HEAPS
QUICK = {"programs": ("perl-hashes",)}


@dataclass(frozen=True, slots=True)
class VamResult(ProgramsPages):
    """The figures of pages, and real runs: all of them, in little memory, of custom allocators."""

    runs: AllocatorsResult
    pressure: Pressure
    regions: ProgramRuns

    def claims(self) -> list[Claim]:
        """The means that sections 4.1 to 4.6 state."""
        found = [*self.runs.claims()]
        fragmentation = self.mean_fragmentation()
        found += [
            Claim(f"figure 6: {heap}, pages over live data", theirs, f"{fragmentation[heap]:.2f}")
            for heap, theirs in THEIR_FRAGMENTATION.items()
            if heap in fragmentation
        ]
        found += self.pressure.claims()
        return found + custom.claims(self.regions)

    def tables(self) -> list[Table]:
        """Those of the runs; figures 6 and 9; then of each program figures 7 and 8."""
        return [
            *self.runs.tables(),
            fragmentation_table(self),
            prefetch_table(self),
            *self.pressure.tables(),
            *(curve_table(program) for program in self.programs),
            *(pages_table(f"{one.name}: {one.about}", "heap", one.pages) for one in self.programs),
            custom.table(self.regions),
        ]

    def document(self) -> dict[str, Any]:
        """All of it, with the curves at a hundred sizes."""
        return {
            **self.runs.document(),
            "programs": [
                {"program": program.name, **pages_document(program.pages)}
                for program in self.programs
            ],
            "pressure": self.pressure.document(),
            "regions": asdict(self.regions),
        }

    def charts(self) -> list[Chart]:
        """Figures 2, 3b, 6, 8 and 9."""
        return charts(self, self.runs)


def measure(request: Request) -> VamResult:
    """Record and run what is not yet recorded and run, and simulate."""
    runs = comparison.measure_with_misses(request)
    return VamResult(
        measure_pages(request),
        runs,
        pressure.measure(request, runs.programs),
        custom.measure(request),
    )


def measure_pages(request: Request) -> list[ProgramPages]:
    """Record what is not yet recorded, and simulate the pages."""
    chosen = heaps(request)
    programs = []
    for workload in recorded_workloads(request):
        paths = recordings(request, workload, chosen)
        if not paths:
            continue
        request.progress(f"simulating the pages of {workload.name}")
        runs = at_once(lambda path: run_pages([Job(str(path))]), paths.values())
        pages = {heap: one for heap, run in zip(paths, runs, strict=True) for one in run.values()}
        found = compare_pages(pages, MEMORIES)
        programs.append(ProgramPages(workload.name, workload.about, found))
    return programs
