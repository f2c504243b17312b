"""Vam's figures: what the authors report, and what is measured, as tables and as charts."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, geometric_mean
from typing import Any

import numpy as np
from rich.table import Table

from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut.reporters.pages import memory_text, pages_document, pages_table
from abut.reporters.units import amount
from abut.simulation.pages import PAGE_BYTES, PageComparison, PageReport
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.allocators.tables import AllocatorsResult, figure_table
from abut_papers.common.bars import bars
from abut_papers.vam import custom
from abut_papers.vam.pressure import REACHABLE, Pressure

MEMORIES = (0.25, 0.5, 0.75)  # of the fewest pages that a heap needs for the program
MIDDLE = MEMORIES.index(0.5)
# What the authors report, sections 4.4 and 4.6: means of figure 6, and shares of figure 9.
THEIR_FRAGMENTATION = {"phk-sc": "< 1.10"}
THEIR_READ_AHEAD = {"lea": "40% to over 80%", "phk": "48% to over 80%", "vam": "55% to over 80%"}
_FIGURES = {
    6: (
        "most pages in use over those of the most live data (figure 6)",
        ".2f",
        THEIR_FRAGMENTATION,
    ),
    9: (
        "misses in half of the memory that reading ahead covers (figure 9)",
        ".0%",
        THEIR_READ_AHEAD,
    ),
}
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ProgramPages:
    """One program under every heap."""

    name: str
    about: str
    pages: PageComparison

    @property
    def memories(self) -> list[int]:
        """In pages: those of which the program's most live data are the shares of `REACHABLE`."""
        reports = self.pages.reports.values()
        live = max(report.use.most_live_bytes for report in reports)
        smallest = max(report.exact_from for report in reports)
        return [max(smallest, round(live / share / PAGE_BYTES)) for share in REACHABLE]


Value = Callable[[PageReport], float | None]


def _fragmentation(report: PageReport) -> float | None:
    """Figure 6: the most pages in use over those of the most live data."""
    return report.use.fragmentation


def _covered(report: PageReport) -> float | None:
    """Figure 9: of the misses of half the pages that are needed, how many reading ahead covers."""
    return report.prefetch[MIDDLE].prefetchable_share


@dataclass(frozen=True, slots=True)
class VamResult:
    """The figures of pages, and real runs: all of them, in little memory, of custom allocators."""

    programs: Sequence[ProgramPages]
    runs: AllocatorsResult
    pressure: Pressure
    regions: ProgramRuns

    def of_pages(self, value: Value) -> dict[str, list[float | None]]:
        """By heap, the value of each program; None where it was not recorded under that heap."""
        heaps = dict.fromkeys(heap for one in self.programs for heap in one.pages.reports)
        reports = {heap: [one.pages.reports.get(heap) for one in self.programs] for heap in heaps}
        return {heap: [value(one) if one else None for one in of] for heap, of in reports.items()}

    def claims(self) -> list[Claim]:
        """The means that sections 4.1 to 4.6 state."""
        pages = [
            Claim(
                f"figure 6: {heap}, pages over live data", THEIR_FRAGMENTATION[heap], f"{mean:.2f}"
            )
            for heap, values in self.of_pages(_fragmentation).items()
            if heap in THEIR_FRAGMENTATION and (mean := _mean(geometric_mean, values))
        ]
        found = [*self.runs.claims(), *pages, *self.pressure.claims()]
        return found + custom.claims(self.regions)

    def tables(self) -> list[Table]:
        """Those of the runs; figures 6 and 9; then of each program figures 7 and 8."""
        return [
            *self.runs.tables(),
            self._means(6, _fragmentation, geometric_mean),
            self._means(9, _covered, fmean),
            *self.pressure.tables(),
            *(curve_table(program) for program in self.programs),
            *(pages_table(f"{one.name}: {one.about}", "heap", one.pages) for one in self.programs),
            *(figure_table(one, [self.regions]) for one in custom.figures(self.regions)),
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
        """Figures 2, 3b, 6 and 9, a group of bars a program; and 8, of each program."""

        def by_lea(what: str) -> dict[str, dict[str, float]]:
            return {
                one.program: {
                    heap: ratio.value
                    for heap in self.runs.heaps
                    if (ratio := one.ratio(what, heap, "lea"))
                }
                for one in self.runs.programs
            }

        return [
            bars("figure 2: time", "by lea's", by_lea("time")),
            bars("figure 3b: L2 misses", "by lea's", by_lea("L2 misses")),
            bars("figure 6: pages in use", "by live data's", self._bars(_fragmentation)),
            *(_curves(program) for program in self.programs),
            bars(
                "figure 9: prefetchable misses in half of it", "share", self._bars(_covered), None
            ),
        ]

    def _bars(self, value: Value) -> dict[str, dict[str, float]]:
        return {
            one.name: {heap: value(report) or 0 for heap, report in one.pages.reports.items()}
            for one in self.programs
        }

    def _means(self, figure: int, value: Value, mean: Callable[[list[float]], float]) -> Table:
        """A row a heap, a column a program; the mean, and the authors' where they say it."""
        title, form, theirs = _FIGURES[figure]
        table = grid(title, ["heap", *(one.name for one in self.programs), "mean", "theirs"])
        for heap, values in self.of_pages(value).items():
            cells = [
                "-" if one is None else f"{one:{form}}" for one in (*values, _mean(mean, values))
            ]
            table.add_row(heap, *cells, theirs.get(heap, ""))
        return table


def _mean(mean: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    """Over all programs, not over some alone."""
    known = [value for value in values if value is not None]
    return mean(known) if known and len(known) == len(values) else None


def curve_table(program: ProgramPages) -> Table:
    """Figure 8 where it matters: misses of memories that live data take up to such a share."""
    memories = program.memories
    columns = [
        f"{share:.0%}: {memory_text(memory)}"
        for share, memory in zip(REACHABLE, memories, strict=True)
    ]
    title = f"{program.name}: page misses by the share of memory that live data are (figure 8)"
    table = grid(title, ["heap", *columns])
    for heap, report in program.pages.reports.items():
        misses = report.misses(np.array(memories)).tolist()
        table.add_row(heap, *(amount(count, "") for count in misses))
    return table


def _curves(program: ProgramPages) -> Chart:
    sizes = program.pages.curve_sizes
    memories = (sizes * PAGE_BYTES / _MIB).tolist()
    series = {
        heap: dict(zip(memories, report.misses(sizes).tolist(), strict=True))
        for heap, report in program.pages.reports.items()
    }
    title = f"figure 8: {program.name}, over MiB of memory"
    return Chart(title, "page misses", series, scale="symlog")
