"""A recorded run looked through once: what caches make of it over time, and whose objects it is.

Long runs are looked at in windows, spread evenly: their events all count, and the accesses of the
windows alone. Caches are cold at a run's begin, and a window begins with what the last one left.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abut.simulation.caches import (
    Caches,
    Level,
    LevelCounts,
    Simulator,
    Utilisation,
    UtilisationCounts,
)
from abut.simulation.presets import Preset
from abut.simulation.windows import Windows
from abut.trace.native import Array, failures, native_module
from abut.trace.reader import Trace

COLUMNS, ROWS = 200, 4096
PAGE_BYTES = 4096
SIZE_BINS = LIFE_BINS = 64
FIELD_BINS = 65


@dataclass(frozen=True, slots=True)
class Timeline:
    """By column: accesses of the run before it, bytes alive at its end and those of the pages that
    they are on, misses by level, and bytes used of those brought in by lines and by pages.
    """

    starts: Array
    live_bytes: Array
    live_page_bytes: Array
    misses: Array
    brought_bytes: Array
    used_bytes: Array
    page_brought_bytes: Array
    page_used_bytes: Array


@dataclass(frozen=True, slots=True)
class Survey:
    """What one run under one layout comes to. Columns by context have a row a context, from 0."""

    accesses: int
    references: list[int]
    accesses_by_context: Array
    levels: list[LevelCounts]
    tlb: list[LevelCounts]
    use: UtilisationCounts
    page_use: UtilisationCounts
    timeline: Timeline
    picture: dict[str, Any]
    census: dict[str, Any]
    reads: Array
    writes: Array
    co_accesses: tuple[Array, Array, Array]
    line_mates: tuple[Array, Array, Array]
    codes: Array
    code_levels: list[LevelCounts]


def survey(
    trace: Trace,
    preset: Preset,
    *,
    layout: str | Array = "recorded",
    windows: Windows | None = None,
    application_only: bool = False,
    more: Sequence[Simulator] = (),
    codes: bool = False,
    classify: bool = True,
    seed: int = 1,
) -> Survey:
    """Look through a run. `more` simulators are fed, too; with `codes`, misses are counted for the
    instructions as well. Raises AbutError.
    """
    levels = preset.levels
    caches = Caches(tuple(dataclasses.replace(one, classify=classify) for one in levels))
    tlb = Caches(preset.tlb) if preset.tlb else None
    lines, pages = Utilisation(levels[0]), Utilisation(pages_like(preset))
    feeds = [one for one in (tlb, lines, pages, *more) if one is not None]
    by_pair = [caches] if codes else []
    feeds += [] if codes else [caches]
    places = layout if isinstance(layout, str) else np.ascontiguousarray(layout, np.uint64)
    snapshots = []
    with failures():
        native = native_module().Survey(
            trace.native, places, seed, COLUMNS, ROWS, windows or [], application_only
        )
        more_to_come = True
        while more_to_come:
            more_to_come = native.advance(
                [one.native for one in feeds], [one.native for one in by_pair]
            )
            snapshots.append(_snapshot(native, caches, lines, pages))
        fields = native.fields()
    known, by_context, by_code = _owners_of_pairs(*native.pairs())
    counted = caches.counts()
    return Survey(
        accesses=native.accesses(),
        references=caches.references,
        accesses_by_context=_summed(caches.references_by_owner, by_context)
        if codes
        else caches.references_by_owner,
        levels=_counted_for(counted, by_context) if codes else counted,
        tlb=tlb.counts() if tlb else [],
        use=lines.counts(),
        page_use=pages.counts(),
        timeline=_timeline(native, snapshots),
        picture=native.picture(_PICTURE_ROWS),
        census=native.census(),
        reads=fields[0].reshape(-1, FIELD_BINS),
        writes=fields[1].reshape(-1, FIELD_BINS),
        co_accesses=native.co_accesses(),
        line_mates=native.line_mates(),
        codes=known,
        code_levels=_counted_for(counted, by_code) if codes else [],
    )


_PICTURE_ROWS = 256


def _owners_of_pairs(contexts: Array, codes: Array) -> tuple[Array, Array, Array]:
    """The instructions that there are; and for each pair, from 0, its context and which it is."""
    known = np.unique(codes[codes != 0])
    numbers = np.where(codes == 0, 0, np.searchsorted(known, codes) + 1)
    return known, np.append([0], contexts).astype(np.int64), np.append([0], numbers)


def _summed(by_pair: Array, owners: Array) -> Array:
    """What was counted by pair, by the pairs' owners."""
    known = min(len(owners), len(by_pair))  # counters grow in steps
    return np.bincount(owners[:known], by_pair[:known]).astype(np.int64)


def _counted_for(levels: Sequence[LevelCounts], owners: Array) -> list[LevelCounts]:
    return [
        dataclasses.replace(one, misses_by_owner=_summed(one.misses_by_owner, owners))
        for one in levels
    ]


def pages_like(preset: Preset) -> Level:
    """As many pages as the last TLB holds: what the kernel gives and the processor reaches."""
    return preset.tlb[-1] if preset.tlb else Level("pages", 1024 * PAGE_BYTES, line=PAGE_BYTES)


def _snapshot(native: Any, caches: Caches, lines: Utilisation, pages: Utilisation) -> list[int]:
    used, pages_used = lines.counts(), pages.counts()
    return [
        len(native.columns()),
        sum(used.lines) * used.line_bytes,
        sum(used.used_bytes),
        sum(pages_used.lines) * pages_used.line_bytes,
        sum(pages_used.used_bytes),
        *(level.total_misses for level in caches.counts()),
    ]


def _timeline(native: Any, snapshots: Sequence[Sequence[int]]) -> Timeline:
    """Differences from one snapshot to the next, spread over the columns that lie between."""
    starts = native.columns()
    rows = np.zeros((len(starts), len(snapshots[0]) - 1), np.float64)
    before, done = np.zeros(len(snapshots[0]) - 1), 0
    for begun, *sums in snapshots:
        # A column more has begun than is done, but at the end.
        until = max(done + 1, begun - 1 if begun < len(starts) else begun)
        until = min(until, len(starts))
        if until > done:
            rows[done:until] = (np.array(sums) - before) / (until - done)
            before, done = np.array(sums), until
    if len(starts) and done:
        rows[done - 1] += np.array(snapshots[-1][1:]) - before
    columns = np.maximum(0, rows).T
    pages = native.live_pages() * PAGE_BYTES
    return Timeline(starts, native.live(), pages, columns[4:], *columns[:4])
