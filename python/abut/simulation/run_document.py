"""One run under one layout as plain data, as a report embeds it: bounded, whatever the trace."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from abut.simulation.caches import CLASSES, LevelCounts, UtilisationCounts
from abut.simulation.context_names import distinct_names
from abut.simulation.levels import lost_cycles
from abut.simulation.presets import Preset
from abut.simulation.survey import FIELD_BINS, LIFE_BINS, SIZE_BINS, Survey, Timeline
from abut.trace.names import Rules, name_of, read_rules
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser

_SHOWN = 60
_MATES = 5
_PAIRS = 24
_NAMED_FRAMES = 12
_MOST_BYTE = 255
_SHORT_LIVES = 14  # lives of less than 2^13 accesses


def shown_contexts(found: Survey) -> list[int]:
    """The contexts that waste most of what is brought in, and those with most misses."""
    count = len(found.census["objects"])
    wasted = wasted_bytes(found, count)
    misses = padded(found.levels[0].misses_by_owner, count)
    live = padded(found.census["most_live"], count)
    order: list[int] = []
    for weights, share in ((wasted, 0.6), (misses, 0.85), (live, 1.0)):
        for number in np.argsort(-weights, kind="stable").tolist():
            if len(order) >= share * _SHOWN or not weights[number]:
                break
            if number and number not in order:
                order.append(int(number))
    return sorted(order, key=lambda number: -int(wasted[number]))


def wasted_bytes(found: Survey, count: int) -> Array:
    """By context, the bytes that its lines of the first level brought in vain."""
    lines = padded(found.use.lines_by_owner, count)
    return np.asarray(
        np.maximum(0, lines * found.use.line_bytes - padded(found.use.used_bytes_by_owner, count))
    )


def padded(numbers: Array, count: int) -> Array:
    """The first `count` of them, with zeros where there are fewer."""
    return np.asarray(np.pad(numbers[:count], (0, max(0, count - len(numbers)))))


def run_document(
    trace: Trace,
    found: Survey,
    preset: Preset,
    symboliser: Symboliser,
    shown: Sequence[int],
    rules: Rules | None = None,
) -> dict[str, Any]:
    """All but curves, flames and pages, which are made elsewhere."""
    count = len(found.census["objects"])
    return {
        "accesses": found.accesses,
        "references": found.references,
        "levels": [
            {
                **level_document(counts),
                "bytes": level.capacity,
                "ways": level.ways,
                "cycles": level.cycles,
            }
            for counts, level in zip(found.levels, preset.levels, strict=True)
        ],
        "tlb": [level_document(counts) for counts in found.tlb],
        "use": use_document(found.use),
        "page_use": use_document(found.page_use),
        "cycles": mean_cycles(found, preset),
        "timeline": timeline_document(found.timeline),
        "most_live_bytes": int(found.census["most_live_bytes"]),
        "objects": int(found.census["objects"].sum()),
        "contexts": context_rows(trace, found, preset, symboliser, shown, rules or read_rules()),
        "hidden": hidden_document(found, shown, count),
        "map": picture_document(found.picture, shown),
        "pairs": pairs_document(found, shown),
    }


def mean_cycles(found: Survey, preset: Preset) -> float:
    """The mean time of an access in cycles; see `average_cycles`, which adds the TLB's."""
    accesses = found.levels[0].total_accesses
    if not accesses:
        return 0.0
    misses = [level.total_misses for level in found.levels]
    lost = lost_cycles(misses, preset.levels, preset.memory_cycles)
    return float(preset.levels[0].cycles + lost / accesses)


def level_document(counts: LevelCounts) -> dict[str, Any]:
    """A level's counts; sides are the application's and the allocator's."""
    sides = [counts.of_side(0), counts.of_side(1)]
    return {
        "name": counts.name,
        "accesses": [accesses for accesses, _ in sides],
        "misses": [misses for _, misses in sides],
        "classes": {
            name: [counts.classes[side][number] for side in (0, 1)]
            for number, name in enumerate(CLASSES)
        },
    }


def use_document(use: UtilisationCounts) -> dict[str, Any]:
    """How much of lines is used."""
    return {
        "line_bytes": use.line_bytes,
        "brought": [lines * use.line_bytes for lines in use.lines],
        "used": list(use.used_bytes),
        "share": use.share,
        "by_parts": list(use.by_parts),
    }


def timeline_document(timeline: Timeline) -> dict[str, Any]:
    """By column. Shares are None where nothing was brought in."""
    return {
        "starts": timeline.starts.tolist(),
        "live": timeline.live_bytes.tolist(),
        "live_pages": timeline.live_page_bytes.tolist(),
        "misses": [np.rint(row).astype(int).tolist() for row in timeline.misses],
        "used": _shares(timeline.used_bytes, timeline.brought_bytes),
        "page_used": _shares(timeline.page_used_bytes, timeline.page_brought_bytes),
    }


def _shares(used: Array, brought: Array) -> list[float | None]:
    return [
        round(min(1.0, float(a / b)), 4) if b > 0 else None
        for a, b in zip(used, brought, strict=True)
    ]


