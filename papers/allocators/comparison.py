"""The papers' allocators, run: Feng and Berger's table 1 and figures 2 to 5, and Rezaei and Kavi's
separation on two real cores.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from abut.errors import AbutError
from abut.measure.workload import Workload
from abut.papers import Claim, Request
from abut_papers.allocators.figures import Figure, figures, reference_of, standings
from abut_papers.allocators.heaps import served_heap
from abut_papers.allocators.program_runs import WALL_TIME, ProgramRuns, runs_of
from abut_papers.common.recordings import recorded_workloads, workloads

if TYPE_CHECKING:
    from rich.table import Table

VAM_HEAPS = (
    *("lea", "phk", "phk-sc", "phk-reap", "phk-sc-reap", "vam", "vam-header", "vam-bitmap"),
    *("xalloc", "glibc", "abut"),
)
SERVED_HEAPS = tuple(
    f"{server}{heap}"
    for heap in ("lea", "abt", "phk")
    for server in ("", "offload:", "offload-process:")
)
# What Feng and Berger report, sections 4.1 and 4.2, of the time and the L2 misses of the others.
THEIRS = (("lea", 0.08), ("phk", 0.04))
THEIR_MISSES = 0.39
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

    def verdict(self) -> list[str]:
        """The means, beside the authors'; where abut stands; and whom a second core helped."""
        standing = [one.sentence for one in standings(self.programs, self.heaps)]
        return [*_times(self), *_misses(self), *standing, *_separate(self)]

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

    def tables(self) -> "list[Table]":
        """Table 1, then a table a figure, then where abut stands in all of them."""
        from abut_papers.allocators.tables import demand_table, figure_table, standings_table

        shown = figures(self.programs, self.heaps)
        tables = [demand_table(self.programs)]
        tables += [figure_table(figure, self.programs) for figure in shown]
        if standing := standings(self.programs, self.heaps):
            tables.append(standings_table(standing, reference_of(self.heaps)))
        return [*tables, *self.served_tables()]

    def served_tables(self) -> "list[Table]":
        """What is served from elsewhere, beside the same heap in line."""
        from abut_papers.allocators.tables import served_tables

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


def measure_served(request: Request, served: Sequence[str] = SERVED_HEAPS) -> AllocatorsResult:
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


def _mean(result: AllocatorsResult, what: str, heap: str, to: str) -> float | None:
    """The geometric mean over all programs of one heap's by another's."""
    mean = Figure(what, to, ()).mean(result.programs, heap)
    return mean.value if mean else None


def _times(result: AllocatorsResult) -> list[str]:
    return [
        f"vam takes {_less(1 - ratio)} time than {other} (Feng and Berger: {_less(theirs)})"
        for other, theirs in THEIRS
        if (ratio := _mean(result, "time", "vam", other)) is not None
    ]


def _misses(result: AllocatorsResult) -> list[str]:
    ratio = _mean(result, "L2 misses", "vam", "lea")
    if ratio is None:
        return []
    saved, theirs = _less(1 - ratio, "fewer"), _less(THEIR_MISSES, "fewer")
    return [f"vam has {saved} L2 misses than lea (Feng and Berger: {theirs})"]


def _less(share: float, less: str = "less") -> str:
    """What is saved, as a share, in words; below 0 it is more."""
    return f"{abs(share):.0%} {less if share >= 0 else 'more'}"


def _separate(result: AllocatorsResult) -> list[str]:
    said = []
    for heap in result.heaps:
        inner = served_heap(heap)
        if inner is None:
            continue
        ratios = [_mean(result, what, heap, inner) for what in (WALL_TIME, "time")]
        if None in ratios:
            continue
        faster = [
            one.program
            for one in result.programs
            if (own := one.ratio(WALL_TIME, heap, inner)) and own.high < 1
        ]
        by_clock, of_processors = ratios
        said.append(
            f"{heap} takes {by_clock:.2f} of {inner}'s time by the clock, and of both sides' "
            f"processor time {of_processors:.2f}; surely faster: {', '.join(faster) or 'none'}"
        )
    return said
