"""Rezaei, Kavi: *Utilization of Separate Caches to Eliminate Cache Pollution Caused by Memory
Management Functions*, figures 1 to 5.

Caches that application and allocator share, against caches of their own, at the authors' sizes and
at one of today. Their programs were boxed-sim, cfrac, ptc and espresso; ours do the same work.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.table import Table

from abut.papers import Claim, Request
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.simulation.caches import Caches, split_by_side
from abut.simulation.presets import Preset, find_preset
from abut.simulation.replay import feed
from abut.trace import Trace
from abut_papers.allocators.tables import SERVED_HEAPS, AllocatorsResult, measure_served
from abut_papers.common.bars import bars
from abut_papers.common.kept import kept
from abut_papers.common.recordings import at_once, heaps, recorded_workloads, recordings

ABOUT = "Rezaei and Kavi: what the allocator costs the program's cache, and a core of its own"
PROGRAMS = ("balls", "factor", "translate", "minimise")
HEAPS = ("lea", "abt", "abt-first", "abut")
QUICK = {"programs": ("balls", "factor", "translate"), "heaps": ("lea", "abt", "abt-first")}
_QUICK_SERVED = SERVED_HEAPS[:2]
CACHES = ("rezaei-8k", "rezaei-8k-64", "rezaei-16k", "modern")
# What the authors report of 8 KiB and 32 bytes, section 4.1.
THEIR_REMOVED, THEIR_RATE_CHANGE = 0.26, -0.70


@dataclass(frozen=True, slots=True)
class Row:
    """The first level under one program, heap and cache: accesses and misses.

    `shared` are of both sides in one cache, `alone` of the application with one of its own.
    """

    program: str
    heap: str
    cache: str
    shared_accesses: int
    shared_misses: int
    application_misses_shared: int
    alone_accesses: int
    alone_misses: int
    allocator_accesses: int
    allocator_misses: int

    @property
    def shared_rate(self) -> float:
        """Misses by accesses where all share a cache."""
        return self.shared_misses / max(1, self.shared_accesses)

    @property
    def alone_rate(self) -> float:
        """The same of the application with a cache of its own."""
        return self.alone_misses / max(1, self.alone_accesses)

    @property
    def removed(self) -> float:
        """The share of all misses that the program's cache no longer has."""
        return 1 - self.alone_misses / max(1, self.shared_misses)

    @property
    def rate_change(self) -> float:
        """How the miss rate of the program's cache changes, as a share; below 0 it falls."""
        return self.alone_rate / self.shared_rate - 1 if self.shared_rate else 0.0

    @property
    def pollution(self) -> float:
        """The share of the application's own misses that the allocator's accesses cause.

        Below 0, they save it more misses than they cause: they bring in lines that it uses.
        """
        shared = self.application_misses_shared
        return 1 - self.alone_misses / shared if shared else 0.0


@dataclass(frozen=True, slots=True)
class RezaeiResult:
    """Figures 1 to 5, a row a program, heap and cache; and the same on two real cores."""

    rows: Sequence[Row]
    served: AllocatorsResult

    def claims(self) -> list[Claim]:
        """Section 4.1: the means over all programs, in 8 KiB with lines of 32 bytes."""
        rows = [row for row in self.rows if row.cache == CACHES[0]]
        if not rows:
            return []
        removed, change = fmean(row.removed for row in rows), fmean(row.rate_change for row in rows)
        return [
            Claim(
                "figure 1: misses that the program's cache is rid of",
                f"{THEIR_REMOVED:.0%}",
                f"{removed:.0%}",
                "ours count the allocator's side by access; theirs was a process with messages",
            ),
            Claim(
                "figure 2: change of the program's miss rate",
                f"{THEIR_RATE_CHANGE:+.0%}",
                f"{change:+.0%}",
                "the rate is of the program's own accesses: those of the allocator, which hit more "
                "often, are gone from it",
            ),
        ]

    def tables(self) -> list[Table]:
        """A table a cache."""
        return [*(cache_table(*one) for one in self._by_cache()), *self.served.served_tables()]

    def document(self) -> dict[str, Any]:
        """All rows; counts of accesses and misses."""
        rows = [asdict(row) | {name: getattr(row, name) for name in _SHARES} for row in self.rows]
        return {"rows": rows, **self.served.document()}

    def charts(self) -> list[Chart]:
        """Miss rates, shared and alone: a chart a cache."""
        return [_chart(*one) for one in self._by_cache()]

    def _by_cache(self) -> list[tuple[str, list[Row]]]:
        caches = dict.fromkeys(row.cache for row in self.rows)
        return [(cache, [row for row in self.rows if row.cache == cache]) for cache in caches]


