"""Cyll: *Cache-Conscious Memory Allocation*, 2004, tables 5.1 to 5.14, and at larger sizes.

Each program is recorded once with its hints, placed by each strategy, and run with each plan in
turn. Times are the least of all runs, as his are, but the processor's (user and system), which what
else runs disturbs less, and of the whole process. Misses are simulated in the caches that he
simulated (section 5.2). What was placed, simulated and timed is kept beside the traces.
Use comes from recorded accesses; by ping, it comes from `ping` alone, as his does. His
system's allocator is glibc here, and Simple without memory taken beforehand the heap in birth
order. His library that can do nothing but follow a layout (5.13, 5.14) is the heap `cyll` here.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from abut.errors import unknown
from abut.heaps import GLIBC, Heap, require_heap
from abut.measure.workload import Workload
from abut.papers import Request
from abut.places import PACKAGE, bench_places, native_folder
from abut.simulation.jobs import Job, Result, simulate
from abut.simulation.presets import find_preset
from abut.trace.reader import Trace
from abut.tuning.choice import cache_of, simulate_plan
from abut.tuning.keys import keys_of
from abut.tuning.objects import read_objects
from abut.tuning.plan import write_plan
from abut.tuning.planning import Recorded, make_plan, read_recorded
from abut.tuning.strategies import find_strategy
from abut_papers.allocators.heaps import FOLLOWER
from abut_papers.common.kept import kept
from abut_papers.common.recordings import heaps, recording
from abut_papers.common.rounds import rounds_of
from abut_papers.cyll import figures
from abut_papers.cyll.figures import HIS, NO_PLAN, PINGED, SYSTEM, ProgramRuns
from abut_papers.cyll.tables import CyllResult

ABOUT = "Cyll 2004, libstaticmalloc: every strategy on cover, hexapawn and traverse"
HEAPS = ("glibc", "jemalloc", "mimalloc", "tcmalloc", "abut")
QUICK = {"programs": ("cover-100", "hexapawn-4x3"), "heaps": ("glibc", "abut")}
IGNORES = ("suite",)  # its programs have his sizes
OURS = ("smart", "hot-streams", "hot-cold", "lifetime", "affinity", "combined")
_RUNS = 3
_CACHES = "pentium4"  # 8 KiB, 4 ways; 512 KiB, 8 ways; lines of 64 bytes

# The last ones are for caches of today: of more than L2, and of more than L3.
_COMMANDS = {
    "cover-100": "cover --rows 100 --columns 100 --searches 1 --hints",
    "cover-300": "cover --rows 300 --columns 300 --searches 1 --hints",
    "cover-500": "cover --rows 500 --columns 500 --searches 1 --hints",
    "hexapawn-4x3": "hexapawn --rows 4 --columns 3 --solves 1 --hints",
    "traverse-16": "traverse --depth 16 --walks 10 --hints",
    "cover-700": "cover --rows 700 --columns 700 --searches 1 --hints",
    "hexapawn-5x4": "hexapawn --rows 5 --columns 4 --solves 2 --hints",
    "traverse-20": "traverse --depth 20 --walks 10 --hints",
    "lists": "lists --nodes 2000000 --lists 2048 --order random --walks 4",
}
# What is recorded of them, where more of the same would take long: fewer walks, or parts of a run.
_RECORDED = {
    "traverse-20": "traverse --depth 20 --walks 1 --hints",
    "lists": "lists --nodes 2000000 --lists 2048 --order random --walks 1",
}
_WINDOW = "--window"
_WINDOWS = {"cover-500": "10M/100M", "cover-700": "10M/400M", "hexapawn-5x4": "10M/100M"}
# Of those that are recorded whole, so that plans know all objects, what is simulated.
_SIMULATED = {"traverse-20": "5M/100M", "lists": "5M/100M"}
PROGRAMS = tuple(_COMMANDS)
_PINGING = ("cover", "hexapawn", "traverse")
_FEW = "1M/1000M"  # accesses, where only pings are wanted


def measure(request: Request) -> CyllResult:
    """Record, place, run and simulate."""
    if missing := [name for name in request.programs if name not in _COMMANDS]:
        raise unknown("--programs", missing[0], PROGRAMS)
    # A heap may be one without a plan, or a strategy: then only those strategies are measured.
    strategies = [name for name in (*HIS, *PINGED, *OURS) if name in request.heaps]
    names = [name for name in request.heaps if name not in strategies]
    chosen = heaps(replace(request, heaps=names))
    plain = require_heap("abut")
    wanted = strategies or [*HIS, *PINGED, *OURS]
    programs = [_measure(request, name, wanted, chosen, plain) for name in request.programs]
    return CyllResult(programs, names)


def _workload(name: str, command: str) -> Workload:
    program, *arguments = command.split()
    argv = (str(bench_places().programs / program), *arguments)
    return Workload(name, "", "own", argv, Path.cwd())


def _measure(
    request: Request, name: str, strategies: Sequence[str], chosen: Sequence[Heap], plain: Heap
) -> ProgramRuns:
    if not name.startswith(_PINGING):
        strategies = [strategy for strategy in strategies if strategy not in PINGED]
    placed = place_all(request, name, strategies, plain)
    planned, follower = [require_heap(figures.BUMP)], require_heap(FOLLOWER)
    for strategy in strategies:
        settings = {"ABUT_PLAN": placed["plans"][strategy]}
        planned.append(Heap(strategy, plain.about, plain.library, "", settings))
        if name in figures.SLIM_SECONDS:
            planned.append(replace(follower, name=strategy + figures.SLIM, environment=settings))
    seconds = _least_seconds(request, _workload(name, _COMMANDS[name]), [*chosen, *planned])
    return ProgramRuns(
        name,
        _COMMANDS[name],
        placed["objects"],
        seconds,
        placed["misses"],
        placed["references"],
    )


def _placing() -> str:
    """Changes with the code that places and simulates."""
    sources = [*(PACKAGE / "tuning").rglob("*.py")]
    state = hashlib.sha256()
    for source in (*native_folder().glob("abut_native*"), *sorted(sources)):
        state.update(source.read_bytes())
    return state.hexdigest()[:12]


def place_all(
    request: Request, name: str, strategies: Sequence[str], plain: Heap
) -> dict[str, Any]:
    """A plan's file and the simulated misses by strategy, and how many objects there are; what was
    made before is used again.
    """
    recorded = _workload(name, _RECORDED.get(name, _COMMANDS[name]))
    path, simulated = (
        recording(request, recorded, plain, *((_WINDOW, of[name]) if name in of else ()))
        for of in (_WINDOWS, _WINDOWS | _SIMULATED)
    )
    stem = f"{path.stem}-{_placing()}"
    preset = find_preset(_CACHES)

    @cache
    def run() -> Recorded:
        request.progress(f"{name}: reading what was recorded")
        return read_recorded(Trace(path), cache=cache_of(preset))

    @cache
    def pinged() -> Recorded:
        """What he had: no accesses, but what the program says that it uses."""
        pinging = replace(recorded, argv=(*recorded.argv, "--pings"))
        trace = Trace(recording(request, pinging, plain, _WINDOW, _FEW))
        keys = keys_of(trace, run().keys.depth)
        objects = read_objects(trace, numbers=keys.numbers, accesses=False)
        return Recorded(run().program, keys, objects)

    def counted(result: Result) -> dict[str, Any]:
        return {
            "misses": [level.total_misses for level in result.levels],
            "references": result.total_references,
        }

    def without_plan() -> dict[str, Any]:
        result = simulate(Job(str(simulated), preset, side="application"))
        return {"objects": len(run().objects), **counted(result)}

    def under_system() -> dict[str, Any]:
        """Both sides: what the allocator itself touches is in his figures, too."""
        return counted(simulate(Job(str(recording(request, recorded, GLIBC)), preset)))

    def with_plan(strategy: str) -> dict[str, Any]:
        request.progress(f"{name}: placing and simulating {strategy}")
        known = pinged() if strategy in PINGED else run()
        plan = make_plan([known], find_strategy(strategy.removesuffix(figures.BY_PING)))
        write_plan(plan, plans[strategy])
        return counted(simulate_plan(simulated, run(), plan, preset))

    plans = {strategy: path.with_name(f"{stem}-{strategy}.plan") for strategy in strategies}
    made = {
        strategy: kept(request, f"{stem}-{strategy}", partial(with_plan, strategy))
        for strategy in strategies
    }
    found = {**made, NO_PLAN: kept(request, f"{stem}-no-plan", without_plan)}
    # Of recordings of a part, what the system's allocator would miss cannot be compared.
    if path == simulated and name not in _WINDOWS:
        found[SYSTEM] = kept(request, f"{stem}-system", under_system)
    return {
        "objects": found[NO_PLAN]["objects"],
        "plans": {strategy: str(plan) for strategy, plan in plans.items()},
        "misses": {what: one["misses"] for what, one in found.items()},
        "references": (
            {what: one["references"] for what, one in found.items()} if SYSTEM in found else {}
        ),
    }


def _least_seconds(
    request: Request, workload: Workload, all_heaps: Sequence[Heap]
) -> dict[str, float]:
    """The least of all rounds, so that few runs need a quiet machine."""
    plans = sorted({heap.environment.get("ABUT_PLAN", "") for heap in all_heaps} - {""})
    held = [hashlib.sha256(Path(plan).read_bytes()).hexdigest() for plan in plans]
    rounds = rounds_of(request, workload, all_heaps, _RUNS, *held, alike=True)
    return {heap: min(seconds) for heap, seconds in rounds["seconds"].items()}
