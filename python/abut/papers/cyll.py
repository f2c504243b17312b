"""Cyll: *Cache-Conscious Memory Allocation*, 2004, tables 5.1 to 5.12, and at larger sizes.

Each program is recorded once with its hints, placed by each strategy, and run with each plan in
turn. Times are the least of all runs, as his are, but of the whole process. Misses are simulated in
the caches that he simulated (section 5.2). Tables 5.13 and 5.14, which compare two builds of his
library, have nothing to stand for them here: there is one.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.analysis.presets import find_preset
from abut.errors import USAGE, AbutError
from abut.heaps import Heap
from abut.measure.counters import available
from abut.measure.measurement import Comparison
from abut.measure.measurement import Plan as Rounds
from abut.measure.session import Task, compare
from abut.measure.workload import Workload
from abut.papers.paper import Request
from abut.papers.recordings import heaps, recording
from abut.places import bench_places
from abut.plans.choice import cache_of, simulate_plan
from abut.plans.file import write_plan
from abut.plans.planning import make_plan, read_recorded
from abut.reporters.tune import QuietWatcher
from abut.strategies import find_strategy
from abut.trace.reader import Trace

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "libstaticmalloc (Cyll 2004): every strategy on cover, hexapawn and traverse"
HEAPS = ("glibc", "jemalloc", "mimalloc", "tcmalloc", "abut")
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
OURS = ("smart", "hot-streams", "hot-cold", "lifetime", "affinity", "combined")
REFERENCE = "simple"
_RUNS = 5
_CACHES = "pentium4"  # 8 KiB, 4 ways; 512 KiB, 8 ways; lines of 64 bytes

_COMMANDS = {
    "cover-100": "cover --rows 100 --columns 100 --searches 1",
    "cover-300": "cover --rows 300 --columns 300 --searches 1",
    "cover-500": "cover --rows 500 --columns 500 --searches 1",
    "hexapawn-4x3": "hexapawn --rows 4 --columns 3 --solves 1",
    "traverse-16": "traverse --depth 16 --walks 10",
    "cover-1000": "cover --rows 1000 --columns 1000 --searches 1",
    "hexapawn-5x4": "hexapawn --rows 5 --columns 4 --solves 2",
    "traverse-20": "traverse --depth 20 --walks 10",
}
PROGRAMS = tuple(_COMMANDS)

# His times, as multiples of `simple`'s: table 5.2, a row a strategy, in the order of HIS.
_HIS_PROGRAMS = PROGRAMS[:5]
_HIS_TIMES = (
    (1.0, 1.0, 1.0, 1.0, 1.0),
    (1.0182, 2.6270, 2.1043, 1.3910, 1.9245),
    (0.9974, 1.0010, 0.9993, 0.9993, 0.9972),
    (0.9949, 1.0007, 0.9991, 1.0460, 0.7145),
    (1.0004, 1.0329, 1.0079, 0.9832, 1.0295),
    (1.0038, 0.9505, 0.9964, 0.9973, 0.7122),
    (1.0089, 1.1258, 1.1305, 0.9973, 1.0008),
    (1.0383, 1.8751, 1.3439, 1.3331, 1.2976),
)
# His misses, as multiples of `simple`'s, of the first and the second level: tables 5.4, 5.6, 5.8.
_HIS_MISSES = {
    "cover-300": (
        (1.0, 1.1721, 0.9995, 0.9991, 1.0022, 0.9991, 1.0463, 1.1129),
        (1.0, 2.0231, 0.9925, 1.0, 1.0494, 0.9628, 1.0876, 2.7332),
    ),
    "hexapawn-4x3": (
        (1.0, 2.2665, 1.0099, 1.0064, 1.0025, 1.0047, 1.0001, 2.0967),
        (1.0, 1.5161, 0.9997, 0.9999, 0.9994, 0.9997, 1.0, 2.0992),
    ),
    "traverse-16": (
        (1.0, 1.5803, 1.0, 0.9926, 1.0076, 0.9924, 1.0027, 1.4159),
        (1.0, 1.5262, 1.0, 0.9999, 1.0001, 1.0, 1.0, 1.4240),
    ),
}


def his_time(program: str, strategy: str) -> float | None:
    """His time as a multiple of `simple`'s; None where he has none."""
    if program not in _HIS_PROGRAMS or strategy not in HIS:
        return None
    return _HIS_TIMES[HIS.index(strategy)][_HIS_PROGRAMS.index(program)]


def his_misses(program: str, strategy: str, level: int) -> float | None:
    """His misses as a multiple of `simple`'s, of level 0 or 1; None where he has none."""
    if program not in _HIS_MISSES or strategy not in HIS:
        return None
    return _HIS_MISSES[program][level][HIS.index(strategy)]


