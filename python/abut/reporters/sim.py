"""What simulated caches counted, as tables for a terminal and as JSON."""

import dataclasses
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.trace import document
from abut.reporters.units import amount
from abut.simulation.caches import CLASSES, SIDES, LevelCounts, Prefetches
from abut.simulation.jobs import Result, average_cycles
from abut.simulation.verdict import pollution, verdict

_SIDES = ("application", "allocator")
_SHOWN_CLASSES = 3


def heading(result: Result) -> str:
    """What was simulated."""
    job = result.job
    command = shlex.join(result.command) or Path(job.trace).name
    sides = "" if job.side == "all" else f", the {job.side}'s alone"
    layout = "" if job.layout == "recorded" else f", layout {job.layout}"
    return f"{command}: {result.total_references:,} accesses{sides}{layout}; {job.preset.name}"


def levels_table(result: Result) -> Table:
    """A row a level and side, from the first level on, TLBs last."""
    per = "MPKI" if result.instructions else "per 1000 accesses"
    table = grid("misses", ["level", "side", "accesses", "misses", "rate", per], words=2)
    classify = result.job.classify
    if classify:
        for name in CLASSES[:_SHOWN_CLASSES]:
            table.add_column(name, justify="right")
    thousands = (result.instructions or result.total_references or 1) / 1000
    for counts in (*result.levels, *result.tlb):
        _add_level(table, counts, thousands, classify and counts not in result.tlb)
    caption = f"AMAT {average_cycles(result):.2f} cycles, by the cycles of the preset"
    table.caption = caption + _amat_by_side(result)
    return table


def _amat_by_side(result: Result) -> str:
    accesses = [result.levels[0].of_side(side)[0] for side in range(SIDES)]
    if not all(accesses):
        return ""
    means = (f"{name}'s {average_cycles(result, side):.2f}" for side, name in enumerate(_SIDES))
    return f"\n{', '.join(means)}"


def _add_level(table: Table, counts: LevelCounts, thousands: float, classify: bool) -> None:
    extra = len(table.columns) - 6
    for side, name in enumerate(_SIDES):
        accesses, misses = counts.of_side(side)
        if not accesses:
            continue
        classes = counts.classes[side][:extra] if classify else []
        table.add_row(
            counts.name,
            name,
            amount(accesses, ""),
            amount(misses, ""),
            f"{misses / accesses:.2%}",
            f"{misses / thousands:.2f}",
            *(f"{count / misses:.0%}" if misses else "-" for count in classes),
        )


def use_table(result: Result) -> Table:
    """How much of what was brought in was used, a row a level."""
    table = grid(
        "of what was brought in",
        ["level", "line", "brought in", "used", "application's", "allocator's"],
    )
    rows = [
        (level.name, used) for level, used in zip(result.levels, result.utilisation, strict=True)
    ]
    if result.page_utilisation:
        rows.append((result.tlb[-1].name, result.page_utilisation))
    for name, used in rows:
        shares = [
            f"{bytes_used / (lines * used.line_bytes):.0%}" if lines else "-"
            for lines, bytes_used in zip(used.lines, used.used_bytes, strict=True)
        ]
        brought = sum(used.lines) * used.line_bytes
        total = f"{used.share:.0%}" if used.share is not None else "-"
        table.add_row(name, amount(used.line_bytes, "B"), amount(brought, "B"), total, *shares)
    return table


def prefetch_table(result: Result) -> Table | None:
    """What the prefetchers were good for; None where there are none."""
    rows = [level for level in result.levels if level.prefetched.issued]
    if not rows:
        return None
    table = grid(
        "prefetches", ["level", "side", "issued", "accuracy", "coverage", "in time"], words=2
    )
    for level in rows:
        _add_prefetches(table, level.name, "both", level.prefetched, level.total_misses)
        for side, name in enumerate(_SIDES):
            if level.of_side(side)[0]:
                misses = level.of_side(side)[1]
                _add_prefetches(table, "", name, level.prefetches[side], misses)
    return table


