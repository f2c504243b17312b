"""Tuning: record, make plans, rank them in the simulator, measure the best, keep what wins."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from abut.errors import AbutError
from abut.heaps import Heap, MissingHeap, find_heap
from abut.measure.counters import available
from abut.measure.measurement import Comparison
from abut.measure.measurement import Plan as Rounds
from abut.measure.session import Watcher, compare
from abut.measure.statistics import Estimate, median, ratio
from abut.measure.tasks import program_tasks
from abut.simulation.jobs import Job, average_cycles, simulate
from abut.simulation.presets import find_preset
from abut.simulation.windows import windows_of
from abut.trace.reader import Trace
from abut.tuning.choice import cache_of, simulate_plan
from abut.tuning.first_run import record, time_once
from abut.tuning.plan import Plan, write_plan
from abut.tuning.planning import make_plan, read_recorded
from abut.tuning.strategies import find_strategy

STRATEGIES = ("combined", "usage-df", "hot-streams", "hot-cold", "lifetime", "affinity", "simple")
_ALWAYS_MEASURED = "affinity"  # pools do for other inputs, which the simulator cannot see
_FINALISTS = 3
_LEAST_RUNS, _MOST_RUNS = 5, 30
_SHARE_TO_RECORD, _SHARE_TO_SIMULATE = 0.4, 0.3  # of the budget
_LEAST_GAIN = 0.01
# Of long traces, so many accesses are read for strategies, in so many windows, or simulated.
_READ_ACCESSES, _READ_WINDOWS, _RANK_ACCESSES = 300_000_000, 3, 60_000_000
SYSTEM, PLAIN = "glibc", "abut"


@dataclass(frozen=True, slots=True)
class Request:
    """What to tune. `also`: other inputs, on which a plan must not lose. `budget` in seconds."""

    argv: Sequence[str]
    also: Sequence[Sequence[str]]
    budget: float
    runs: int | None
    output: Path
    cache: str
    folder: Path
    progress: Callable[[str], None]


@dataclass(slots=True)
class Candidate:
    """A plan. `predicted`: simulated cycles an access; `wall`: seconds; `gain` over plain abut."""

    strategy: str
    plan: Plan
    predicted: float
    path: Path
    wall: Estimate | None = None
    to_plain: Estimate | None = None
    to_system: Estimate | None = None


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The winner on another input, as multiples of plain abut's time and the system's."""

    argv: Sequence[str]
    to_plain: Estimate
    to_system: Estimate


@dataclass(slots=True)
class Tuning:
    """What came of it. `winner` is None where nothing beats the default; `why` says why."""

    request: Request
    seconds: float = 0.0  # of one run
    prepared_in: float = 0.0  # seconds
    recorded_cycles: float = 0.0
    candidates: list[Candidate] = field(default_factory=list)
    plain: Estimate | None = None
    system: Estimate | None = None
    runs: int = 0
    held_out: list[HeldOut] = field(default_factory=list)
    winner: Candidate | None = None
    why: str = ""


def tune(request: Request, watcher: Watcher) -> Tuning:
    """Do all of it. Raises AbutError where the program cannot be run or recorded."""
    result = prepare(request)
    if result.candidates:
        measure(result, watcher)
    return result


def prepare(request: Request) -> Tuning:
    """What can be done while others use the machine: record, place, simulate."""
    begun = time.monotonic()
    result = Tuning(request)
    request.progress("running once, to see how long it takes")
    result.seconds = time_once(request.argv)
    limit = request.budget * _SHARE_TO_RECORD
    trace = record(request.argv, result.seconds, limit, request.folder, request.progress)
    try:
        _make_candidates(result, trace)
    except AbutError as error:
        if "no object can be placed" not in error.problem:
            raise
        result.why = "there are no small objects that a plan could place"
    result.prepared_in = time.monotonic() - begun
    return result


def measure(result: Tuning, watcher: Watcher) -> None:
    """What wants a quiet machine: run the best candidates, and choose."""
    request = result.request
    left = max(request.budget - result.prepared_in, 0.0)
    finalists = _finalists(result.candidates)
    # Each finalist, the two others, and the winner's confirmation and other inputs after that.
    each_round = result.seconds * (len(finalists) + 2 + 3 + 3 * len(request.also))
    affordable = int(left / max(each_round, 1e-3)) - 1
    result.runs = request.runs or max(_LEAST_RUNS, min(_MOST_RUNS, affordable))
    _measure(result, finalists, watcher)
    _judge(result, finalists, watcher)


def _make_candidates(result: Tuning, path: Path) -> None:
    request = result.request
    preset = find_preset(request.cache)
    trace = Trace(path)
    # A few long windows: what follows what must be seen for whole walks of the program.
    windows = windows_of(trace, _READ_ACCESSES, _READ_WINDOWS)
    run = read_recorded(trace, windows=windows, cache=cache_of(preset))
    until = time.monotonic() + request.budget * _SHARE_TO_SIMULATE
    baseline = simulate(Job(str(path), preset, side="application", most=_RANK_ACCESSES))
    result.recorded_cycles = average_cycles(baseline)
    for name in STRATEGIES:
        if len(result.candidates) >= _FINALISTS and time.monotonic() > until:
            break
        request.progress(f"placing and simulating {name}")
        plan = make_plan([run], find_strategy(name))
        if not plan.contexts:
            continue
        predicted = average_cycles(simulate_plan(path, run, plan, preset, _RANK_ACCESSES))
        file = request.folder / f"{name}.plan"
        write_plan(plan, file)
        result.candidates.append(Candidate(name, plan, predicted, file))
    result.candidates.sort(key=lambda candidate: candidate.predicted)


