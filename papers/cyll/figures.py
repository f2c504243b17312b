"""What is measured of a program, and what Cyll measured (tables 5.1 to 5.14)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REFERENCE = "simple"
NO_PLAN = "no plan"  # of the misses: where the heap put the objects when it was recorded
SLIM = " alone"  # follows the name of a strategy: where nothing but the plan serves
BY_PING = " by ping"  # the same, of one by use: what the program says, as his
PINGED = tuple(f"{strategy}{BY_PING}" for strategy in ("usage-df", "usage-grouped"))
SYSTEM = "system"  # of the misses: under the C library's heap
BUMP = "abut+order=birth"  # Simple, but memory is taken as it is needed

HIS = (
    "simple",
    "random",
    "size",
    "friends-df",
    "friends-grouped",
    "usage-df",
    "usage-grouped",
    "one-per-line",
)

# Table 5.1: seconds, a row a strategy, in the order of HIS.
_SECONDS: Mapping[str, tuple[float, ...]] = dict(
    zip(
        ("cover-100", "cover-300", "cover-500", "hexapawn-4x3", "traverse-16"),
        zip(
            (0.002352, 0.080595, 0.926647, 0.007496, 0.111173),
            (0.002395, 0.211720, 1.949964, 0.010427, 0.213957),
            (0.002346, 0.080677, 0.926026, 0.007491, 0.110867),
            (0.002340, 0.080653, 0.925796, 0.007841, 0.079430),
            (0.002353, 0.083250, 0.933972, 0.007370, 0.114451),
            (0.002361, 0.076603, 0.923315, 0.007476, 0.079179),
            (0.002373, 0.090737, 1.047584, 0.007497, 0.111261),
            (0.002442, 0.151122, 1.245283, 0.009993, 0.144253),
            strict=True,
        ),
        strict=True,
    )
)
# Tables 5.13 and 5.14: seconds with his library that can do nothing but follow a layout.
SLIM_SECONDS: Mapping[str, tuple[float, ...]] = {
    "cover-300": (0.080332, 0.210171, 0.079961, 0.080265, 0.082766, 0.075938, 0.090269, 0.150881),
    "hexapawn-4x3": (
        *(0.004799, 0.008199, 0.004875, 0.005279),
        *(0.004826, 0.004694, 0.004698, 0.007800),
    ),
}
# Tables 5.9 and 5.11: seconds under his system's allocator.
_SYSTEM_SECONDS: Mapping[str, float] = {
    "cover-100": 0.002533,
    "cover-300": 0.149683,
    "hexapawn-4x3": 0.010524,
}
# Tables 5.3, 5.5 and 5.7: misses of the first level and of the second, in the order of HIS.
_MISSES: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "cover-300": (
        (5814499, 6815227, 5811861, 5809314, 5827200, 5809386, 6083590, 6470792),
        (556132, 1125087, 551960, 556153, 583593, 535461, 604834, 1520016),
    ),
    "hexapawn-4x3": (
        (24330, 55144, 24570, 24485, 24390, 24444, 24333, 51013),
        (23383, 35450, 23376, 23380, 23369, 23377, 23384, 49086),
    ),
    "traverse-16": (
        (994636, 1571797, 994636, 987289, 1002154, 987094, 997315, 1408294),
        (970229, 1480751, 970229, 970224, 970322, 970237, 970260, 1381616),
    ),
}
# Tables 5.9 and 5.10, of cover-300: time by his system's allocator's, and the rates at which data
# references miss each level.
SYSTEM_PROGRAM = "cover-300"
HIS_SYSTEM: Mapping[str, tuple[float, tuple[float, float] | None]] = {
    "glibc": (1.0, (0.35, 0.043)),
    BUMP: (0.6337, None),
    REFERENCE: (0.5384, (0.127, 0.002)),
    PINGED[0]: (0.5118, (0.127, 0.002)),
}


@dataclass(frozen=True, slots=True)
class ProgramRuns:
    """One program. `seconds`: the least of all runs, by strategy and by heap; `misses` by strategy
    and level, simulated.
    """

    program: str
    command: str
    objects: int
    seconds: Mapping[str, float]
    misses: Mapping[str, Sequence[int]]
    references: Mapping[str, int] = field(default_factory=dict)

    def strategies(self) -> list[str]:
        """Those that were measured."""
        return [name for name in self.misses if name not in (NO_PLAN, SYSTEM)]

    def rates(self, heap: str) -> list[float] | None:
        """Misses by references, of each level, under a heap or a plan; None if not known."""
        name = SYSTEM if heap == "glibc" else heap
        if name not in self.references:
            return None
        return [count / self.references[name] for count in self.misses[name]]

    def of_level(self, level: int) -> dict[str, float]:
        """The misses of a level, by strategy."""
        return {name: counts[level] for name, counts in self.misses.items()}

    def slim_time(self, strategy: str) -> float | None:
        """Its time under the library that only follows as a multiple of that under abut's heap."""
        slim = self.seconds.get(strategy + SLIM)
        return slim / self.seconds[strategy] if slim is not None else None


def _known(table: Mapping[str, Sequence[float]], program: str, strategy: str) -> float | None:
    """A table's value; None where he has none. His use was pinged."""
    strategy = strategy.removesuffix(BY_PING)
    return table[program][HIS.index(strategy)] if program in table and strategy in HIS else None


def his_seconds(program: str, strategy: str) -> float | None:
    """Seconds, of table 5.1."""
    return _known(_SECONDS, program, strategy)


def his_time(program: str, strategy: str) -> float | None:
    """His time as a multiple of `simple`'s, of table 5.2."""
    return _over(his_seconds(program, strategy), his_seconds(program, HIS[0]))


def his_system_time(program: str) -> float | None:
    """The same of his system's allocator, of tables 5.9 to 5.12."""
    return _over(_SYSTEM_SECONDS.get(program), his_seconds(program, HIS[0]))


def his_slim_time(program: str, strategy: str) -> float | None:
    """Time with his library that only follows as a multiple of the other's: 5.13 and 5.14."""
    if strategy not in HIS:
        return None
    return _over(_known(SLIM_SECONDS, program, strategy), his_seconds(program, strategy))


def his_misses(program: str, strategy: str, level: int) -> float | None:
    """His misses as a multiple of `simple`'s, of level 0 or 1: tables 5.4, 5.6 and 5.8."""
    table = {name: levels[level] for name, levels in _MISSES.items()}
    return _over(_known(table, program, strategy), _known(table, program, HIS[0]))


def _over(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other is not None else None
