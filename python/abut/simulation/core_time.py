"""How long a core takes over a run's accesses, by cause: the table [core] of a machine's file.

[core]
how = "estimates"             # how these figures were got
ghz = 4.0                     # cycles in a nanosecond
window = 128                  # accesses in flight
outstanding = 16              # misses of the first level in flight
cycles_per_instruction = 0.3  # where nothing is waited for
walk_cycles = 30              # a walk of the page table
line_cycles = 8               # memory is busy for so long with a line
row_hit_saves = 40            # cycles, where a line lies in a row that is open
stream = 4                    # lines that the second level's streams keep ahead; 0: none
crosses = true                # streams go on in the next page
adjacent = false              # lines come in pairs into the second level
# and, if there are such:
trained = 10                  # lines of 32 in a row that are touched before a stream is one [3]
stores = 64                   # entries of the store buffer [any number]
next = 1                      # lines behind a new one that come with it, within the page [0]
stride = 2                    # steps of one instruction ahead, of up to 2 KiB [0]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_type_hints

from abut.errors import AbutError
from abut.simulation.caches import Level, Simulator
from abut.trace.native import failures, native_module

_LINE = 64
_MOST_WAYS = 16
_USUAL_INSTRUCTIONS = 3.0  # an access, where they were not counted
_CYCLES, _WHOLE = (0, 999_999), (0, 1 << 40)
_Kind = TypeVar("_Kind")
_RANGES: dict[str, tuple[float, float]] = {
    "ghz": (0.001, 1000),
    "window": (1, 512),
    "outstanding": (1, 512),
    "stores": (0, 512),
    "trained": (1, 32),
    **dict.fromkeys(("stream", "next", "stride"), (0, 31)),
}


@dataclass(frozen=True, slots=True)
class CoreSettings:
    """What is not a cache of a core."""

    how: str
    ghz: float
    window: int
    outstanding: int
    cycles_per_instruction: float
    walk_cycles: float
    line_cycles: float
    row_hit_saves: float
    stream: int
    crosses: bool
    adjacent: bool
    trained: int = 3
    stores: int = 0
    next: int = 0
    stride: int = 0


@dataclass(frozen=True, slots=True)
class Time:
    """Cycles by what was waited for, and what prefetches were good for."""

    cycles: Mapping[str, float]
    accesses: int
    prefetches: int
    useful: int
    late: int

    @property
    def total(self) -> float:
        """All of them."""
        return sum(self.cycles.values())


def check_range(name: str, value: float, least: float = 0, most: float = _CYCLES[1]) -> None:
    """Raise ValueError where it is no number from `least` to `most`; those of cycles by default."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} = {value!r}: must be a number")
    if not least <= value <= most:  # as NaN is not
        raise ValueError(f"{name} = {value}: not from {least} to {most}")


def checked(
    kind: Callable[..., _Kind],
    table: Mapping[str, Any],
    what: str,
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> _Kind:
    """What a table of a file describes, a dataclass. Raises TypeError or ValueError."""
    types = get_type_hints(kind)
    needed = {field.name for field in fields(cast("Any", kind)) if field.default is MISSING}
    if lacking := sorted(needed - set(table)):
        raise ValueError(f"{what}: {lacking[0]} is missing")
    for key, value in table.items():
        if key not in types:
            raise ValueError(f"{what}: {key} is not known; it may have {', '.join(types)}")
        wanted = (int, float) if types[key] is float else types[key]
        if not isinstance(value, wanted) or isinstance(value, bool) != (types[key] is bool):
            raise TypeError(f"{what}: {key} = {value!r} must be of the type {types[key].__name__}")
        if not isinstance(value, bool | str):
            usual = _CYCLES if types[key] is float else _WHOLE
            check_range(f"{what}: {key}", value, *ranges.get(key, usual))
    return kind(**table)


def read_core(table: Mapping[str, Any]) -> CoreSettings:
    """The settings in a table. Raises TypeError or ValueError."""
    return checked(CoreSettings, table, "core", _RANGES)


class Core(Simulator):
    """A simulated core, to be fed by a replay. Raises AbutError where the preset has not the shape:
    three levels of caches and two of TLBs.
    """

    def __init__(
        self,
        levels: Sequence[Level],
        memory_cycles: float,
        core: CoreSettings,
        tables: Sequence[Level],
        per_access: float,
    ) -> None:
        if any(level.line != _LINE for level in levels):
            raise AbutError("a core's caches have lines of 64 bytes")
        settings = asdict(core) | {
            "caches": [_shape(level) for level in levels],
            "tlbs": [_shape(level) for level in tables],
            "page_shift": tables[0].line.bit_length() - 1 if tables else 12,
            "walk": core.walk_cycles,
            "memory": max(memory_cycles - levels[-1].cycles, core.row_hit_saves),
            "line": core.line_cycles,
            "compute": core.cycles_per_instruction * (per_access or _USUAL_INSTRUCTIONS),
        }
        with failures():
            self.native = native_module().Core(settings)

    def time(self) -> Time:
        """What was found so far."""
        return Time(**self.native.counts())


def _shape(level: Level) -> dict[str, float]:
    """Sets are a power of two: slices that are not have more or fewer ways, and as many lines, or
    nearly.
    """
    lines = level.capacity // level.line
    ways = level.ways or lines
    sets = lines // ways
    if sets.bit_count() != 1:
        powers = [1 << n for n in range(lines.bit_length())]
        shapes = [(sets, ways) for sets in powers for ways in range(1, _MOST_WAYS + 1)]
        sets, ways = min(shapes, key=lambda one: (abs(one[0] * one[1] - lines), -one[1]))
    return {"sets": sets, "ways": ways, "cycles": level.cycles}