def _finalists(candidates: Sequence[Candidate]) -> list[Candidate]:
    first = list(candidates[:_FINALISTS])
    return first + [one for one in candidates[_FINALISTS:] if one.strategy == _ALWAYS_MEASURED]


def _heaps(candidates: Sequence[Candidate]) -> list[Heap]:
    found = []
    for name in (SYSTEM, PLAIN):
        heap = find_heap(name)
        if isinstance(heap, MissingHeap):
            raise AbutError(f"heap '{name}': not installed", fix=heap.fix)
        found.append(heap)
    plain = found[-1]
    for candidate in candidates:
        settings = {"ABUT_PLAN": str(candidate.path.absolute())}
        found.append(Heap(candidate.strategy, plain.about, plain.library, "", settings))
    return found


def _times(
    result: Tuning,
    argv: Sequence[str],
    candidates: Sequence[Candidate],
    watcher: Watcher,
    seed: int,
) -> dict[str, Estimate]:
    """Medians of the wall time by heap, without heaps under which the program did otherwise."""
    rounds = Rounds(result.runs, 1, seed)
    comparison = Comparison(rounds, _heaps(candidates), [], available())
    compare(comparison, program_tasks(argv, None), watcher)
    if comparison.interrupted:
        raise KeyboardInterrupt
    if not comparison.measurements:
        raise AbutError(comparison.left_out[0].reason)
    measurement = comparison.measurements[0]
    different = {difference.heap for difference in measurement.differences}
    return {
        heap: median([sample.wall_s for sample in samples], seed)
        for heap, samples in measurement.samples.items()
        if heap not in different
    }


def _measure(result: Tuning, finalists: Sequence[Candidate], watcher: Watcher) -> None:
    names = ", ".join(candidate.strategy for candidate in finalists)
    result.request.progress(f"measuring {names}, {result.runs} times each")
    _take(result, _times(result, result.request.argv, finalists, watcher, 1), finalists)


def _take(result: Tuning, times: dict[str, Estimate], candidates: Sequence[Candidate]) -> None:
    result.plain, result.system = times[PLAIN], times[SYSTEM]
    for candidate in candidates:
        candidate.wall = times.get(candidate.strategy)
        if candidate.wall is not None:
            candidate.to_plain = ratio(candidate.wall, times[PLAIN])
            candidate.to_system = ratio(candidate.wall, times[SYSTEM])


def is_gain(estimate: Estimate | None) -> bool:
    """Whether a multiple of another time is less, for sure and by enough."""
    return estimate is not None and estimate.high < 1 and estimate.value <= 1 - _LEAST_GAIN


def _judge(result: Tuning, finalists: Sequence[Candidate], watcher: Watcher) -> None:
    better = [one for one in finalists if is_gain(one.to_plain) and is_gain(one.to_system)]
    if not better:
        result.why = _why_not(result, finalists)
        return
    best = min(better, key=lambda one: one.wall.value if one.wall else float("inf"))
    # The best of several is partly the luckiest: it is measured again by itself.
    result.request.progress(f"measuring {best.strategy} again")
    _take(result, _times(result, result.request.argv, [best], watcher, 2), [best])
    if not (is_gain(best.to_plain) and is_gain(best.to_system)):
        result.why = f"{best.strategy} won at first, but not when it was measured again"
        return
    for argv in result.request.also:
        result.request.progress("measuring another input")
        times = _times(result, argv, [best], watcher, 3)
        mine = times.get(best.strategy)
        to_plain = ratio(mine, times[PLAIN]) if mine else None
        to_system = ratio(mine, times[SYSTEM]) if mine else None
        if to_plain is None or to_system is None:
            result.why = f"with {best.strategy} the program does something else on another input"
            return
        result.held_out.append(HeldOut(argv, to_plain, to_system))
    if any(other.to_plain.low > 1 for other in result.held_out):
        result.why = f"{best.strategy} wins on this input, and loses on another"
        return
    result.winner = best
    write_plan(best.plan, result.request.output)


def _why_not(result: Tuning, finalists: Sequence[Candidate]) -> str:
    known = [one for one in finalists if one.to_plain is not None and one.to_system is not None]
    if not known:
        return "under none of the plans the program did the same"
    best = min(known, key=lambda one: one.to_plain.value if one.to_plain else 1.0)
    assert best.to_plain is not None
    assert best.to_system is not None
    if is_gain(best.to_plain):
        return (
            f"{best.strategy} is faster than plain abut, and not than the system's allocator: "
            f"{best.to_system.value:.3f} of its time ({best.to_system.low:.3f} to "
            f"{best.to_system.high:.3f})"
        )
    shown = f"{best.to_plain.value:.3f} ({best.to_plain.low:.3f} to {best.to_plain.high:.3f})"
    if best.predicted > result.recorded_cycles * (1 - _LEAST_GAIN):
        return (
            "the simulator sees next to nothing to gain, and the clock neither: the best plan, "
            f"{best.strategy}, takes {shown} of plain abut's time"
        )
    return (
        f"the best plan, {best.strategy}, takes {shown} of plain abut's time: no gain that "
        f"{result.runs} runs could tell from chance"
    )
