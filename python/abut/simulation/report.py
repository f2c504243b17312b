"""All that a report on a recorded run says, as plain data.

The parts are independent, and are done in processes of their own where there are several cores.
"""

import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abut.errors import AbutError
from abut.simulation.context_names import share_names
from abut.simulation.curves import Floors, curve_document, reuse_for
from abut.simulation.flames import code_stacks, context_stacks, flame_of, subtract
from abut.simulation.pages import PageReport, pages_of_trace
from abut.simulation.presets import Preset
from abut.simulation.run_document import run_document, shown_contexts
from abut.simulation.survey import Survey, survey
from abut.simulation.windows import Windows, windows_of
from abut.trace.names import Rules, read_rules
from abut.trace.native import native_module
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser
from abut.workers import process_pool

_FLOOR_ACCESSES = 4_000_000
RANK_ACCESSES = 16_000_000
_CURVE_POINTS = 80
Looked = tuple[Trace, Symboliser, Survey]


@dataclass(frozen=True, slots=True)
class Request:
    """What to report on. At most `most_accesses` are looked at; `processes` at a time.

    `find_layout` looks for a layout that would be better than the recorded one, `find_advice` for
    what to change; both return what the report shows of it, and can be sent to another process.
    `rules`: how contexts are named.
    """

    trace: str
    preset: Preset
    find_layout: "Callable[[Request], dict[str, Any]] | None" = None
    most_accesses: int = 150_000_000
    seed: int = 1
    processes: int = 0
    find_advice: "Callable[[Request], dict[str, Any]] | None" = None
    rules: Rules = field(default_factory=read_rules)


def trace_report(request: Request) -> dict[str, Any]:
    """One trace: the run as it was, and the best layout found for it. Raises AbutError."""
    trace = Trace(request.trace)
    processes = request.processes or len(os.sched_getaffinity(0))
    # What takes longest begins first.
    jobs: dict[str, Callable[[Request], Any]] = {}
    if trace.info.accesses and request.find_layout:
        jobs["layouts"] = request.find_layout
    if trace.info.accesses and request.find_advice:
        jobs["advice"] = request.find_advice
    jobs["run"] = recorded_run
    if trace.info.accesses:
        jobs |= {"pages": page_part, "floors": floor_part}
    done = _do_all(jobs, request, min(processes, len(jobs)))
    run = done["run"]
    run["pages"] = done.get("pages")
    run["floors"] = done.get("floors", [])
    best = done.get("layouts", {})
    if best.get("best"):
        share_names(run["contexts"], best["best"]["contexts"])
    return {
        "trace": trace_facts(trace),
        "preset": preset_facts(request.preset),
        "seed": request.seed,
        "advice": done.get("advice"),
        "run": run,
        "layouts": best.get("tried", []),
        "baseline_cycles": best.get("baseline"),
        "why_no_layout": best.get("why", ""),
        "best": best.get("best"),
    }


def _do_all(
    jobs: dict[str, Callable[[Request], Any]], request: Request, processes: int
) -> dict[str, Any]:
    small = Trace(request.trace).info.accesses < _IN_PROCESS
    if processes <= 1 or small:
        return {name: job(request) for name, job in jobs.items()}
    with process_pool(processes) as pool:
        futures: dict[str, Future[Any]] = {
            name: pool.submit(job, request) for name, job in jobs.items()
        }
        return {name: future.result() for name, future in futures.items()}


_IN_PROCESS = 3_000_000  # accesses up to which another process would take longer to begin


def trace_facts(trace: Trace) -> dict[str, Any]:
    """What a trace says about itself."""
    info = trace.info
    return {
        "path": info.path,
        "command": info.command,
        "machine": info.machine,
        "recorder": info.recorder,
        "started": info.started,
        "notes": info.notes,
        "accesses": info.accesses,
        "events": info.events,
        "totals": info.totals,
        "file_bytes": info.file_bytes,
    }


def preset_facts(preset: Preset) -> dict[str, Any]:
    """The caches that were simulated."""
    return {
        "name": preset.name,
        "about": preset.about,
        "memory_cycles": preset.memory_cycles,
        "levels": [
            {"name": one.name, "bytes": one.capacity, "ways": one.ways, "cycles": one.cycles}
            for one in preset.levels
        ],
    }


