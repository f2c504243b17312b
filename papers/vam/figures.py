"""Vam's figures of pages: what is measured of each program, and what the authors report."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from abut.simulation.pages import PAGE_BYTES, PageComparison, PageReport

MEMORIES = (0.25, 0.5, 0.75)  # of the fewest pages that a heap needs for the program
MIDDLE = MEMORIES.index(0.5)
# Of a memory, how much the most live data is: figures 7 and 8.
REACHABLE = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
# What the authors report, sections 4.4 and 4.6: means of figure 6, and shares of figure 9.
THEIR_FRAGMENTATION = {"phk-sc": "< 1.10"}
THEIR_READ_AHEAD = {
    "lea": "40% to over 80%",
    "phk": "48% to over 80%",
    "vam": "55% to over 80%",
}


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
