"""Contexts that are one to a reader: what one line of his source allocates, whoever called it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abut.trace.names import Name, Rules, name_of
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.structs import Structure, Structures
from abut.trace.symbols import Place, Symboliser
from abut.trace.vtables import Vtables

_MOST_CONTEXTS = 400
_FRAMES = 24


@dataclass(frozen=True, slots=True)
class Culprit:
    """What one place of the program allocates. `rows`: of the table of objects; `size`: bytes of
    most of them.
    """

    name: Name
    contexts: list[int]
    places: list[Place]
    rows: Array
    size: int
    structure: Structure | None
    element: str = ""  # what they are arrays of
    made: str = ""  # the class whose vtable they get

    @property
    def type(self) -> str:
        """What the objects are; their size where nothing tells."""
        if self.name.type:
            return self.name.type
        if self.structure:
            return self.structure.name
        if self.element:
            return f"{self.element} array" if self.size else self.element
        if self.made:
            return self.made
        return f"{self.size}-byte objects" if self.size else "objects"

    @property
    def what(self) -> str:
        """The type; where it has none, who allocates them."""
        return f"what {self.name.function} allocates" if self.type == "objects" else self.type

    @property
    def said(self) -> str:
        """What, in which function."""
        return self.name.said(self.type)


def culprits_of(
    trace: Trace, objects: dict[str, Array], weights: Array, rules: Rules, symboliser: Symboliser
) -> list[Culprit]:
    """The contexts with the most weight, put together by name, the heaviest first."""
    chains = trace.contexts()
    chosen = [int(n) for n in np.argsort(-weights, kind="stable")[:_MOST_CONTEXTS]]
    chosen = [n for n in chosen if 0 < n <= len(chains) and weights[n] > 0]
    symboliser.learn(chains[n - 1][:_FRAMES] for n in chosen)
    found: dict[tuple[str, str], tuple[Name, list[Place], list[int]]] = {}
    for n in chosen:
        places = symboliser.chain(chains[n - 1][:_FRAMES])
        name = name_of(places, rules)
        found.setdefault((name.type, name.where), (name, places, []))[2].append(n)
    ordered = sorted(found.values(), key=lambda one: -float(weights[one[2]].sum()))
    structures, vtables = Structures(), Vtables(trace.modules())
    rows = _rows_by_context(objects, chosen)
    culprits = (
        _culprit(name, places, contexts, [rows[n] for n in contexts], objects, structures)
        for name, places, contexts in ordered
    )
    return [_with_class(one, vtables) for one in culprits]


def described(culprit: Culprit) -> dict[str, Any]:
    """Who it is."""
    return {
        "name": culprit.said,
        "type": culprit.type,
        "function": culprit.name.function,
        "file": culprit.name.file,
        "line": culprit.name.line,
        "frames": [str(place) for place in culprit.places],
        "contexts": culprit.contexts[:50],
        "objects": len(culprit.rows),
        "size": culprit.size,
    }


def _rows_by_context(objects: dict[str, Array], chosen: Sequence[int]) -> dict[int, Array]:
    context = objects["context"]
    wanted = np.flatnonzero(np.isin(context, chosen))
    order = wanted[np.argsort(context[wanted], kind="stable")]
    begins = np.searchsorted(context[order], chosen)
    ends = np.searchsorted(context[order], chosen, side="right")
    return {n: order[b:e] for n, b, e in zip(chosen, begins, ends, strict=True)}


def _culprit(
    name: Name,
    places: list[Place],
    contexts: list[int],
    rows: list[Array],
    objects: dict[str, Array],
    structures: Structures,
) -> Culprit:
    every = np.sort(np.concatenate(rows))
    sizes, counts = np.unique(objects["size"][every], return_counts=True)
    size = int(sizes[counts.argmax()]) if len(sizes) and counts.max() * 2 > len(every) else 0
    structure, element = None, ""
    if places:
        own = places[name.step]
        if size:
            structure = structures.find(own, name.function, size)
        if structure and not structure.sure and name.type:
            structure = None  # the name says that they are something else
        if structure is None and not name.type:
            element = structures.element(own, name.function, size)
    return Culprit(name, contexts, places, every, size, structure, element)


def _with_class(culprit: Culprit, vtables: Vtables) -> Culprit:
    """With the class of its objects, where nothing else says what they are."""
    known = culprit.name.type or culprit.structure or culprit.element
    if known or not culprit.places:
        return culprit
    return replace(culprit, made=vtables.class_made_at(culprit.places[culprit.name.step]))
