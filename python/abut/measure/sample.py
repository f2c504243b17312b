"""What one run gave, and the figures that are made of it."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sample:
    """The measurements of one run, children that were waited for included.

    Times are in seconds, memory in bytes; `peak_rss_bytes` is that of the largest single process.
    `counters` holds the hardware counters that the machine has. Where instructions were counted by
    Valgrind, the first sample has their number, and no other. `others_s` is the processor time of
    processes that the program left behind, up to its end; it is in no other figure.
    """

    wall_s: float
    user_s: float
    system_s: float
    peak_rss_bytes: int
    minor_faults: int
    major_faults: int
    counters: dict[str, int] = field(default_factory=dict)
    others_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One number to compare heaps by; less is better for every one of them.

    `of` gives None where a sample lacks the figure. `unit` is "s", "B" or "" for a plain count.
    """

    key: str
    title: str
    unit: str
    of: Callable[[Sample], float | None]


def _counter(key: str) -> Callable[[Sample], float | None]:
    return lambda sample: sample.counters.get(key)


WALL = Figure("wall", "wall time", "s", lambda sample: sample.wall_s)
CPU = Figure("cpu", "user+sys time", "s", lambda sample: sample.user_s + sample.system_s)
RSS = Figure("rss", "peak RSS", "B", lambda sample: sample.peak_rss_bytes)
FAULTS = Figure(
    "faults", "page faults", "", lambda sample: sample.minor_faults + sample.major_faults
)
USER = Figure("user", "user time", "s", lambda sample: sample.user_s)
INSTRUCTIONS = Figure("instructions", "instructions", "", _counter("instructions"))
ALWAYS_SHOWN = (WALL, CPU, RSS, FAULTS)
CHOICES = (*ALWAYS_SHOWN, USER, INSTRUCTIONS)
COUNTERS = (
    Figure("cycles", "cycles", "", _counter("cycles")),
    INSTRUCTIONS,
    Figure("cache-misses", "cache misses", "", _counter("cache-misses")),
    Figure("dtlb-misses", "dTLB misses", "", _counter("dtlb-misses")),
)
FIGURES = (
    *ALWAYS_SHOWN,
    USER,
    Figure("minor-faults", "minor faults", "", lambda sample: sample.minor_faults),
    Figure("major-faults", "major faults", "", lambda sample: sample.major_faults),
    *COUNTERS,
)
