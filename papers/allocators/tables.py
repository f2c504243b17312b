"""The papers' allocators, run: Feng and Berger's table 1 and figures 2 to 5, and Rezaei and Kavi's
separation on two real cores, as tables.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rich.table import Table

from abut.errors import AbutError
from abut.measure.workload import Workload
from abut.papers import Claim, Request
from abut.reporters.grid import grid
from abut.reporters.units import amount, ratio_with_interval
from abut_papers.allocators.figures import Figure, figures
from abut_papers.allocators.heaps import served_heap
from abut_papers.allocators.program_runs import WALL_TIME, ProgramRuns, runs_of
from abut_papers.common.recordings import recorded_workloads, workloads

VAM_HEAPS = (
    *("lea", "phk", "phk-sc", "phk-reap", "phk-sc-reap", "vam", "vam-header", "vam-bitmap"),
    *("xalloc", "glibc", "abut"),
)
SERVED_HEAPS = ("lea", "offload:lea", "abt", "offload:abt", "phk", "offload:phk")
# Why the means may differ.
WHY = {
    ("time", "vam"): "a system call for each page that empties costs more now, and a miss less",
    ("L2 misses", "vam"): "less is live; most of what vam saves are misses of the allocator itself",
    ("time", "xalloc"): "theirs is of one program, parser, which does little but allocate",
}


@dataclass(frozen=True, slots=True)
class AllocatorsResult:
    """Each program under every heap."""

    programs: Sequence[ProgramRuns]
    heaps: Sequence[str]

    def claims(self) -> list[Claim]:
        """Feng and Berger's means, beside ours."""
        return [
            Claim(
                f"{figure.title}: {heap}",
                f"{theirs:.2f}",
                f"{mean.value:.2f}",
                WHY.get((figure.what, heap), ""),
            )
            for figure in figures(self.programs, self.heaps)
            for heap, theirs in figure.theirs.items()
            if (mean := figure.mean(self.programs, heap))
        ]

    def tables(self) -> list[Table]:
        """Table 1, then a table a figure."""
        shown = [figure_table(one, self.programs) for one in figures(self.programs, self.heaps)]
        return [demand_table(self.programs), *shown, *self.served_tables()]

    def served_tables(self) -> list[Table]:
        """What is served from elsewhere, beside the same heap in line."""
        served = [heap for heap in self.heaps if served_heap(heap)]
        return served_tables(self.programs, served) if served else []

    def document(self) -> dict[str, Any]:
        """Seconds and resident bytes of every run, what was simulated, demands."""
        return {"runs": [asdict(one) for one in self.programs]}


def measure_with_misses(request: Request) -> AllocatorsResult:
    """Run every program under every heap, in turn; and record each once, and simulate the misses of
    the allocators' layouts.
    """
    return _measure(request, recorded_workloads(request))


def measure_served(request: Request, served: Sequence[str]) -> AllocatorsResult:
    """Run the request's programs under heaps in line and served from elsewhere."""
    return _measure(replace(request, heaps=served), [None] * len(request.programs))


def _measure(request: Request, recorded: Sequence[Workload | None]) -> AllocatorsResult:
    pairs = zip(workloads(request), recorded, strict=True)
    programs = [runs for pair in pairs if (runs := _runs_of(request, *pair))]
    return AllocatorsResult(programs, list(dict.fromkeys(request.heaps)))


def _runs_of(request: Request, workload: Workload, recorded: Workload | None) -> ProgramRuns | None:
    try:
        return runs_of(request, workload, recorded)
    except AbutError as error:
        request.leave_out(workload.name, str(error))
        return None


def demand_table(programs: Sequence[ProgramRuns]) -> Table:
    """Feng and Berger's table 1 for other programs: what each asks of its allocator."""
    table = grid(
        "what the programs ask for (table 1), and their time under lea",
        ["program", "time", "most live", "allocations", "a second", "bytes each"],
    )
    for one in programs:
        demand = one.demand
        table.add_row(
            one.program,
            amount(demand.seconds, "s"),
            amount(demand.most_live, "B"),
            amount(demand.allocations, ""),
            amount(demand.allocations / demand.seconds, ""),
            f"{demand.requested / max(1, demand.allocations):.0f}",
        )
    return table


def figure_table(figure: Figure, programs: Sequence[ProgramRuns]) -> Table:
    """A row a heap and a column a program; the mean of all, and the authors' where they say it."""
    table = grid(figure.title, ["heap", *(one.program for one in programs)])
    if len(programs) > 1:
        table.add_column("mean", justify="right")
    if figure.theirs:
        table.add_column("theirs", justify="right")
    for heap in figure.heaps:
        row = [ratio_with_interval(ratio) for ratio in figure.ratios(programs, heap)]
        if len(programs) > 1:
            row.append(ratio_with_interval(figure.mean(programs, heap)))
        if figure.theirs:
            row.append(f"{figure.theirs[heap]:.2f}" if heap in figure.theirs else "")
        table.add_row(heap, *row)
    return table


def served_tables(programs: Sequence[ProgramRuns], heaps: Sequence[str]) -> list[Table]:
    """Times of heaps that are served from elsewhere, divided by those of the same heap in line."""
    tables = []
    for what, title in (
        (WALL_TIME, "time by the clock on two cores"),
        ("time", "processor time of both sides"),
    ):
        table = grid(
            f"{title}, by that of the same heap in line",
            ["heap", *(one.program for one in programs), "mean"],
        )
        for heap in heaps:
            of_heap = Figure(what, served_heap(heap) or heap, [heap])
            ratios = [*of_heap.ratios(programs, heap), of_heap.mean(programs, heap)]
            table.add_row(heap, *map(ratio_with_interval, ratios))
        tables.append(table)
    return tables
