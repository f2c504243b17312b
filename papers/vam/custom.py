"""Custom allocators beside general ones (Feng and Berger, sections 2.3, 4 and 4.1).

176.gcc has obstacks; for other allocators the authors put a request a node in their place. Here a
program of our own (`regions`) does what a compiler does with them, with obstacks, with reaps, and
with a request a node under each heap. 197.parser's xalloc is the heap of that name.
"""

from pathlib import Path

from rich.table import Table

from abut.heaps import GLIBC, Heap
from abut.measure.workload import Workload
from abut.papers import Claim, Request
from abut.places import bench_places
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.allocators.program_runs import Demand, ProgramRuns, timed_runs

_CUSTOM = ("obstack", "reap")
_FUNCTIONS = {"tiny": 20, "small": 100, "quick": 400, "daily": 4000, "full": 20_000}


def measure(request: Request) -> ProgramRuns:
    """Run the program with each, in turn, or read what is kept."""
    program = str(bench_places().programs / "regions")
    argv = (program, "--functions", str(_FUNCTIONS[request.suite]))
    workload = Workload("regions", "nodes that die together", "own", argv, Path.cwd())
    others = [Heap(name, GLIBC.about, None, "", {"REGIONS": name}) for name in _CUSTOM]
    timed = timed_runs(request, workload, others)
    return ProgramRuns("regions", Demand(**timed["demand"]), timed["seconds"], timed["resident"])


def claims(runs: ProgramRuns) -> list[Claim]:
    """Section 4.1: the time with obstacks, by that of Lea's with a request a node."""
    if (time := runs.ratio("time", "obstack", "lea")) is None:
        return []
    why = "a program of our own that does little else"
    return [Claim("obstacks, time by lea's", "0.92", f"{time.value:.2f}", why)]


def table(runs: ProgramRuns) -> Table:
    """A row an allocator: medians."""
    title = "regions of nodes, by custom allocators and a request a node (176.gcc in figure 2)"
    made = grid(title, ["allocator", "time", "resident"])
    for heap in sorted(runs.seconds):
        time, memory = (runs.measured(what, heap) for what in ("time", "resident memory"))
        if time and memory:
            made.add_row(heap, amount(time.value, "s"), amount(memory.value, "B"))
    return made
