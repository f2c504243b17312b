"""Custom allocators beside general ones (Feng and Berger, sections 2.3, 4 and 4.1).

176.gcc has obstacks; for other allocators the authors put a request a node in their place. Here a
program of our own (`regions`) does what a compiler does with them, with obstacks, with reaps, and
with a request a node under each heap. 197.parser's xalloc is the heap of that name.
"""

from pathlib import Path

from abut.heaps import GLIBC, Heap
from abut.measure.workload import Workload
from abut.papers import Claim, Request
from abut.places import bench_places
from abut_papers.allocators.figures import Figure
from abut_papers.allocators.program_runs import ProgramRuns, runs_of

_CUSTOM = ("obstack", "reap")
_THEIRS = {"obstack": 0.92}  # section 4.1
_FUNCTIONS = {"tiny": 20, "small": 100, "quick": 400, "daily": 4000, "full": 20_000}


def measure(request: Request) -> ProgramRuns:
    """Run the program with each, in turn, or read what is kept."""
    program = str(bench_places().programs / "regions")
    argv = (program, "--functions", str(_FUNCTIONS[request.suite]))
    workload = Workload("regions", "nodes that die together", "own", argv, Path.cwd())
    others = [Heap(name, GLIBC.about, None, "", {"REGIONS": name}) for name in _CUSTOM]
    return runs_of(request, workload, others=others)


def claims(runs: ProgramRuns) -> list[Claim]:
    """The time by that of Lea's with a request a node."""
    why = "a program of our own that does little else"
    return [
        Claim(f"{name}s, time by lea's", f"{theirs:.2f}", f"{time.value:.2f}", why)
        for name, theirs in _THEIRS.items()
        if (time := runs.ratio("time", name, "lea"))
    ]


def figures(runs: ProgramRuns) -> list[Figure]:
    """Time and memory by those of Lea's with a request a node."""
    place = "regions of nodes, 176.gcc in figure 2"
    measures = {"time": _THEIRS, "resident memory": {}}
    return [Figure(what, "lea", sorted(runs.seconds), place, of) for what, of in measures.items()]
