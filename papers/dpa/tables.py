"""Dynamic pool allocation's figures and tables, as tables and as charts."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean
from typing import Any

from rich.table import Table

from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.common.bars import bars
from abut_papers.dpa import rows
from abut_papers.dpa.rows import CHAINS, DPA, GLIBC, MERGES, ProgramRow

Cells = Callable[[ProgramRow], Sequence[str]]
_LEVELS = (("pentium4 L2", "table 3"), ("modern L2", "table 4"), ("modern L1 TLB", "table 4"))
_WHY_TIME = "blocks have no headers without pools either, and each size has its own pages"
_WHY_COST = "our runs are short, and each call chain is learnt once"
# What is set in a figure, to what, and under which variant.
_SET = {
    "figure 6: time by chain": CHAINS,
    "figure 8: time by merging": MERGES,
    "figure 9: time by objects that a group needs": rows.OBJECTS,
    "figure 10: time by bytes that an object may have": rows.BYTES,
}
_OVERALL = (GLIBC, rows.CALL_SITE, DPA, rows.BORN, rows.OURS)


@dataclass(frozen=True, slots=True)
class DpaResult:
    """All figures, a row a program; times and memory are ratios to the plain heap's."""

    rows: Sequence[ProgramRow]

    def mean(self, variant: str) -> float:
        """The geometric mean of its times over the programs."""
        return geometric_mean(row.time(variant) for row in self.rows)

    def mean_misses(self, variant: str, level: str) -> float:
        """The geometric mean of a level's misses, as a ratio to the plain heap's."""
        ratios = (
            row.misses[variant][level] / max(1, row.misses[rows.PLAIN][level]) for row in self.rows
        )
        return geometric_mean(max(ratio, 1e-9) for ratio in ratios)

    def claims(self) -> list[Claim]:
        """The means of section 5, beside ours; theirs are to glibc's heap of their day."""
        time = self.mean(DPA)
        fixed = {chain: self.mean(name) for chain, name in CHAINS.items() if name != DPA}
        best = min(fixed, key=fixed.__getitem__)
        by_best = f"{time / fixed[best]:.2f} of {best}'s"
        why = "one caller is as good where a program has no wrapper"
        by_glibc = f"{time / self.mean(GLIBC):.2f}"
        cost = f"{self.mean(rows.FORWARDED):.3f}"
        found = [
            Claim("figure 11: DPA's time by glibc's", f"{rows.THEIR_DPA:.2f}", by_glibc, _WHY_TIME),
            Claim("figure 6: adaptive chain, time by the best fixed one's", "0.97", by_best, why),
            Claim("figure 13: time with all but pools", "1.007", cost, _WHY_COST),
        ]
        for (level, table), theirs in zip(_LEVELS, ("0.85", "0.63", "0.70"), strict=True):
            ours = self.mean_misses(DPA, level) / self.mean_misses(GLIBC, level)
            found.append(Claim(f"{table}: {level} misses by glibc's", theirs, f"{ours:.2f}"))
        return found

    def tables(self) -> list[Table]:
        """A table a figure, or for a few that belong together."""
        times = [self._times(title, values) for title, values in _SET.items()]
        cost = (
            "figure 13: time where all is done but that pools are used; and where code names them"
        )
        return [
            times[0],
            self._table("groups by chain, and pools", [*CHAINS], _chains),
            self._table(
                "figure 5: requests, and their look-ups in the compound table",
                ["requests", "look-ups each", "found at once", "named by code"],
                _compound,
            ),
            times[1],
            self._table(
                "figure 7: pools by merging, and the share of pooled objects in merged groups",
                [*(f"pools, {merge}" for merge in MERGES), "share, linked", "share, born"],
                _merged,
            ),
            *times[2:],
            self._times(
                "figures 11 and 12: time of heaps, and peak memory, to the plain heap",
                {name: name for name in _OVERALL},
                memory=(DPA, rows.BORN),
            ),
            self._times(
                cost, {name: name for name in (rows.FORWARDED, rows.PATCHED)}, "mean (theirs 1.007)"
            ),
            self._table(
                "figure 14: what DPA saves of glibc's time, and by what",
                ["saved", "by requests", "by layout", "by the working set"],
                lambda row: [f"{gain:+.1%}" for gain in (sum(row.gains()), *row.gains())],
            ),
            self._table(
                "tables 3 and 4: simulated misses of the plain heap, and ratios to them",
                [
                    column
                    for level, table in _LEVELS
                    for column in (f"{level} ({table})", "glibc", "DPA", "born")
                ],
                _misses,
            ),
        ]

    def document(self) -> dict[str, Any]:
        """All of it: seconds, bytes and counts."""
        return {
            "variants": rows.variants(),
            "programs": [asdict(row) for row in self.rows],
            "means": {name: self.mean(name) for name in self.rows[0].seconds} if self.rows else {},
        }

    def charts(self) -> list[Chart]:
        """Figures 6, 8, 9, 10 and 11, a group of bars a program."""
        figures = {"figures 11 and 12": {name: name for name in _OVERALL[:-1]}} | _SET
        return [
            bars(
                title,
                "time by the plain heap's",
                {row.name: {bar: row.time(of[bar]) for bar in of} for row in self.rows},
            )
            for title, of in figures.items()
        ]

    def _table(self, title: str, columns: Sequence[str], cells: Cells) -> Table:
        return grid(title, ["program", *columns], [(row.name, *cells(row)) for row in self.rows])

    def _times(
        self, title: str, named: dict[str, str], mean: str = "mean", memory: Sequence[str] = ()
    ) -> Table:
        """Of variants by the names of columns; the last row has their means."""

        def cells(row: ProgramRow) -> list[str]:
            times = [row.time(name) for name in named.values()]
            return [f"{one:.2f}" for one in (*times, *(row.memory(name) for name in memory))]

        columns = [*named, *(f"memory, {name.partition(' ')[0]}" for name in memory)]
        table = self._table(title, columns, cells)
        table.add_section()
        means = [f"{self.mean(name):.3f}" for name in named.values()]
        table.add_row(mean, *means, *("" for _ in memory))
        return table


def _chains(row: ProgramRow) -> list[str]:
    found = [row.groups[name] for name in CHAINS.values()]
    return [f"{groups.groups}, {groups.pools}" for groups in found]


def _merged(row: ProgramRow) -> list[str]:
    own = [row.groups[name] for name in MERGES.values()]
    return [
        *(str(groups.pools) for groups in own),
        *(f"{groups.merged_share:.0%}" for groups in own[1:]),
    ]


def _compound(row: ProgramRow) -> list[str]:
    groups = row.groups[DPA]
    shown = [amount(groups.objects, ""), f"{groups.look_ups:.2f}", f"{groups.hits:.2%}"]
    return [*shown, f"{row.groups[rows.PATCHED].by_code:.0%}"]


def _misses(row: ProgramRow) -> list[str]:
    found: list[str] = []
    for level, _ in _LEVELS:
        base = row.misses[rows.PLAIN][level]
        under = (row.misses[name][level] for name in rows.SIMULATED)
        found += [amount(base, ""), *(f"{misses / max(1, base):.2f}" for misses in under)]
    return found
