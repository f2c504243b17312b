"""Custom allocators beside general ones (Feng and Berger, sections 2.3, 4 and 4.1).

176.gcc has obstacks; for other allocators the authors put a request a node in their place. Here a
program of our own (`regions`) does what a compiler does with them, with obstacks, with reaps, and
with a request a node under each heap. 197.parser's xalloc is the heap of that name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from abut.heaps import GLIBC, Heap
from abut.measure.workload import Workload
from abut.papers import Request
from abut.places import bench_places
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.allocators.program_runs import timed_runs

CUSTOM = ("obstack", "reap")
_FUNCTIONS = {"tiny": 20, "small": 100, "quick": 400, "daily": 4000, "full": 20_000}
THEIR_OBSTACK = 0.92  # of Lea's time, section 4.1


@dataclass(frozen=True, slots=True)
class CustomRuns:
    """Seconds and resident bytes of each round, by custom allocator or heap."""

    seconds: Mapping[str, Sequence[float]]
    resident: Mapping[str, Sequence[float]]

    def obstack_time(self) -> float | None:
        """As a multiple of Lea's, with a request a node."""
        if not {"obstack", "lea"} <= set(self.seconds):
            return None
        return median(self.seconds["obstack"]) / median(self.seconds["lea"])

    def table(self) -> Table:
        """A row an allocator: medians."""
        table = grid(
            "regions of nodes, by custom allocators and a request a node (176.gcc in figure 2)",
            ["allocator", "time", "resident"],
        )
        for name, rounds in self.seconds.items():
            resident = amount(median(self.resident[name]), "B")
            table.add_row(name, amount(median(rounds), "s"), resident)
        return table

    def document(self) -> dict[str, Any]:
        """All rounds."""
        return {"seconds": self.seconds, "resident": self.resident}


def measure(request: Request) -> CustomRuns:
    """Run the program with each, in turn, or read what is kept."""
    program = str(bench_places().programs / "regions")
    argv = (program, "--functions", str(_FUNCTIONS[request.suite]))
    workload = Workload("regions", "nodes that die together", "own", argv, Path.cwd())
    others = [Heap(name, GLIBC.about, None, "", {"REGIONS": name}) for name in CUSTOM]
    timed = timed_runs(request, workload, others)
    names = [name for name in (*request.heaps, *CUSTOM) if name in timed["seconds"]]
    return CustomRuns(
        *({name: timed[of][name] for name in names} for of in ("seconds", "resident"))
    )
