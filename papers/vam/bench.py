"""Feng, Berger: *A Locality-Improving Dynamic Memory Allocator* (Vam), MSP 2005: table 1 and
figures 2 to 5 (allocators/tables.py), 6 to 9, and custom allocators.

Figure 6 is fragmentation: the most pages in use over the most live data. Figure 7 is the time in
little memory. Figure 8 is how often memories of every size miss a page. Figure 9 is how many of
these misses reading ahead from swap would have covered. The authors' programs (gcc, parser, perl,
vortex of SPEC CPU2000) are not free; ours are as large, and are run under the heaps of today.
"""

from abut.papers import Request
from abut.simulation.pages import compare_pages
from abut_papers.allocators.tables import VAM_HEAPS, measure_with_misses
from abut_papers.common.recordings import at_once, heaps, pages_of, recorded_workloads, recordings
from abut_papers.vam import custom, pressure
from abut_papers.vam.tables import MEMORIES, ProgramPages, VamResult

ABOUT = "Feng and Berger 2005, Vam: time, misses, fragmentation, little memory, reading ahead"
PROGRAMS = ("cc1", "lua-tables", "perl-hashes", "sqlite", "translate")
HEAPS = VAM_HEAPS
QUICK = {"programs": ("perl-hashes",)}


def measure(request: Request) -> VamResult:
    """Record and run what is not yet recorded and run, and simulate."""
    runs, pages = measure_with_misses(request), measure_pages(request)
    little = pressure.measure(request, runs.programs)
    return VamResult(pages, runs, little, custom.measure(request))


def measure_pages(request: Request) -> list[ProgramPages]:
    """Record what is not yet recorded, and simulate the pages."""
    chosen = heaps(request)
    programs = []
    for workload in recorded_workloads(request):
        paths = recordings(request, workload, chosen)
        if not paths:
            continue
        request.progress(f"simulating the pages of {workload.name}")
        runs = at_once(pages_of, paths.values())
        pages = {heap: one for heap, run in zip(paths, runs, strict=True) for one in run.values()}
        programs.append(ProgramPages(workload.name, workload.about, compare_pages(pages, MEMORIES)))
    return programs
