"""Vam's figures as tables and as charts."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut.reporters.pages import memory_text, pages_document, pages_table
from abut.reporters.units import amount
from abut.simulation.pages import PAGE_BYTES, PageReport
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.allocators.tables import AllocatorsResult
from abut_papers.common.bars import bars
from abut_papers.vam import custom
from abut_papers.vam.figures import (
    MIDDLE,
    REACHABLE,
    THEIR_FRAGMENTATION,
    THEIR_READ_AHEAD,
    ProgramPages,
    ProgramsPages,
)
from abut_papers.vam.pressure import Pressure

_MIB = 1 << 20


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
        """Figures 2, 3b, 6, 8 and 9."""
        return _charts(self, self.runs)


def _fragmentation_table(result: ProgramsPages) -> Table:
    """Figure 6: a row a heap, a column a program; the mean, and the authors' where they say it."""
    means = result.mean_fragmentation()
    table = _table("most pages in use over those of the most live data (figure 6)", result)
    for heap in result.heaps:
        row = [f"{value:.2f}" if value else "-" for value in result.fragmentation(heap)]
        mean = f"{means[heap]:.2f}" if heap in means else "-"
        table.add_row(heap, *row, mean, THEIR_FRAGMENTATION.get(heap, ""))
    return table


def _prefetch_table(result: ProgramsPages) -> Table:
    """Figure 9: of the misses of half the pages that are needed, how many reading ahead covers."""
    table = _table("misses in half of the memory that reading ahead covers (figure 9)", result)
    for heap in result.heaps:
        shares = [
            report.prefetch[MIDDLE].prefetchable_share if report else None
            for report in result.reports(heap)
        ]
        known = [share for share in shares if share is not None]
        mean = (
            f"{sum(known) / len(known):.0%}" if known and None not in result.reports(heap) else "-"
        )
        row = [f"{share:.0%}" if share is not None else "-" for share in shares]
        table.add_row(heap, *row, mean, THEIR_READ_AHEAD.get(heap, ""))
    return table


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


def _table(title: str, result: ProgramsPages) -> Table:
    return grid(title, ["heap", *(one.name for one in result.programs), "mean", "theirs"])


def _charts(result: ProgramsPages, runs: AllocatorsResult) -> list[Chart]:
    """Figures 2, 3b, 6 and 9, a group of bars a program; and 8, of each program."""

    def by_lea(what: str) -> dict[str, dict[str, float]]:
        return {
            one.program: {
                heap: ratio.value for heap in runs.heaps if (ratio := one.ratio(what, heap, "lea"))
            }
            for one in runs.programs
        }

    def of_pages(value: Callable[[PageReport], float | None]) -> dict[str, dict[str, float]]:
        return {
            one.name: {heap: value(report) or 0 for heap, report in one.pages.reports.items()}
            for one in result.programs
        }

    fragmentation = of_pages(lambda report: report.use.fragmentation)
    covered = of_pages(lambda report: report.prefetch[MIDDLE].prefetchable_share)
    return [
        bars("figure 2: time", "by lea's", by_lea("time")),
        bars("figure 3b: L2 misses", "by lea's", by_lea("L2 misses")),
        bars("figure 6: pages in use", "by live data's", fragmentation),
        *(_curves(program) for program in result.programs),
        bars("figure 9: prefetchable misses in half of it", "share", covered, None),
    ]


def _curves(program: ProgramPages) -> Chart:
    sizes = program.pages.curve_sizes
    memories = (sizes * PAGE_BYTES / _MIB).tolist()
    series = {
        heap: dict(zip(memories, report.misses(sizes).tolist(), strict=True))
        for heap, report in program.pages.reports.items()
    }
    title = f"figure 8: {program.name}, over MiB of memory"
    return Chart(title, "page misses", series, scale="symlog")