@dataclass(frozen=True, slots=True)
class ProgramRuns:
    """One program. `seconds`: the least of all runs, by strategy and by heap; `misses` by strategy
    and level, simulated.
    """

    name: str
    command: str
    objects: int
    seconds: Mapping[str, float]
    misses: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class CyllResult:
    """All programs."""

    programs: Sequence[ProgramRuns]
    heaps: Sequence[str]

    def verdict(self) -> list[str]:
        """The best strategy of each program, against `simple` and the best heap."""
        return [_verdict(program, self.heaps) for program in self.programs]

    def tables(self) -> "list[Table]":
        """Times, then misses, then the heaps."""
        from abut.reporters.cyll import heaps_table, misses_table, times_table

        return [
            times_table(self.programs),
            misses_table(self.programs, 0),
            misses_table(self.programs, 1),
            heaps_table(self.programs, self.heaps),
        ]

    def document(self) -> dict[str, Any]:
        """All of it."""
        return {
            "programs": [
                {
                    "program": one.name,
                    "command": one.command,
                    "objects": one.objects,
                    "seconds": dict(one.seconds),
                    "misses": {name: list(counts) for name, counts in one.misses.items()},
                }
                for one in self.programs
            ]
        }

    def draw(self, path: Path) -> None:
        """Times of each program by strategy, as multiples of `simple`'s."""
        from abut.reporters.cyll import draw

        draw(self.programs, path)


def measure(request: Request) -> CyllResult:
    """Record, place, run and simulate."""
    unknown = [name for name in request.programs if name not in _COMMANDS]
    if unknown:
        raise AbutError(
            f"{unknown[0]}: not a program of this paper",
            fix=f"choose of {', '.join(PROGRAMS)}",
            exit_code=USAGE,
        )
    chosen = heaps(request)
    (plain,) = [heap for heap in chosen if heap.name == "abut"] or heaps(
        Request(**{**_fields(request), "heaps": ("abut",)})
    )
    programs = [_measure(request, name, chosen, plain) for name in request.programs]
    return CyllResult(programs, [heap.name for heap in chosen])


def _fields(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in Request.__slots__}


def _workload(name: str, *more: str) -> Workload:
    program, *arguments = _COMMANDS[name].split()
    argv = (str(bench_places().programs / program), *arguments, *more)
    return Workload(name, "", "own", argv, Path.cwd())


def _measure(request: Request, name: str, chosen: Sequence[Heap], plain: Heap) -> ProgramRuns:
    path = recording(request, _workload(name, "--hints"), plain)
    preset = find_preset(_CACHES)
    # Hints or none, it is the same piece of code that asks: but not the same call.
    run = read_recorded(Trace(path), cache=cache_of(preset))
    misses = {}
    with tempfile.TemporaryDirectory(prefix="abut-cyll-") as folder:
        planned = []
        for strategy in (*HIS, *OURS):
            request.tell(f"{name}: placing and simulating {strategy}")
            plan = make_plan([run], find_strategy(strategy))
            file = Path(folder, f"{strategy}.plan")
            write_plan(plan, file)
            settings = {"ABUT_PLAN": str(file)}
            planned.append(Heap(strategy, plain.about, plain.library, "", settings))
            result = simulate_plan(path, run, plan, preset)
            misses[strategy] = [level.total_misses for level in result.levels]
        seconds = _least_seconds(request, _workload(name, "--hints"), [*chosen, *planned])
    return ProgramRuns(name, _COMMANDS[name], len(run.objects), seconds, misses)


def _least_seconds(
    request: Request, workload: Workload, all_heaps: Sequence[Heap]
) -> dict[str, float]:
    request.tell(f"{workload.name}: measuring")
    comparison = Comparison(Rounds(_RUNS, 1, 1), all_heaps, [], available())
    compare(comparison, [Task(workload.name, lambda: workload)], QuietWatcher())
    if comparison.interrupted:
        raise KeyboardInterrupt
    if not comparison.measurements:
        raise AbutError(comparison.left_out[0].reason)
    measurement = comparison.measurements[0]
    if measurement.differences:
        raise AbutError(f"{workload.name}: {measurement.differences[0].problem}")
    return {
        heap: min(sample.wall_s for sample in samples)
        for heap, samples in measurement.samples.items()
    }


def _verdict(program: ProgramRuns, all_heaps: Sequence[str]) -> str:
    times = {name: program.seconds[name] for name in program.misses}
    best = min(times, key=lambda name: times[name])
    rival = min(all_heaps, key=lambda name: program.seconds[name])
    return (
        f"{program.name}: {best} is the fastest, {times[best] / times[REFERENCE]:.3f} of "
        f"{REFERENCE}'s time and {times[best] / program.seconds[rival]:.3f} of that of {rival}, "
        "the fastest heap without a plan"
    )
