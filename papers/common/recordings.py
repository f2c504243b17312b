"""Traces of benchmarks under heaps, made when they are first asked for, and kept."""

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TypeVar

from abut.errors import AbutError, last_lines
from abut.heaps import Heap, find_heaps
from abut.measure.inputs import workload_of
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.papers import Request
from abut.places import bench_places
from abut.preloading import file_name_of
from abut.recording.record_run import record
from abut.simulation.jobs import Job
from abut.simulation.pages import Pages, run_pages
from abut.targets import written
from abut.trace.reader import Trace
from abut_papers.common.kept import fingerprint

_SHOWN_LINES = 5
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def workloads(request: Request) -> list[Workload]:
    """What the request's programs are, with their inputs ready."""
    return _sized(request, request.suite)


def recorded_workloads(request: Request) -> list[Workload]:
    """The same, smaller: at the size at which they are recorded."""
    return _sized(request, request.suite if request.suite == "tiny" else "small")


def _sized(request: Request, suite: str) -> list[Workload]:
    places = bench_places()
    benchmarks = choose(load_benchmarks(places.suites), suite, request.programs)
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    return [workload_of(by_name[name], suite, places) for name in request.programs]


def heaps(request: Request) -> list[Heap]:
    """The request's heaps. Raises AbutError where one is not installed."""
    found, missing = find_heaps(request.heaps)
    if missing:
        raise AbutError(f"heap '{missing[0].name}': not installed", fix=missing[0].fix)
    return found


def recording(request: Request, workload: Workload, heap: Heap, *options: str) -> Path:
    """The trace of the program under the heap: of all accesses, unless options of `abut record` say
    otherwise. Raises AbutError where it cannot be made.
    """
    folder = request.traces.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    mark = fingerprint(workload, [heap], options)
    path = folder / f"{workload.name}-{file_name_of(heap.name)}-{mark}.trace"
    if path.is_file() and not request.fresh and _can_be_read(path):
        return path
    request.progress(f"recording {workload.name} under {heap.name}")
    command, under = workload.argv, ("--heap", heap.option, *options)
    environment, folder, stdin = workload.environment, workload.folder, workload.stdin
    with written(path) as partial:
        done = record(partial, command, *under, variables=environment, folder=folder, stdin=stdin)
        if done.returncode != 0:
            raise AbutError(
                f"{workload.name} under {heap.name}: recording failed ({done.returncode})"
                + last_lines(done.stderr, _SHOWN_LINES),
                fix=f"run it by hand: {shlex.join(('abut', 'record', *under, '--', *command))}",
            )
    return path


@cache
def pages_of(trace: Path) -> dict[str, Pages]:
    """What the simulation of its pages finds."""
    return run_pages([Job(str(trace))])


def recordings(request: Request, workload: Workload, chosen: Sequence[Heap]) -> dict[str, Path]:
    """By heap, the traces of the program. Where it cannot be recorded, the heap is left out."""

    def made(heap: Heap) -> Path | None:
        what = f"{workload.name} recorded under {heap.name}"
        if what in request.left_out:
            return None
        try:
            return recording(request, workload, heap)
        except AbutError as error:
            request.leave_out(what, str(error))
            return None

    paths = at_once(made, chosen)
    return {heap.name: path for heap, path in zip(chosen, paths, strict=True) if path}


def at_once(make: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
    """What is made of each, one a processor at a time: recorders are processes of their own, and
    simulators run without Python's lock. Not for what is timed.
    """
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(make, items))


def _can_be_read(path: Path) -> bool:
    """False of a trace in a format of before, which is recorded again."""
    try:
        Trace(path)
    except AbutError:
        return False
    return True
