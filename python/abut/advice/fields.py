"""A structure drawn as C, in the manner of pahole: where its members lie, and how hot each is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abut.advice.culprits import Culprit
from abut.advice.sample import Closeup
from abut.advice.trials import SHRINK, SPLIT, Trial, offsets_in
from abut.trace.native import Array
from abut.trace.structs import Member

_WORD = 8
_SETS = 4


@dataclass(frozen=True, slots=True)
class Heat:
    """Accesses and misses by word of 8 bytes."""

    uses: Array
    misses: Array

    def of(self, member: Member) -> tuple[float, float]:
        """A member's shares. A word counts for each member that has a part of it."""
        words = slice(member.offset // _WORD, (member.end - 1) // _WORD + 1)
        return _share(self.uses, words), _share(self.misses, words)


def _share(row: Array, words: slice) -> float:
    return float(row[words].sum() / max(1, row.sum()))


def field_document(
    culprit: Culprit, closeup: Closeup, trial: Trial | None
) -> dict[str, Any] | None:
    """How hot the members are, which are used together, and how they could lie; None where the
    objects have no size in common, or are never used.
    """
    heat = Heat(
        closeup.row_of("uses", culprit.contexts), closeup.row_of("by_field", culprit.contexts)
    )
    if not 0 < culprit.size <= _WORD * (len(heat.uses) - 1) or not heat.uses.any():
        return None
    members = _members(culprit)
    rows = [(member, *heat.of(member)) for member in members]
    return {
        "name": _name(culprit),
        "size": culprit.size,
        "known": culprit.structure is not None,
        "fields": [
            {
                "name": one.name,
                "type": one.type,
                "offset": one.offset,
                "size": one.size,
                "accesses": round(uses, 4),
                "misses": round(misses, 4),
            }
            for one, uses, misses in rows
        ],
        "together": _together(members, closeup.visits(culprit.contexts)),
        "now": drawn(_name(culprit), [(one, heat) for one in members], culprit.size),
        "proposed": _proposed(culprit, members, heat, trial) if trial and trial.order else "",
    }


def _members(culprit: Culprit) -> Sequence[Member]:
    if culprit.structure:
        return culprit.structure.members
    starts = range(0, culprit.size, _WORD)
    return [
        Member(f"at_{n}", "uint64_t", n, size, size)
        for n in starts
        if (size := min(_WORD, culprit.size - n))
    ]


def _name(culprit: Culprit) -> str:
    return culprit.structure.name if culprit.structure else f"object_of_{culprit.size}"


def _together(members: Sequence[Member], sets: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """The sets of members that are used in one visit to an object."""
    whole = sum(visits for _, visits in sets) or 1
    found: dict[tuple[str, ...], int] = {}
    for words, visits in sets:
        names = tuple(
            one.name
            for one in members
            if any(words >> n & 1 for n in range(one.offset // _WORD, (one.end - 1) // _WORD + 1))
        )
        found[names] = found.get(names, 0) + visits
    ordered = sorted(found.items(), key=lambda one: -one[1])[:_SETS]
    return [{"fields": list(names), "share": round(n / whole, 4)} for names, n in ordered]


def drawn(name: str, rows: Sequence[tuple[Member, Heat | None]], size: int) -> str:
    """The structure as C; `/* offset size */` and shares of accesses and misses at each member."""
    lines, end = [f"struct {name} {{"], 0
    for member, heat in rows:
        if member.offset > end:
            lines.append(f"    /* {member.offset - end} bytes hole */")
        place = f"/* {member.offset:4} {member.size:4}"
        if heat:
            uses, misses = heat.of(member)
            place += f"   {uses:4.0%} of accesses {misses:4.0%} of misses"
        lines.append(f"    {_declared(member):<32} {place} */")
        end = max(end, member.end)
    if size > end:
        lines.append(f"    /* {size - end} bytes padding */")
    return "\n".join([*lines, f"}}; /* {size} bytes, {-(-size // 64)} lines */"])


def _declared(member: Member) -> str:
    kind, bracket, length = member.type.partition("[")
    gap = "" if kind.endswith(("*", "&")) else " "
    return f"{kind}{gap}{member.name}{bracket}{length};"


def _proposed(culprit: Culprit, members: Sequence[Member], heat: Heat, trial: Trial) -> str:
    name = _name(culprit)
    if trial.kind == SHRINK:
        return _in_order(name, [members[n] for n in trial.order])
    hot_words = set(trial.order[: trial.hot])
    hot = [one for one in members if one.offset // _WORD in hot_words]
    cold = [one for one in members if one not in hot]
    ordered = sorted(hot, key=lambda one: (-one.align, -heat.of(one)[0]))
    if trial.kind != SPLIT:
        return _in_order(name, [*ordered, *cold])
    link = Member("cold", f"struct {name}_cold *", 0, _WORD, _WORD)
    used = any(heat.of(one)[0] for one in cold)
    parts = [_in_order(name, [*ordered, *([link] if used else [])])]
    return "\n".join([*parts, _in_order(f"{name}_cold", cold)]) if cold else parts[0]


def _in_order(name: str, members: Sequence[Member]) -> str:
    offsets, size = offsets_in(members)
    moved = [
        (Member(one.name, one.type, offset, one.size, one.align), None)
        for one, offset in zip(members, offsets, strict=True)
    ]
    return drawn(name, moved, size)
