"""What no layout shows: lines that threads take from each other, and objects that hardly live."""

from typing import Any

import numpy as np

from abut.advice.actions import pad_action, reuse_action
from abut.advice.culprits import Culprit, culprits_of
from abut.advice.fields import field_document
from abut.advice.finding import Gain, finding
from abut.advice.sample import Sample
from abut.trace.names import Rules
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser

PAIR_INSTRUCTIONS = 100  # of malloc and free together, about, as the C library's heap takes
TRANSFERS = 2  # times what the last level takes: a line that another core has written
_LEAST_SHARE = 0.02  # of the time
_MANY = 1000  # objects
_SHORT = 0.9  # of the objects live shortly
_SHORT_LIFE = 1 << 16  # accesses
_FEW = 64  # that live at a time
_MOST, _ROWS = 5, 10


def sharing_findings(culprits: list[Culprit], sample: Sample, total: float) -> list[dict[str, Any]]:
    """Culprits whose lines several threads write, though not the same words."""
    closeup, found = sample.closeup, []
    transfer = TRANSFERS * sample.preset.levels[-1].cycles
    stores = sample.preset.core.stores if sample.preset.core else 0
    names = {context: one for one in culprits for context in one.contexts}
    for culprit in culprits:
        misses = int(closeup.false_sharing[culprit.contexts].sum())
        # Stores that wait in the buffer for the line are done together when it comes.
        waiting = misses / max(1, sample.waits.accesses) * stores
        cost = misses * transfer / max(1.0, waiting)
        share = cost / (total + cost)
        if share < _LEAST_SHARE:
            continue
        pairs = _pairs(culprit, closeup.sharing_pairs, names)[:2]
        fields = "; ".join(f"{one['missed']} with {one['written']}" for one in pairs)
        why = (
            f"about {misses:,} times a thread loses a line that it needs, because another "
            f"one writes other words of it: {fields}"
        )
        stated = Gain(share, share / 2, share, sure=False)
        reason = ("false sharing", why)
        action = pad_action(culprit, _inside(culprit, closeup.sharing_pairs, pairs))
        heat = field_document(culprit, closeup, None)
        found.append(finding(culprit, sample, share, reason, action, stated, fields=heat))
    return found


def sharing_document(culprits: list[Culprit], sample: Sample) -> list[dict[str, Any]]:
    """Whose lines threads take from each other: for the same words, and for others of the line."""
    closeup = sample.closeup
    names = {context: one for one in culprits for context in one.contexts}
    rows = [
        {
            "name": culprit.said,
            "true": int(closeup.true_sharing[culprit.contexts].sum()),
            "false": int(closeup.false_sharing[culprit.contexts].sum()),
            "fields": _pairs(culprit, closeup.sharing_pairs, names)[:_MOST],
        }
        for culprit in culprits[:_ROWS]
    ]
    return [row for row in rows if row["true"] or row["false"]]


def _pairs(
    culprit: Culprit, pairs: list[tuple[int, ...]], names: dict[int, Culprit]
) -> list[dict[str, Any]]:
    """The fields that are missed, with those that others write on their lines."""
    found: dict[tuple[str, str], int] = {}
    for a, a_word, b, b_word, misses in pairs:
        if a in culprit.contexts:
            fields = _field(names.get(a), a_word), _field(names.get(b), b_word)
            found[fields] = found.get(fields, 0) + misses
    ordered = sorted(found.items(), key=lambda one: -one[1])
    return [{"missed": a, "written": b, "misses": n} for (a, b), n in ordered]


def _inside(culprit: Culprit, raw: list[tuple[int, ...]], pairs: list[dict[str, Any]]) -> list[str]:
    """The fields that the most misses are for, where they are different ones of such an object; of
    arrays, and of the same one of several objects, padding the whole helps.
    """
    own = [one for one in raw if one[0] in culprit.contexts]
    most = max(own, key=lambda one: one[4], default=None)
    if most is None or culprit.type.endswith("array") or most[1] == most[3]:
        return []
    if most[2] not in culprit.contexts:
        return []
    return sorted({pairs[0]["missed"], pairs[0]["written"]})


def _field(culprit: Culprit | None, word: int) -> str:
    if culprit is None:
        return "another object"
    for one in culprit.structure.members if culprit.structure else ():
        if one.offset // 8 <= word <= (one.end - 1) // 8:
            return f"{culprit.type}.{one.name}"
    return f"+{8 * word} of {culprit.type}"


def temporary_findings(
    trace: Trace, objects: dict[str, Array], rules: Rules, symboliser: Symboliser, sample: Sample
) -> list[dict[str, Any]]:
    """Places that allocate again and again what is freed at once, by what that costs."""
    core, instructions = sample.preset.core, (trace.info.totals or {}).get("instructions", 0)
    if core is None or not trace.info.accesses:
        return []
    waits = sample.waits
    whole = waits.total / max(1, waits.accesses) * trace.info.accesses
    whole = max(whole, instructions * core.cycles_per_instruction)
    pair = PAIR_INSTRUCTIONS * core.cycles_per_instruction
    count = sample.contexts
    context = np.where(objects["context"] < count, objects["context"], 0)
    life = objects["died_at"] - objects["born_at"]
    short_lived = (objects["died_at"] >= 0) & (life < _SHORT_LIFE)
    made = np.bincount(context, minlength=count)
    short = np.bincount(context, short_lived, count)
    costly = (
        (made >= _MANY) & (short >= _SHORT * made) & (made * pair >= _LEAST_SHARE / _MOST * whole)
    )
    costly[0] = False
    found = []
    weights = np.where(costly, made, 0)
    for culprit in culprits_of(trace, objects, weights, rules, symboliser)[:_MOST]:
        share = len(culprit.rows) * pair / whole
        kept = _most_alive(objects, culprit.rows)
        if share < _LEAST_SHARE or kept > _FEW:
            continue
        why = (
            f"{len(culprit.rows):,} objects are allocated and freed at once, of which at most "
            f"{kept} live at a time: about {share:.0%} of the time, at {PAIR_INSTRUCTIONS} "
            "instructions each"
        )
        action, reason = reuse_action(culprit, kept), ("temporary allocations", why)
        stated = Gain(share, share / 2, share, sure=False)
        found.append(finding(culprit, sample, share, reason, action, stated))
    return found


def _most_alive(objects: dict[str, Array], rows: Array) -> int:
    born, died = objects["born"][rows], objects["died"][rows]
    times = np.concatenate([born, died[died >= 0]])
    steps = np.concatenate([np.ones(len(born), np.int64), -np.ones((died >= 0).sum(), np.int64)])
    order = np.lexsort((steps, times))
    return int(np.cumsum(steps[order]).max(initial=0))
