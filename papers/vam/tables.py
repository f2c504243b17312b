"""Vam's figures: what the authors report, and what is measured, as tables and as charts."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean
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
from abut_papers.allocators.tables import AllocatorsResult
from abut_papers.common.bars import bars
from abut_papers.vam import custom
from abut_papers.vam.pressure import REACHABLE, Pressure

MEMORIES = (0.25, 0.5, 0.75)  # of the fewest pages that a heap needs for the program
MIDDLE = MEMORIES.index(0.5)
# What the authors report, sections 4.4 and 4.6: means of figure 6, and shares of figure 9.
THEIR_FRAGMENTATION = {"phk-sc": "< 1.10"}
THEIR_READ_AHEAD = {
    "lea": "40% to over 80%",
    "phk": "48% to over 80%",
    "vam": "55% to over 80%",
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


@dataclass(frozen=True, slots=True)
class ProgramsPages:
    """All programs."""

    programs: Sequence[ProgramPages]

    def fragmentation(self, heap: str) -> list[float | None]:
        """Figure 6: the most pages in use over those of the most live data, by program; None where
        that is not known.
        """
        return [report.use.fragmentation if report else None for report in self.reports(heap)]

    def mean_fragmentation(self) -> dict[str, float]:
        """By heap, the geometric mean over all programs, not of some alone."""
        known = {
            heap: [value for value in self.fragmentation(heap) if value] for heap in self.heaps
        }
        return {
            heap: geometric_mean(values)
            for heap, values in known.items()
            if values and len(values) == len(self.programs)
        }

    def reports(self, heap: str) -> list[PageReport | None]:
        """A heap's, program by program; None where the program was not recorded under it."""
        return [program.pages.reports.get(heap) for program in self.programs]

    @property
    def heaps(self) -> list[str]:
        """Those whose pages are known, in the order in which they were asked for."""
        return list(dict.fromkeys(heap for one in self.programs for heap in one.pages.reports))


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
            _fragmentation_table(self),
            _prefetch_table(self),
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

        def of_pages(value: Callable[[PageReport], float | None]) -> dict[str, dict[str, float]]:
            return {
                one.name: {heap: value(report) or 0 for heap, report in one.pages.reports.items()}
                for one in self.programs
            }

        fragmentation = of_pages(lambda report: report.use.fragmentation)
        covered = of_pages(lambda report: report.prefetch[MIDDLE].prefetchable_share)
        return [
            bars("figure 2: time", "by lea's", by_lea("time")),
            bars("figure 3b: L2 misses", "by lea's", by_lea("L2 misses")),
            bars("figure 6: pages in use", "by live data's", fragmentation),
            *(_curves(program) for program in self.programs),
            bars("figure 9: prefetchable misses in half of it", "share", covered, None),
        ]


def _fragmentation_table(result: ProgramsPages) -> Table:
    """Figure 6: a row a heap, a column a program; the mean, and the authors' where they say it."""
    means = result.mean_fragmentation()
    rows = {heap: [*result.fragmentation(heap), means.get(heap)] for heap in result.heaps}
    title = "most pages in use over those of the most live data (figure 6)"
    return _table(title, result, rows, ".2f", THEIR_FRAGMENTATION)


def _prefetch_table(result: ProgramsPages) -> Table:
    """Figure 9: of the misses of half the pages that are needed, how many reading ahead covers."""
    rows = {}
    for heap in result.heaps:
        shares = [
            report.prefetch[MIDDLE].prefetchable_share if report else None
            for report in result.reports(heap)
        ]
        known = [share for share in shares if share is not None]
        whole = known and None not in result.reports(heap)
        rows[heap] = [*shares, sum(known) / len(known) if whole else None]
    title = "misses in half of the memory that reading ahead covers (figure 9)"
    return _table(title, result, rows, ".0%", THEIR_READ_AHEAD)


def _table(
    title: str,
    result: ProgramsPages,
    rows: dict[str, list[float | None]],
    form: str,
    theirs: dict[str, str],
) -> Table:
    columns = ["heap", *(one.name for one in result.programs), "mean", "theirs"]
    cells = {
        heap: ["-" if value is None else f"{value:{form}}" for value in row]
        for heap, row in rows.items()
    }
    return grid(title, columns, ([heap, *row, theirs.get(heap, "")] for heap, row in cells.items()))


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
