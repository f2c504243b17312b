"""Dynamic pool allocation's figures and tables, as tables and as one picture."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abut.reporters.units import amount
from abut_papers.dpa.bench import (
    BORN,
    BYTES,
    CALL_SITE,
    CHAINS,
    COST,
    DPA,
    FORWARDED,
    GLIBC,
    MERGES,
    OBJECTS,
    OURS,
    PADDED,
    PLAIN,
    SIMULATED,
    THEIR_COST,
    THEIR_DPA,
    DpaResult,
    ProgramRow,
    variant_of,
)

if TYPE_CHECKING:
    from rich.table import Table

Cells = Callable[[ProgramRow], Sequence[str]]
_LEVELS = (("pentium4 L2", "table 3"), ("modern L2", "table 4"), ("modern L1 TLB", "table 4"))


def verdict(result: DpaResult) -> list[str]:
    """What was found, beside what the authors report."""
    found = [
        f"DPA takes {result.mean(DPA):.3f} of the plain heap's time in the mean "
        f"(Wang, Wu and Yew: {THEIR_DPA:.3f} of glibc's), and with objects that are born together "
        f"{result.mean(BORN):.3f}; glibc takes {result.mean(GLIBC):.3f}",
        f"what it costs with all objects left where they were: {result.mean(FORWARDED):.3f} "
        f"(theirs: {THEIR_COST:.3f})",
        f"groups where they promise to pay, and friends: {result.mean(OURS):.3f}; "
        f"with all objects left where they were: {result.mean(COST):.3f} in the mean, "
        f"{max(row.time(COST) for row in result.rows):.3f} at worst",
    ]
    for level, _ in _LEVELS:
        by_dpa, by_glibc = (result.mean_misses(name, level) for name in (DPA, GLIBC))
        found.append(
            f"{level}: DPA has {by_dpa:.2f} of the plain heap's misses in the mean, "
            f"and glibc {by_glibc:.2f}"
        )
    return found


def tables(result: DpaResult) -> "list[Table]":
    """All figures; times and memory are ratios to the plain heap."""
    return [
        _times(result, "figure 6: time by chain", "chain", CHAINS),
        _chains(result),
        _times(result, "figure 8: time by merging", "merge", MERGES),
        _merged(result),
        _times(result, "figure 9: time by objects that a group needs", "objects", OBJECTS),
        _times(result, "figure 10: time by bytes that an object may have", "bytes", BYTES),
        _overall(result),
        _breakdown(result),
        _misses(result),
    ]


def _table(title: str, columns: Sequence[str], rows: Sequence[ProgramRow], cells: Cells) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("program")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(row.name, *cells(row))
    return table


def _times(result: DpaResult, title: str, figure: str, values: Sequence[str]) -> "Table":
    names = [variant_of(figure, value) for value in values]
    table = _table(title, values, result.rows, lambda row: [f"{row.time(n):.2f}" for n in names])
    table.add_section()
    table.add_row("mean", *(f"{result.mean(name):.3f}" for name in names))
    return table


def _chains(result: DpaResult) -> "Table":
    names = [variant_of("chain", chain) for chain in CHAINS]

    def cells(row: ProgramRow) -> list[str]:
        found = [row.groups[name] for name in names]
        return [f"{groups.groups}, {groups.pools}" for groups in found]

    return _table("groups by chain, and pools", CHAINS, result.rows, cells)


def _merged(result: DpaResult) -> "Table":
    def cells(row: ProgramRow) -> list[str]:
        own = [row.groups[variant_of("merge", merge)] for merge in MERGES]
        pools = [str(groups.pools) for groups in own]
        return [*pools, *(f"{groups.merged_share:.0%}" for groups in own[1:])]

    columns = [*(f"pools, {merge}" for merge in MERGES), "share, linked", "share, born"]
    title = "figure 7: pools by merging, and the share of pooled objects in merged groups"
    return _table(title, columns, result.rows, cells)


def _overall(result: DpaResult) -> "Table":
    names = (GLIBC, CALL_SITE, DPA, BORN, FORWARDED, OURS, COST)

    def cells(row: ProgramRow) -> list[str]:
        times = [f"{row.time(name):.2f}" for name in names]
        return [*times, f"{row.memory(DPA):.2f}", f"{row.memory(BORN):.2f}"]

    title = "figures 11 to 13: time of heaps, and peak memory, to the plain heap"
    columns = [*names, "memory, DPA", "memory, born"]
    table = _table(title, columns, result.rows, cells)
    table.add_section()
    table.add_row("mean", *(f"{result.mean(name):.3f}" for name in names), "", "")
    return table


def _breakdown(result: DpaResult) -> "Table":
    def cells(row: ProgramRow) -> list[str]:
        cost = row.time(FORWARDED) - 1
        layout = row.time(PADDED) - row.time(FORWARDED)
        space = row.time(DPA) - row.time(PADDED)
        return [f"{part:+.1%}" for part in (cost, layout, space, row.time(DPA) - 1)]

    title = "figure 14: where the time goes, in shares of the plain heap's; below 0 it is saved"
    columns = ["telling groups", "layout, allocation", "smaller footprint", "all"]
    return _table(title, columns, result.rows, cells)


def _misses(result: DpaResult) -> "Table":
    def cells(row: ProgramRow) -> list[str]:
        found: list[str] = []
        for level, _ in _LEVELS:
            base = row.misses[PLAIN].levels[level]
            found.append(amount(base, ""))
            under = (row.misses[name].levels[level] for name in SIMULATED)
            found.extend(f"{misses / max(1, base):.2f}" for misses in under)
        return found

    columns = [
        column
        for level, table in _LEVELS
        for column in (f"{level} ({table})", "glibc", "DPA", "born")
    ]
    title = "tables 3 and 4: simulated misses of the plain heap, and ratios to them"
    return _table(title, columns, result.rows, cells)


def draw(result: DpaResult, path: Path) -> None:
    """Figures 6, 8, 9, 10 and 11 as bars, one below the other."""
    from matplotlib.figure import Figure

    from abut.reporters.plot import check_format

    check_format(path)
    figures: list[tuple[str, list[tuple[str, str]]]] = [
        (title, [(value, variant_of(figure, value)) for value in values])
        for title, figure, values in (
            ("figure 6: chain", "chain", CHAINS),
            ("figure 8: merging", "merge", MERGES),
            ("figure 9: objects", "objects", OBJECTS),
            ("figure 10: bytes", "bytes", BYTES),
        )
    ]
    overall = (GLIBC, CALL_SITE, DPA, BORN, FORWARDED)
    figures.append(("figures 11 to 13", [(name, name) for name in overall]))
    canvas = Figure(figsize=(11, 2.6 * len(figures)), layout="constrained")
    for axes, (title, series) in zip(
        canvas.subplots(len(figures), 1, squeeze=False)[:, 0], figures, strict=True
    ):
        width = 0.8 / len(series)
        for place, (label, variant) in enumerate(series):
            at = [number + (place - len(series) / 2) * width for number in range(len(result.rows))]
            axes.bar(at, [row.time(variant) for row in result.rows], width, label=label)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xticks(range(len(result.rows)), [row.name for row in result.rows], fontsize=7)
        axes.set_ylabel("time")
        axes.set_title(title, loc="left", fontsize=9)
        axes.legend(fontsize="x-small", ncols=len(series))
    canvas.savefig(path)
