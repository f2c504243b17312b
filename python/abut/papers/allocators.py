"""The papers' allocators, run: Feng and Berger's table 1 and figures 2 to 5, and Rezaei and Kavi's
separation on two real cores.

Figures 4b and 5b, of instructions, are not here: they take hardware counters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from abut.composed import composed_heaps, served_heap
from abut.papers.paper import Request
from abut.papers.program_runs import ProgramRuns, runs_of
from abut.papers.recordings import workloads

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "the papers' allocators run: what programs ask for, how long they take, who is faster"
PROGRAMS = ("cc1", "lua-tables", "perl-hashes", "sqlite", "translate")
VAM_HEAPS = (
    *("lea", "phk", "phk-sc", "phk-reap", "phk-sc-reap", "vam", "vam-header", "vam-bitmap"),
    *("glibc", "abut"),
)
SERVED_HEAPS = tuple(
    f"{server}{heap}"
    for heap in ("lea", "abt", "phk")
    for server in ("", "offload:", "offload-process:")
)
HEAPS = VAM_HEAPS
# What Feng and Berger report, sections 4.1 and 4.2, of the time and the L2 misses of the others.
THEIRS = (("lea", 0.08), ("phk", 0.04))
THEIR_MISSES = 0.39


@dataclass(frozen=True, slots=True)
class AllocatorsResult:
    """Each program under every heap."""

    programs: Sequence[ProgramRuns]
    heaps: Sequence[str]

    def verdict(self) -> list[str]:
        """The means, beside the authors'; and whom a second core helped."""
        return [*_times(self), *_misses(self.programs), *_separate(self)]

    def tables(self) -> "list[Table]":
        """Table 1, then a table a figure."""
        from abut.reporters.allocators import demand_table, memory_table, misses_tables, time_table

        return [
            demand_table(self.programs),
            time_table(self.programs, self.heaps),
            memory_table(self.programs, self.heaps),
            *misses_tables(self.programs),
            *self.served_tables(),
        ]

    def served_tables(self) -> "list[Table]":
        """What is served from elsewhere, beside the same heap in line."""
        from abut.reporters.allocators import served_table

        served = [heap for heap in self.heaps if served_heap(heap)]
        return [served_table(self.programs, served)] if served else []

    def document(self) -> dict[str, Any]:
        """Seconds and resident bytes of every run, simulated misses, demands."""
        return {"runs": [asdict(one) for one in self.programs]}

    def draw(self, path: Path) -> None:
        """Times by program and heap."""
        from abut.reporters.allocators import time_bars
        from abut.reporters.plot import draw

        draw(time_bars(self.programs, self.heaps), path)


def measure(request: Request) -> AllocatorsResult:
    """Run every program under every heap, in turn."""
    return _measure(request, simulate=False)


def measure_with_misses(request: Request) -> AllocatorsResult:
    """The same; and record each once, and simulate the misses of the allocators' layouts."""
    return _measure(request, simulate=True)


def measure_served(request: Request) -> AllocatorsResult:
    """Run the request's programs under heaps in line and served from elsewhere."""
    return measure(replace(request, heaps=SERVED_HEAPS))


def _measure(request: Request, *, simulate: bool) -> AllocatorsResult:
    programs = [runs_of(request, one, simulate=simulate) for one in workloads(request)]
    return AllocatorsResult(programs, list(dict.fromkeys(request.heaps)))


def mean_ratio(programs: Iterable[ProgramRuns], heap: str, to: str) -> float | None:
    """The geometric mean over all programs of `heap`'s time by that of `to`."""
    ratios = [one.time_ratio(heap, to) for one in programs]
    logs = [log(one.value) for one in ratios if one]
    return exp(fmean(logs)) if logs else None


def _times(result: AllocatorsResult) -> list[str]:
    said = []
    for other, theirs in THEIRS:
        if (ratio := mean_ratio(result.programs, "vam", other)) is not None:
            said.append(
                f"vam takes {1 - ratio:+.0%} less time than {other} "
                f"(Feng and Berger: {theirs:+.0%})"
            )
    rivals = {
        heap: ratio
        for heap in result.heaps
        if heap in composed_heaps()
        and (ratio := mean_ratio(result.programs, "abut", heap)) is not None
    }
    if rivals:
        best = max(rivals, key=lambda name: rivals[name])
        said.append(
            f"abut takes {1 - rivals[best]:+.0%} less time than {best}, the best of the papers'"
        )
    return said


def _misses(programs: Iterable[ProgramRuns]) -> list[str]:
    pairs = [one.misses for one in programs if {"vam", "lea"} <= one.misses.keys()]
    shares = [row["vam"][1] / row["lea"][1] for row in pairs if row["lea"][1]]
    if not shares:
        return []
    removed = 1 - fmean(shares)
    return [
        f"vam's layout has {removed:+.0%} fewer L2 misses than lea's (theirs: {THEIR_MISSES:+.0%})"
    ]


def _separate(result: AllocatorsResult) -> list[str]:
    said = []
    for heap in result.heaps:
        inner = served_heap(heap)
        if inner is None or (ratio := mean_ratio(result.programs, heap, inner)) is None:
            continue
        faster = [
            one.program
            for one in result.programs
            if (own := one.time_ratio(heap, inner)) and own.high < 1
        ]
        programs = ", ".join(faster) or "none"
        said.append(f"{heap} takes {ratio:.2f} of {inner}'s time; surely faster: {programs}")
    return said