def _add_prefetches(table: Table, level: str, side: str, found: Prefetches, misses: int) -> None:
    # What one side had prefetched the other may use, so sides have no accuracy of their own.
    accuracy = found.accuracy if level else None
    shares = (accuracy, found.coverage(misses), found.timeliness)
    texts = (f"{share:.0%}" if share is not None else "-" for share in shares)
    table.add_row(level, side, amount(found.issued, ""), *texts)


def time_table(result: Result) -> Table | None:
    """What a core's time goes to; None where the preset has no core."""
    time, core = result.time, result.job.preset.core
    if time is None or core is None:
        return None
    table = grid("predicted time", ["waiting for", "cycles", "share"], words=1)
    for part, cycles in time.cycles.items():
        table.add_row(part, amount(round(cycles), ""), f"{cycles / (time.total or 1):.1%}")
    table.add_row("all", amount(round(time.total), ""), "")
    table.caption = (
        f"{time.prefetches:,} lines prefetched, {time.useful:,} of them used, {time.late:,} late; "
        f"the core's figures: {core.how}"
    )
    return table


def optimum_words(result: Result) -> str | None:
    """How few misses the first level could have; None where that was not asked."""
    best = result.optimum
    if best is None:
        return None
    level = result.levels[0]
    sides = ", ".join(
        f"{misses:,} of the {name}'s" for name, misses in zip(_SIDES, best.misses, strict=True)
    )
    kept = "" if best.whole else f", of its first {sum(best.accesses):,} accesses"
    return (
        f"{level.name}: {level.total_misses:,} misses; the best policy there could be: "
        f"{sum(best.misses):,} ({sides}){kept}"
    )


def owners_table(result: Result, top: int) -> Table:
    """Who loses most, a row each."""
    table = Table(title=f"by {result.job.by}, what hurts most first", title_justify="left")
    table.add_column("cycles lost", justify="right")
    table.add_column("accesses", justify="right")
    for level in result.levels[: len(result.owners[0].misses)] if result.owners else []:
        table.add_column(f"{level.name} misses", justify="right")
    table.add_column("of lines used", justify="right")
    table.add_column(result.job.by)
    for row in result.owners[:top]:
        used = f"{row.used_bytes / row.brought_bytes:.0%}" if row.brought_bytes else "-"
        counts = (amount(count, "") for count in (row.accesses, *row.misses))
        table.add_row(amount(row.lost_cycles, ""), *counts, used, row.name)
    return table


def split_table(result: Result) -> Table | None:
    """Shared caches against separate ones, as Rezaei and Kavi compare them."""
    found = pollution(result)
    if found is None:
        return None
    first = result.levels[0].name
    table = grid(f"{first}, shared and separate", ["caches"])
    for name in ("side", "accesses", "misses", "rate"):
        table.add_column(name, justify="right" if name != "side" else "left")
    shared = result.levels[0]
    _add_split_row(table, "shared", "both", shared.total_accesses, shared.total_misses)
    for side, name in enumerate(_SIDES):
        _add_split_row(table, "", name, *shared.of_side(side))
    caches = "separate"
    for side, name in enumerate(_SIDES):
        alone = next((level for level in result.split if level.of_side(side)[0]), None)
        if alone is not None:
            _add_split_row(table, caches, name, *alone.of_side(side))
            caches = ""
    return table


def _add_split_row(table: Table, caches: str, side: str, accesses: int, misses: int) -> None:
    rate = f"{misses / accesses:.2%}" if accesses else "-"
    table.add_row(caches, side, amount(accesses, ""), amount(misses, ""), rate)


def layouts_table(results: Sequence[Result], machine: str) -> Table:
    """A row a layout: what would miss if the objects lay so."""
    table = grid(
        f"layouts; {machine}" if machine else "layouts", ["layout", *layout_columns(results[0])]
    )
    for result in results:
        table.add_row(result.job.layout, *layout_cells(result))
    return table