def measure(request: Request) -> RezaeiResult:
    """Record what is not yet recorded, and simulate."""
    chosen = heaps(request)
    rows: list[Row] = []
    for workload in recorded_workloads(request):
        paths = recordings(request, workload, chosen)
        made = partial(measured, request, workload.name)
        rows += chain.from_iterable(at_once(made, paths.items()))
    served = _QUICK_SERVED if request.quick else SERVED_HEAPS
    return RezaeiResult(rows, measure_served(request, served))


def measured(request: Request, program: str, recorded: tuple[str, Path]) -> list[Row]:
    """The rows of a run recorded under a heap, simulated now or kept since."""
    heap, path = recorded

    def measure() -> dict[str, Any]:
        request.progress(f"simulating {program} under {heap}")
        rows = rows_of(path, program, heap, [find_preset(name) for name in CACHES])
        return {"rows": [asdict(row) for row in rows]}

    return [Row(**row) for row in kept(request, f"{path.stem}-rezaei", measure)["rows"]]


def rows_of(path: Path, program: str, heap: str, presets: Iterable[Preset]) -> list[Row]:
    """A row for each of the caches, all simulated in one pass over the trace."""
    pairs = [
        (preset, Caches(preset.levels), Caches(split_by_side(preset.levels, preset.allocator)))
        for preset in presets
    ]
    feed(Trace(path), [caches for _, *both in pairs for caches in both])
    return [_row(program, heap, preset.name, shared, own) for preset, shared, own in pairs]


def _row(program: str, heap: str, cache: str, shared: Caches, own: Caches) -> Row:
    first, levels = shared.counts()[0], own.counts()
    both = zip(levels, own.levels, strict=True)
    allocator = next(counts for counts, level in both if level.serves == "allocator")
    in_one = (first.total_accesses, first.total_misses, first.of_side(0)[1])
    return Row(program, heap, cache, *in_one, *levels[0].of_side(0), *allocator.of_side(1))


_FIGURES = {
    "rezaei-8k": " (figures 1, 2 and 5)",
    "rezaei-8k-64": " (figure 3)",
    "rezaei-16k": " (figure 4)",
}
_SHARES = ("removed", "rate_change", "pollution")
_COLUMNS = ("misses", "alone", "removed", "rate", "alone", "change", "pollution")


def cache_table(cache: str, rows: Sequence[Row]) -> Table:
    """A row a program and heap; the last has the means of what the authors speak of."""
    title = f"{cache}: the first level{_FIGURES.get(cache, '')}"
    table = grid(title, ["program", "heap", *_COLUMNS, "allocator's", "rate"], words=2)
    for row in rows:
        table.add_row(
            row.program,
            row.heap,
            amount(row.shared_misses, ""),
            amount(row.alone_misses, ""),
            f"{row.removed:.0%}",
            f"{row.shared_rate:.2%}",
            f"{row.alone_rate:.2%}",
            f"{row.rate_change:+.0%}",
            f"{row.pollution:.1%}",
            amount(row.allocator_misses, ""),
            f"{row.allocator_misses / max(1, row.allocator_accesses):.2%}",
        )
    removed, change, pollution = (fmean(getattr(row, name) for row in rows) for name in _SHARES)
    table.add_section()
    shares = [f"{removed:.0%}", "", "", f"{change:+.0%}", f"{pollution:.1%}"]
    table.add_row("mean", "", "", "", *shares, "", "")
    return table


def _chart(cache: str, rows: Sequence[Row]) -> Chart:
    shared, alone = "shared with the allocator", "the application alone"
    rates = {
        f"{row.program}, {row.heap}": {shared: row.shared_rate, alone: row.alone_rate}
        for row in rows
    }
    return bars(cache, "miss rate", rates, None)
