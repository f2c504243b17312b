"""The best layout that strategies find for a recorded run: a part of its report."""

from collections.abc import Sequence
from typing import Any

from abut.errors import AbutError
from abut.simulation.caches import Simulator
from abut.simulation.curves import curve_document, reuse_for
from abut.simulation.jobs import core_of
from abut.simulation.report import RANK_ACCESSES, Request, differences
from abut.simulation.run_document import mean_cycles, run_document, shown_contexts
from abut.simulation.survey import Survey, survey
from abut.simulation.windows import Windows, windows_of
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser
from abut.tuning.choice import cache_of
from abut.tuning.planning import addresses, check_layout, read_recorded
from abut.tuning.strategies import find_strategy


def best_layout(
    request: Request, strategies: Sequence[str] = ("combined", "usage-df", "simple")
) -> dict[str, Any]:
    """Put a few strategies to the simulator, and look through the run under the best of them.

    Only the program's accesses: an allocator's belong to the layout that it made.
    """
    trace = Trace(request.trace)
    windows = windows_of(trace, request.most_accesses)
    try:
        objects = read_recorded(
            trace, windows=windows, cache=cache_of(request.preset), seed=request.seed
        ).objects
    except AbutError as error:
        return {"why": error.problem}
    sample = windows_of(trace, RANK_ACCESSES)

    def look(layout: str | Array, windows: Windows, more: Sequence[Simulator] = ()) -> Survey:
        return survey(
            trace,
            request.preset,
            layout=layout,
            windows=windows,
            application_only=True,
            seed=request.seed,
            classify=False,
            more=more,
        )

    def cycles_of(layout: str | Array) -> tuple[float, Survey]:
        if not (core := core_of(request.preset, trace)):
            looked = look(layout, sample)
            return mean_cycles(looked, request.preset), looked
        looked, time = look(layout, sample, [core]), core.time()
        return time.total / max(1, time.accesses), looked

    baseline_cycles, baseline = cycles_of("recorded")
    tried = []
    for name in strategies:
        strategy = find_strategy(name)
        layout = strategy.place(objects)
        check_layout(objects, layout, strategy)
        places = addresses(objects, layout.offsets)
        cycles, looked = cycles_of(places)
        tried.append((cycles, name, places, looked))
    _, name, places, sampled = min(tried, key=lambda one: one[0])
    reuse = reuse_for(min(trace.info.accesses, request.most_accesses))
    found = look(places, windows, [reuse])
    symboliser = Symboliser.of(trace)
    document = run_document(trace, found, request.preset, symboliser, shown_contexts(baseline))
    document["flames"] = differences((trace, symboliser, baseline), (trace, symboliser, sampled))
    document["curve"] = curve_document(reuse)
    return {
        "baseline": baseline_cycles,
        "tried": sorted(({"name": one[1], "cycles": one[0]} for one in tried), key=_cycles),
        "best": {"name": name, **document},
    }


def _cycles(tried: dict[str, Any]) -> float:
    return float(tried["cycles"])