def layout_columns(result: Result) -> list[str]:
    """What is shown of a layout, by levels."""
    levels = [f"{level.name} misses" for level in (*result.levels, *result.tlb[-1:])]
    predicted = ["predicted cycles"] if result.time else []
    return [*levels, "of lines used", "of pages used", "AMAT", *predicted]


def layout_cells(result: Result) -> list[str]:
    """The figures to these columns."""
    used, pages = result.utilisation[0].share, result.page_utilisation
    return [
        *(amount(level.total_misses, "") for level in (*result.levels, *result.tlb[-1:])),
        f"{used:.0%}" if used is not None else "-",
        f"{pages.share:.0%}" if pages and pages.share is not None else "-",
        f"{average_cycles(result):.2f}",
        *([amount(round(result.time.total), "")] if result.time else []),
    ]


def traces_table(results: Sequence[Result]) -> Table:
    """A row a trace."""
    table = grid(
        "traces",
        [
            "trace",
            "accesses",
            *(f"{level.name} misses" for level in results[0].levels),
            "of lines used",
            "AMAT",
        ],
    )
    for result in results:
        used = result.utilisation[0].share
        rates = (
            f"{level.total_misses / max(1, result.total_references):.3%}" for level in result.levels
        )
        table.add_row(
            Path(result.job.trace).name,
            amount(result.total_references, ""),
            *rates,
            f"{used:.0%}" if used is not None else "-",
            f"{average_cycles(result):.2f}",
        )
    return table


def results_json(results: Sequence[Result]) -> str:
    """All of it. Sizes are bytes, counts by kind (1 write + 2 allocator) or by side."""
    return document(results=[_result_row(result) for result in results])


def _result_row(result: Result) -> dict[str, Any]:
    job = result.job
    preset = {
        "name": job.preset.name,
        "levels": [dataclasses.asdict(level) for level in job.preset.levels],
    }
    found = pollution(result)
    return {
        "trace": job.trace,
        "command": result.command,
        "cache": preset,
        "layout": job.layout,
        "seed": job.seed,
        "side": job.side,
        "huge_pages": job.huge_pages,
        "verdict": verdict(result),
        "accesses_by_kind": result.references,
        "amat_cycles": average_cycles(result),
        "amat_cycles_by_side": [average_cycles(result, side) for side in range(SIDES)],
        "instructions": result.instructions or None,
        "time": dataclasses.asdict(result.time) if result.time else None,
        "mpki": [1000 * level.total_misses / result.instructions for level in result.levels]
        if result.instructions
        else None,
        "levels": [_counts_row(level) for level in result.levels],
        "tlb": [_counts_row(level) for level in result.tlb],
        "split": [_counts_row(level) for level in result.split],
        "pollution": dict(
            zip(("shared", "shared_application", "separate_application"), found, strict=True)
        )
        if found
        else None,
        "memory_bytes": _moved(result.memory_bytes),
        "memory_bytes_by_side": [_moved(moved) for moved in result.memory_bytes_by_side],
        "used": [_used_row(used) for used in result.utilisation],
        "pages_used": _used_row(result.page_utilisation) if result.page_utilisation else None,
        "optimum": dataclasses.asdict(result.optimum) if result.optimum else None,
        "by": job.by,
        "owners": [dataclasses.asdict(row) for row in result.owners],
        "damages": result.damages,
    }


def _moved(moved: tuple[int, int]) -> dict[str, int]:
    read, written = moved
    return {"read": read, "written": written}


def _counts_row(counts: LevelCounts) -> dict[str, Any]:
    row = dataclasses.asdict(counts)
    del row["misses_by_owner"]
    return row | {"miss_rate": counts.miss_rate, "classes_are": list(CLASSES)}


def _used_row(used: Any) -> dict[str, Any]:
    row = dataclasses.asdict(used)
    del row["lines_by_owner"], row["used_bytes_by_owner"]
    return row | {"share": used.share}
