"""Wang, Wu, Yew: *On Improving Heap Memory Layout by Dynamic Pool Allocation*, CGO 2010.

Figures 6 to 14 and tables 3 and 4. The authors' programs are SPEC's; ours are as much made of
small objects. Everything is a ratio to the plain heap, as the authors do: ours without
groups, and without friends, which they did not have. Runs of all variants of a program are
interleaved.

The number of groups and of pools is the library's own account. Misses are simulated, from traces.
"""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

from abut.heaps import Heap, require_heap
from abut.measure.spawn import run_once
from abut.measure.workload import Workload
from abut.papers import Request
from abut.places import bench_places
from abut.simulation.caches import Caches
from abut.simulation.presets import find_preset
from abut.simulation.replay import feed
from abut.trace.reader import Trace
from abut_papers.common.kept import fingerprint, kept
from abut_papers.common.recordings import (
    at_once,
    recorded_workloads,
    recording,
    workloads,
)
from abut_papers.common.rounds import rounds_of
from abut_papers.dpa import rows
from abut_papers.dpa.rows import DPA, GLIBC, PLAIN, Groups, ProgramRow
from abut_papers.dpa.tables import DpaResult

ABOUT = "Wang, Wu and Yew 2010, dynamic pool allocation: groups, merging, thresholds, misses"
PROGRAMS = (
    "hash",
    "tree",
    "traverse",
    "lists-random",
    "cover",
    "hexapawn",
    "strings",
    "translate",
    "lua-tables",
    "perl-hashes",
    "xmllint-parse",
    "python-objects",
)
HEAPS = ("glibc", "abut")
QUICK = {"programs": ("traverse",)}
IGNORES = ("heaps",)  # its variants are of abut's heap
RUNS = 3
_PAIRS = 2_000_000  # of a request and a free, whose time is that of requests alone
# The authors' first machine was a Northwood; the other presets stand for one of today.
_CACHES = ("pentium4", "modern")


def measure(request: Request) -> DpaResult:
    """Run every program under every variant, ask what was grouped, and simulate its misses."""
    heaps = {name: require_heap(spec) for name, spec in rows.variants().items()}
    asked = zip(workloads(request), recorded_workloads(request), strict=True)
    pair_seconds = _pair_seconds(request, heaps)
    return DpaResult([_row(request, *workload, heaps, pair_seconds) for workload in asked])


def _pair_seconds(request: Request, heaps: Mapping[str, Heap]) -> dict[str, float]:
    """What a request and a free take by themselves, where no access follows: a thousand of the one
    after a thousand of the other.
    """
    argv = (str(bench_places().programs / "pairs"), "--burst", "1000", "--pairs", str(_PAIRS))
    pairs = Workload("pairs", "requests and frees", "own", argv, Path.cwd())
    seconds, _ = _times(request, pairs, {name: heaps[name] for name in (PLAIN, DPA, GLIBC)})
    return {name: one / _PAIRS for name, one in seconds.items()}


def _row(
    request: Request,
    workload: Workload,
    recorded: Workload,
    heaps: Mapping[str, Heap],
    pair_seconds: Mapping[str, float],
) -> ProgramRow:
    def groups() -> dict[str, Any]:
        asked = {*rows.MERGES.values(), rows.PATCHED, *rows.CHAINS.values()}
        return {name: asdict(groups_of(workload, heaps[name])) for name in sorted(asked)}

    def misses() -> dict[str, Any]:
        asked = (PLAIN, *rows.SIMULATED)
        found = at_once(lambda name: _misses(request, recorded, heaps[name]), asked)
        return dict(zip(asked, found, strict=True))

    def part(what: str, of: Workload, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        mark = fingerprint(of, [*heaps.values()])
        return kept(request, f"dpa-{what}-{of.name}-{mark}", measure)

    counted = part("groups", workload, groups)
    simulated = part("misses", recorded, misses)
    found = {name: Groups(**one) for name, one in counted.items()}
    times = _times(request, workload, heaps)
    return ProgramRow(workload.name, *times, found, simulated, pair_seconds)


def _times(
    request: Request, workload: Workload, heaps: Mapping[str, Heap]
) -> tuple[dict[str, float], dict[str, float]]:
    """Medians of processor seconds and of the largest resident bytes."""
    rounds = rounds_of(request, workload, [*heaps.values()], RUNS, alike=True)
    seconds, resident = rounds["seconds"], rounds["resident"]
    return (
        {name: median(seconds[heap.name]) for name, heap in heaps.items()},
        {name: median(resident[heap.name]) for name, heap in heaps.items()},
    )


def groups_of(workload: Workload, heap: Heap) -> Groups:
    """Run the program once, and read what the library explains."""
    with tempfile.TemporaryDirectory(prefix="abut-dpa-") as folder:
        patches = Path(folder, "patches")
        files = {"ABUT_EXPLAIN_FILE": f"{folder}/%p.json", "ABUT_PATCH_FILE": str(patches)}
        explained = replace(heap, environment={**heap.environment, **files})
        run_once(workload.launch(explained))
        groups = [json.loads(path.read_text())["groups"] for path in Path(folder).glob("*.json")]
        by = (
            json.loads(patches.read_text()) if patches.is_file() else {"by_code": 0, "looked_up": 0}
        )
    found = counted(max(groups, key=lambda of: sum(one["objects"] for one in of), default=[]))
    return replace(found, by_code=by["by_code"] / max(1, by["by_code"] + by["looked_up"]))


def counted(groups: Sequence[Mapping[str, Any]]) -> Groups:
    """Count what an explanation lists."""
    pooled = [group for group in groups if group["state"] == "pooled"]
    members: dict[int, int] = {}
    for group in pooled:
        members[group["root"]] = members.get(group["root"], 0) + 1
    return Groups(
        groups=len(groups),
        pooled=len(pooled),
        pools=len(members),
        objects=sum(group["objects"] for group in groups),
        pooled_objects=sum(group["objects"] for group in pooled),
        merged_objects=sum(group["objects"] for group in pooled if members[group["root"]] > 1),
        looked_up=sum(group["objects"] * group["chain"] for group in groups),
    )


def _misses(request: Request, workload: Workload, heap: Heap) -> dict[str, int]:
    trace = Trace(recording(request, workload, heap))
    request.progress(f"simulating {workload.name} under {heap.name}")
    presets = {name: find_preset(name) for name in _CACHES}
    simulated = [
        (name, Caches(levels))
        for name, preset in presets.items()
        for levels in (preset.levels, preset.tlb)
    ]
    feed(trace, [caches for _, caches in simulated])
    return {
        f"{name} {level.name}": level.total_misses
        for name, caches in simulated
        for level in caches.counts()
    }
