"""Misses as stacks: by who allocated what was missed, and by which code missed it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abut.trace.native import Array
from abut.trace.reader import Frame, Module, Trace
from abut.trace.symbols import Place, Symboliser

_MOST_STACKS = 300
_MOST_FRAMES = 40
_MOST_OWNERS = 20
_SEEN = 1 / 600  # of the width
_LONG = 120  # characters
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Stack:
    """A call chain, the outermost function first, and what it costs; `owner` is its number."""

    owner: int
    places: Sequence[Place]
    weight: int

    @property
    def names(self) -> list[str]:
        """A name for each step."""
        return [str(place) for place in self.places] or ["unknown"]


@dataclass(slots=True)
class Flame:
    """A node of a flame graph; its weight is that of all that stand on it."""

    name: str
    weight: int = 0
    owners: set[int] = field(default_factory=set)
    children: dict[str, "Flame"] = field(default_factory=dict)

    def add(self, stack: Stack) -> None:
        """Stand a stack on this node."""
        node = self
        node.weight += stack.weight
        for name in stack.names:
            node = node.children.setdefault(name, Flame(name))
            node.weight += stack.weight
        node.owners.add(stack.owner)

    def document(self, least: float | None = None) -> dict[str, Any]:
        """As nested JSON, the heaviest child first; without what is too light to be seen."""
        least = self.weight * _SEEN if least is None else least
        found: dict[str, Any] = {"n": self.name[:_LONG], "w": self.weight}
        if self.owners:
            found["o"] = sorted(self.owners)[:_MOST_OWNERS]
        ordered = sorted(self.children.values(), key=lambda child: -child.weight)
        if seen := [child for child in ordered if child.weight >= least]:
            found["c"] = [child.document(least) for child in seen]
        return found


def flame_of(stacks: Iterable[Stack], rest: int) -> Flame:
    """A flame graph of them; `rest` is the weight of what has no stack of its own."""
    root = Flame("all")
    for stack in stacks:
        root.add(stack)
    if rest > 0:
        root.add(Stack(0, [Place("", 0, OTHERS)], rest))
    return root


def context_stacks(trace: Trace, symboliser: Symboliser, weights: Array) -> tuple[list[Stack], int]:
    """The heaviest contexts as stacks, and the weight of all others. `weights`: by context."""
    order = np.argsort(-weights, kind="stable")[:_MOST_STACKS].tolist()
    known = len(trace.contexts())
    chosen = [n for n in order if 0 < n <= known and weights[n] > 0]
    stacks = stacks_of(trace, symboliser, chosen, weights, _MOST_FRAMES)
    return stacks, int(weights.sum()) - sum(stack.weight for stack in stacks)


def stacks_of(
    trace: Trace, symboliser: Symboliser, chosen: Sequence[int], weights: Array, frames: int
) -> list[Stack]:
    """A stack a context, of at most so many frames."""
    contexts = trace.contexts()
    symboliser.learn(contexts[n - 1][:frames] for n in chosen)
    return [
        Stack(n, symboliser.chain(contexts[n - 1][:frames])[::-1], int(weights[n])) for n in chosen
    ]


def code_stacks(
    symboliser: Symboliser, modules: Sequence[Module], codes: Array, weights: Array
) -> tuple[list[Stack], int]:
    """The instructions that miss most, as a module, its functions and their lines.

    Element i of `codes` is the address of owner i + 1; `weights`: by owner.
    """
    weights = np.pad(weights, (0, max(0, len(codes) + 1 - len(weights))))[: len(codes) + 1]
    chosen = [int(n) for n in np.argsort(-weights, kind="stable")[:_MOST_STACKS] if weights[n]]
    chosen = [n for n in chosen if n]
    frames = {n: frame_of(modules, int(codes[n - 1])) for n in chosen}
    symboliser.learn([list(frames.values())])
    stacks = [
        Stack(n, _code_places(symboliser, modules, frame), int(weights[n]))
        for n, frame in frames.items()
    ]
    return stacks, int(weights.sum()) - sum(stack.weight for stack in stacks)


def frame_of(modules: Sequence[Module], address: int) -> Frame:
    """The place in a module's file that an address was."""
    for number, module in enumerate(modules, 1):
        offset = address - module.base
        if 0 <= offset < module.length:
            return Frame(number, offset)
    return Frame(0, address)


def _code_places(symboliser: Symboliser, modules: Sequence[Module], frame: Frame) -> list[Place]:
    path = modules[frame.module - 1].path if frame.module else ""
    inner = symboliser.places(frame)[::-1]
    module = Place(path, 0, path.rpartition("/")[2] or "unknown code")
    functions = [Place(one.module, one.offset, one.function) for one in inner]
    last = inner[-1]
    return [
        module,
        *functions,
        Place(path, frame.offset, f"+{frame.offset:#x}", last.file, last.line),
    ]


def subtract(left: Flame, right: Flame, least: float | None = None) -> Mapping[str, Any]:
    """What `left` has more than `right`, node by node: `w` of the left one, `d` the difference;
    without what is too light to be seen in either.
    """
    least = max(left.weight, right.weight) * _SEEN if least is None else least
    found: dict[str, Any] = {
        "n": left.name[:_LONG], "w": left.weight, "d": left.weight - right.weight
    }  # fmt: skip
    names = list(left.children) + [name for name in right.children if name not in left.children]
    pairs = [
        (left.children.get(name) or Flame(name), right.children.get(name) or Flame(name))
        for name in names
    ]
    children = [subtract(*one, least) for one in pairs if max(n.weight for n in one) >= least]
    if children:
        found["c"] = sorted(children, key=lambda child: -child["w"])
    return found