def recorded_run(request: Request) -> dict[str, Any]:
    """The run as it was, of both sides."""
    trace = Trace(request.trace)
    windows = windows_of(trace, request.most_accesses)
    looked_at = min(trace.info.accesses, request.most_accesses)
    reuse = reuse_for(looked_at)
    codes = has_codes(trace)
    found = survey(
        trace, request.preset, windows=windows, more=[reuse], codes=codes, seed=request.seed
    )
    symboliser = Symboliser.of(trace)
    shown = shown_contexts(found)
    document = run_document(trace, found, request.preset, symboliser, shown, request.rules)
    document["sampled"] = sampling_facts(trace, windows, found)
    document["curve"] = curve_document(reuse)
    document["flames"] = flames_of(trace, symboliser, found, "context")
    document["code_flames"] = flames_of(trace, symboliser, found, "code") if codes else None
    document["notes"] = symboliser.notes
    document["damages"] = [str(one) for one in trace.damages]  # known once all has been read
    return document


def has_codes(trace: Trace) -> bool:
    """Whether the trace says which instruction made an access; by its first chunks."""
    for batch in trace.batches(end=2, codes=True):
        if batch.code is not None and batch.code.any():
            return True
    return False


def sampling_facts(trace: Trace, windows: Windows, found: Survey) -> dict[str, Any]:
    """How much of the run was looked at."""
    return {
        "windows": len(windows),
        "accesses": found.accesses,
        "of": trace.info.accesses,
        "share": found.accesses / trace.info.accesses if trace.info.accesses else 1.0,
        "to_rank": min(trace.info.accesses, RANK_ACCESSES),
        "to_floor": min(trace.info.accesses, _FLOOR_ACCESSES),
    }


def flames_of(trace: Trace, symboliser: Symboliser, found: Survey, by: str) -> list[dict[str, Any]]:
    """For each level, who allocated what it missed, or the code that missed it."""
    flames = []
    levels = found.levels if by == "context" else found.code_levels
    for level in levels:
        weights = level.misses_by_owner.copy()
        if by == "context":
            stacks, rest = context_stacks(trace, symboliser, weights)
        else:
            stacks, rest = code_stacks(symboliser, trace.modules(), found.codes, weights)
        flames.append({"level": level.name, "root": flame_of(stacks, rest).document()})
    return flames


def floor_part(request: Request) -> list[dict[str, Any]]:
    """The best that policies could do, on a part of the run."""
    trace = Trace(request.trace)
    floors = Floors(request.preset)
    window = windows_of(trace, _FLOOR_ACCESSES) or [(0, len(trace.chunks()))]
    middle = [window[len(window) // 2]] if len(window) > 1 else window
    native = native_module().Survey(trace.native, "recorded", request.seed, 1, 64, middle)
    while native.advance([one.native for one in floors.simulators], []):
        pass
    return [{"bytes": one.bytes, "optimum": one.optimum, "lru": one.lru} for one in floors.solve()]


def page_part(request: Request) -> dict[str, Any] | None:
    """What the run did to pages: misses over memory size, and what read-ahead would cover."""
    try:
        report = pages_of_trace(Trace(request.trace), (0.25, 0.5, 0.75))
    except AbutError:
        return None
    return pages_document(report)


def pages_document(report: PageReport) -> dict[str, Any]:
    """A page report, drawn at so many memories."""
    most = max(report.use.most_pages_in_use, report.exact_from)
    memories = np.unique(np.linspace(report.exact_from, most, _CURVE_POINTS).astype(np.int64))
    return {
        "most": report.use.most_pages_in_use,
        "most_live_bytes": report.use.most_live_bytes,
        "fragmentation": report.use.fragmentation,
        "exact_from": report.exact_from,
        "first_touches": report.first_touches,
        "touches": report.touches,
        "memories": memories.tolist(),
        "misses": [report.misses(memories, side).tolist() for side in ("application", "allocator")],
        "prefetch": [
            {"memory": one.memory_pages, "prefetchable": one.prefetchable, "others": one.others}
            for one in report.prefetch
        ],
    }


def difference(first: str, second: str, preset: Preset, most: int) -> list[dict[str, Any]]:
    """For each level, how the misses of one run differ from another's, by context."""
    looked = []
    for path in (first, second):
        trace = Trace(path)
        windows = windows_of(trace, most)
        found = survey(trace, preset, windows=windows, classify=False)
        looked.append((trace, Symboliser.of(trace), found))
    return differences(looked[0], looked[1])


def differences(before: Looked, after: Looked) -> list[dict[str, Any]]:
    """For each level, misses by context before and after."""
    found = []
    for left, right in zip(before[2].levels, after[2].levels, strict=True):
        flames = []
        for (trace, symboliser, _), level in ((before, left), (after, right)):
            stacks, rest = context_stacks(trace, symboliser, level.misses_by_owner)
            flames.append(flame_of(stacks, rest))
        found.append({"level": left.name, "root": subtract(flames[0], flames[1])})
    return found