def context_rows(
    trace: Trace,
    found: Survey,
    preset: Preset,
    symboliser: Symboliser,
    shown: Sequence[int],
    rules: Rules,
) -> list[dict[str, Any]]:
    """A row a context: what it costs, its objects' sizes, lives and heat, and whom they abut."""
    count = len(found.census["objects"])
    chains = trace.contexts()
    symboliser.learn(chains[n - 1][:_NAMED_FRAMES] for n in shown if n <= len(chains))
    misses = [padded(level.misses_by_owner, count) for level in found.levels]
    lost = np.asarray(lost_cycles(misses, preset.levels, preset.memory_cycles))
    lines = padded(found.use.lines_by_owner, count) * found.use.line_bytes
    used = padded(found.use.used_bytes_by_owner, count)
    pages = padded(found.page_use.lines_by_owner, count) * found.page_use.line_bytes
    pages_used = padded(found.page_use.used_bytes_by_owner, count)
    accesses = padded(found.accesses_by_context, count)
    sizes = found.census["sizes"].reshape(-1, SIZE_BINS)
    lives = found.census["lives"].reshape(-1, LIFE_BINS)
    rows, named = [], []
    for n in shown:
        chain = chains[n - 1][:_NAMED_FRAMES] if n <= len(chains) else []
        places = symboliser.chain(chain)
        name = name_of(places, rules)
        named.append([name.said(), *map(str, places[name.step + 1 :])])
        rows.append(
            {
                "id": n,
                "name": "",
                "frames": [str(place) for place in places],
                "accesses": int(accesses[n]),
                "misses": [int(row[n]) for row in misses],
                "lost": round(float(lost[n])),
                "brought": int(lines[n]),
                "used": int(used[n]),
                "page_brought": int(pages[n]),
                "page_used": int(pages_used[n]),
                "objects": int(found.census["objects"][n]),
                "bytes": int(found.census["bytes"][n]),
                "most_live": int(found.census["most_live"][n]),
                "immortal": int(found.census["immortal"][n]),
                "at_exit": int(found.census["live"][n]),
                "short_lived": int(lives[n, :_SHORT_LIVES].sum()),
                "sizes": _trimmed(sizes[n]),
                "lives": _trimmed(lives[n]),
                "reads": _trimmed(_row(found.reads, n)),
                "writes": _trimmed(_row(found.writes, n)),
                "mates": _mates(found.line_mates, n),
            }
        )
    for row, text in zip(rows, distinct_names(named), strict=True):
        row["name"] = text
    return rows


def _row(table: Array, number: int) -> Array:
    return table[number] if number < len(table) else np.zeros(FIELD_BINS, np.int64)


def _trimmed(row: Array) -> list[int]:
    return [int(value) for value in np.trim_zeros(row, "b")]


def _mates(edges: tuple[Array, Array, Array], number: int) -> list[list[int]]:
    """Contexts whose objects lie on the same lines, and how many pairs of objects that is."""
    first, second, weight = edges
    here = np.flatnonzero((first == number) | (second == number))
    order = here[np.argsort(-weight[here].astype(np.int64), kind="stable")][:_MATES]
    return [
        [int(second[i] if first[i] == number else first[i]), int(weight[i])] for i in order.tolist()
    ]


def hidden_document(found: Survey, shown: Sequence[int], count: int) -> dict[str, Any]:
    """What the contexts that are not shown come to."""
    rest = np.ones(count, bool)
    rest[list(shown)] = False
    rest[0] = False
    there = rest & (found.census["objects"] > 0)
    return {
        "contexts": int(there.sum()),
        "accesses": int(padded(found.accesses_by_context, count)[rest].sum()),
        "misses": [int(padded(one.misses_by_owner, count)[rest].sum()) for one in found.levels],
        "wasted": int(wasted_bytes(found, count)[rest].sum()),
    }


def picture_document(picture: dict[str, Any], shown: Sequence[int]) -> dict[str, Any]:
    """The heap's map: for each tile a byte of each kind, base64.

    `heat`: the logarithm of its accesses, 0 for none, 255 for the hottest. `age`: the logarithm of
    its objects' mean age in accesses, times four. `side`: the allocator's share, of 255. `owner`:
    the place of its context among those shown, from 1; 0 for others.
    """
    accesses = picture["accesses"].astype(np.float64)
    hottest = np.log2(1 + accesses.max(initial=1))
    heat = np.ceil(np.log2(1 + accesses) / hottest * _MOST_BYTE)
    some = np.maximum(1, accesses)
    place = np.zeros(max([0, *shown, int(picture["owner"].max(initial=0))]) + 1, np.uint8)
    for number, context in enumerate(shown, 1):
        place[context] = number
    return {
        "columns": picture["columns"],
        "granule": picture["granule"],
        "address": picture["address"].tolist(),
        "bytes": picture["bytes"].tolist(),
        "touched": picture["touched"].tolist(),
        "hottest": int(accesses.max(initial=0)),
        "heat": _encoded(heat),
        "age": _encoded(picture["ages"] / some * 4),
        "side": _encoded(picture["allocator"] / some * _MOST_BYTE),
        "owner": _encoded(place[picture["owner"]]),
    }


def _encoded(numbers: Array) -> str:
    clipped = np.clip(numbers, 0, _MOST_BYTE).astype(np.uint8)
    return base64.b64encode(clipped.tobytes()).decode()


def pairs_document(found: Survey, shown: Sequence[int]) -> dict[str, Any]:
    """How often the objects of two contexts are used close together, for the foremost contexts."""
    first, second, weight = found.co_accesses
    totals = np.zeros(max([0, *shown]) + 1, np.float64)
    for ends in (first, second):
        inside = ends < len(totals)
        np.add.at(totals, ends[inside], weight[inside])
    ids = sorted(shown, key=lambda n: -totals[n])[:_PAIRS]
    index = {n: i for i, n in enumerate(ids)}
    matrix = np.zeros((len(ids), len(ids)), np.int64)
    for a, b, w in zip(first.tolist(), second.tolist(), weight.tolist(), strict=True):
        if a in index and b in index:
            matrix[index[a], index[b]] = matrix[index[b], index[a]] = w
    shown_weight = int(sum(matrix[i, : i + 1].sum() for i in range(len(ids))))
    return {"ids": ids, "matrix": matrix.tolist(), "outside": int(weight.sum()) - shown_weight}
