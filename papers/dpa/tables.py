"""Dynamic pool allocation's figures and tables, as tables and as charts."""

from collections.abc import Callable, Sequence

from rich.table import Table

from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.common.bars import bars
from abut_papers.dpa.rows import (
    BORN,
    BYTES,
    CALL_SITE,
    CHAINS,
    DPA,
    FORWARDED,
    GLIBC,
    MERGES,
    OBJECTS,
    OURS,
    PLAIN,
    SIMULATED,
    THEIR_DPA,
    ProgramRow,
    Programs,
    variant_of,
)

Cells = Callable[[ProgramRow], Sequence[str]]
_LEVELS = (("pentium4 L2", "table 3"), ("modern L2", "table 4"), ("modern L1 TLB", "table 4"))


def claims(result: Programs) -> list[Claim]:
    """The means of section 5, beside ours; theirs are to glibc's heap of their day."""
    to_glibc = result.mean(DPA) / result.mean(GLIBC)
    best = min(CHAINS[:-1], key=lambda chain: result.mean(variant_of("chain", chain)))
    found = [
        Claim("figure 11: DPA's time by glibc's", f"{THEIR_DPA:.2f}", f"{to_glibc:.2f}", _WHY_TIME),
        Claim(
            "figure 6: adaptive chain, time by the best fixed one's",
            "0.97",
            f"{result.mean(DPA) / result.mean(variant_of('chain', best)):.2f} of {best}'s",
            "one caller is as good where a program has no wrapper",
        ),
        Claim(
            "figure 13: time with all but pools",
            "1.007",
            f"{result.mean(FORWARDED):.3f}",
            _WHY_COST,
        ),
    ]
    for (level, table), theirs in zip(_LEVELS, ("0.85", "0.63", "0.70"), strict=True):
        ours = result.mean_misses(DPA, level) / result.mean_misses(GLIBC, level)
        found.append(Claim(f"{table}: {level} misses by glibc's", theirs, f"{ours:.2f}"))
    return found


_WHY_TIME = "blocks have no headers without pools either, and lie in birth order"
_WHY_COST = "our runs are short, and each call chain is learnt once"


def tables(result: Programs) -> list[Table]:
    """All figures; times and memory are ratios to the plain heap."""
    return [
        _times(result, "figure 6: time by chain", "chain", CHAINS),
        _chains(result),
        _compound(result),
        _times(result, "figure 8: time by merging", "merge", MERGES),
        _merged(result),
        _times(result, "figure 9: time by objects that a group needs", "objects", OBJECTS),
        _times(result, "figure 10: time by bytes that an object may have", "bytes", BYTES),
        _overall(result),
        _overhead(result),
        _breakdown(result),
        _misses(result),
    ]


def _table(title: str, columns: Sequence[str], rows: Sequence[ProgramRow], cells: Cells) -> Table:
    return grid(title, ["program", *columns], [(row.name, *cells(row)) for row in rows])


def _times(result: Programs, title: str, figure: str, values: Sequence[str]) -> Table:
    names = [variant_of(figure, value) for value in values]
    table = _table(title, values, result.rows, lambda row: [f"{row.time(n):.2f}" for n in names])
    table.add_section()
    table.add_row("mean", *(f"{result.mean(name):.3f}" for name in names))
    return table


def _chains(result: Programs) -> Table:
    names = [variant_of("chain", chain) for chain in CHAINS]

    def cells(row: ProgramRow) -> list[str]:
        found = [row.groups[name] for name in names]
        return [f"{groups.groups}, {groups.pools}" for groups in found]

    return _table("groups by chain, and pools", CHAINS, result.rows, cells)


def _merged(result: Programs) -> Table:
    def cells(row: ProgramRow) -> list[str]:
        own = [row.groups[variant_of("merge", merge)] for merge in MERGES]
        pools = [str(groups.pools) for groups in own]
        return [*pools, *(f"{groups.merged_share:.0%}" for groups in own[1:])]

    columns = [*(f"pools, {merge}" for merge in MERGES), "share, linked", "share, born"]
    title = "figure 7: pools by merging, and the share of pooled objects in merged groups"
    return _table(title, columns, result.rows, cells)


def _overall(result: Programs) -> Table:
    names = (GLIBC, CALL_SITE, DPA, BORN, OURS)

    def cells(row: ProgramRow) -> list[str]:
        times = [f"{row.time(name):.2f}" for name in names]
        return [*times, f"{row.memory(DPA):.2f}", f"{row.memory(BORN):.2f}"]

    title = "figures 11 and 12: time of heaps, and peak memory, to the plain heap"
    columns = [*names, "memory, DPA", "memory, born"]
    table = _table(title, columns, result.rows, cells)
    table.add_section()
    table.add_row("mean", *(f"{result.mean(name):.3f}" for name in names), "", "")
    return table


def _compound(result: Programs) -> Table:
    def cells(row: ProgramRow) -> list[str]:
        groups = row.groups[DPA]
        return [amount(groups.objects, ""), f"{groups.look_ups:.2f}", f"{groups.hits:.2%}"]

    title = "figure 5: requests, and their look-ups in the compound table"
    return _table(title, ["requests", "look-ups each", "found at once"], result.rows, cells)


def _overhead(result: Programs) -> Table:
    table = _table(
        "figure 13: time where all is done but that pools are used, to the plain heap",
        [FORWARDED],
        result.rows,
        lambda row: [f"{row.time(FORWARDED):.2f}"],
    )
    table.add_section()
    table.add_row("mean (theirs 1.007)", f"{result.mean(FORWARDED):.3f}")
    return table


def _breakdown(result: Programs) -> Table:
    columns = ["saved", "by requests", "by layout", "by the working set"]

    def cells(row: ProgramRow) -> list[str]:
        gains = row.gains()
        return [f"{gain:+.1%}" for gain in (sum(gains), *gains)]

    title = "figure 14: what DPA saves of glibc's time, and by what"
    return _table(title, columns, result.rows, cells)


def _misses(result: Programs) -> Table:
    def cells(row: ProgramRow) -> list[str]:
        found: list[str] = []
        for level, _ in _LEVELS:
            base = row.misses[PLAIN][level]
            found.append(amount(base, ""))
            under = (row.misses[name][level] for name in SIMULATED)
            found.extend(f"{misses / max(1, base):.2f}" for misses in under)
        return found

    columns = [
        column
        for level, table in _LEVELS
        for column in (f"{level} ({table})", "glibc", "DPA", "born")
    ]
    title = "tables 3 and 4: simulated misses of the plain heap, and ratios to them"
    return _table(title, columns, result.rows, cells)


def charts(result: Programs) -> list[Chart]:
    """Figures 6, 8, 9, 10 and 11, a group of bars a program."""
    overall = {name: name for name in (GLIBC, CALL_SITE, DPA, BORN)}
    figures = {"figures 11 and 12": overall} | {
        title: {value: variant_of(figure, value) for value in values}
        for title, figure, values in (
            ("figure 6: chain", "chain", CHAINS),
            ("figure 8: merging", "merge", MERGES),
            ("figure 9: objects", "objects", OBJECTS),
            ("figure 10: bytes", "bytes", BYTES),
        )
    }
    return [
        bars(
            title,
            "time by the plain heap's",
            {row.name: {bar: row.time(of[bar]) for bar in of} for row in result.rows},
        )
        for title, of in figures.items()
    ]
