"""How the levels of a tree of caches stand to each other, and what their misses cost."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from abut.simulation.caches import Level
from abut.trace.native import failures, native_module

_SERVING = (("all", "application"), ("all", "allocator"))  # by side


def check_levels(levels: Sequence[Level]) -> None:
    """Raise AbutError where they cannot be simulated."""
    if levels:
        with failures():
            native_module().check_levels([asdict(level) for level in levels])


def first_level(levels: Sequence[Level], side: int) -> Level:
    """Where the references of a side go first, in levels that can be."""
    asked = {level.below for level in levels}
    tops = (level for level in levels if level.name not in asked)
    return next(level for level in tops if level.serves in _SERVING[side])


def from_the_top(levels: Sequence[Level]) -> tuple[Level, ...]:
    """The levels, none before one that asks it. Circles are left for others to see."""
    rest, ordered = list(levels), list[Level]()
    while rest:
        asked = {level.below for level in rest}
        free = [level for level in rest if level.name not in asked] or rest
        ordered += free[:1]
        rest.remove(free[0])
    return tuple(ordered)


def lost_cycles(misses: Sequence[Any], levels: Sequence[Level], memory_cycles: float) -> Any:
    """What misses cost beyond hits in the first level; `misses` by level, as `levels` are."""
    cycles = {level.name: level.cycles for level in levels}
    return sum(
        count * (cycles.get(level.below, memory_cycles) - level.cycles)
        for count, level in zip(misses, levels, strict=True)
    )
