"""A recorded run through simulated caches: one job, plain data in and out, so that it may run in
another process or on another machine.
"""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from abut.errors import AbutError
from abut.simulation.caches import (
    SIDES,
    Caches,
    Level,
    LevelCounts,
    Optimum,
    OptimumCounts,
    Simulator,
    Utilisation,
    UtilisationCounts,
    split_by_side,
)
from abut.simulation.core_time import Core, Time
from abut.simulation.levels import first_level, lost_cycles
from abut.simulation.owners import OwnerRow, Owners, owner_rows, owners_of
from abut.simulation.presets import Preset
from abut.simulation.replay import feed
from abut.simulation.windows import windows_of
from abut.trace.native import Array
from abut.trace.reader import Trace

LAYOUTS = ("recorded", "line", "random", "size")
_Counts = TypeVar("_Counts", LevelCounts, UtilisationCounts)


NO_PRESET = Preset("none", "no caches", ())


@dataclass(frozen=True, slots=True)
class Job:
    """What to simulate. `side`: whose accesses to take, all, application or allocator. `most`: of
    longer traces, about so many accesses in windows; 0: all. `placer` computes where objects lie in
    a layout that the simulator has no name for; it is a function of a module, so that it can go to
    another process.
    """

    trace: str
    preset: Preset = NO_PRESET
    layout: str = "recorded"
    seed: int = 1
    side: str = "all"
    by: str = "site"
    classify: bool = False
    optimum: bool = False
    huge_pages: bool = False
    split: bool = False
    most: int = 0
    placer: "Callable[[Trace, Job], Array] | None" = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a job found. Levels from the first to the last; `split` those of separate caches.

    `instructions` is how many ran while accesses were recorded, 0 where they were not counted.
    """

    job: Job
    command: list[str]
    references: list[int]
    levels: list[LevelCounts]
    tlb: list[LevelCounts]
    split: list[LevelCounts]
    memory_bytes: tuple[int, int]
    memory_bytes_by_side: list[tuple[int, int]]
    utilisation: list[UtilisationCounts]
    page_utilisation: UtilisationCounts | None
    optimum: OptimumCounts | None
    owners: list[OwnerRow]
    damages: list[str]
    instructions: int = 0
    time: Time | None = None

    @property
    def total_references(self) -> int:
        """Of both sides."""
        return sum(self.references)


def core_of(preset: Preset, trace: Trace, tables: Sequence[Level] | None = None) -> Core | None:
    """A core for the trace, with other TLBs than the preset's if given; None where it has none."""
    if preset.core is None:
        return None
    accesses = trace.info.accesses
    ran = (trace.info.totals or {}).get("instructions", 0)
    tables = preset.tlb if tables is None else tables
    per_access = ran / accesses if accesses else 0.0
    return Core(preset.levels, preset.memory_cycles, preset.core, tables, per_access)


class _Simulators:
    """All that a job has simulated over one replay of its trace."""

    def __init__(self, job: Job, trace: Trace) -> None:
        preset = job.preset
        levels = tuple(dataclasses.replace(level, classify=job.classify) for level in preset.levels)
        tables = preset.huge_tlb if job.huge_pages else preset.tlb
        self.job = job
        self.caches = Caches(levels)
        self.tlb = Caches(tables) if tables else None
        self.separate = (
            Caches(split_by_side(preset.levels, preset.allocator)) if job.split else None
        )
        self.used = [Utilisation(level) for level in levels]
        self.pages_used = Utilisation(tables[-1]) if tables else None
        self.optimum = Optimum(levels[0]) if job.optimum else None
        self.core = core_of(preset, trace, tables)

    @property
    def all(self) -> list[Simulator]:
        """Those that there are."""
        some = (self.caches, self.tlb, self.separate, *self.used, self.pages_used, self.optimum)
        return [one for one in (*some, self.core) if one is not None]

    def result(self, trace: Trace, owners: Owners, pages: Array) -> Result:
        """What they found."""
        caches, memory_cycles = self.caches, self.job.preset.memory_cycles
        return Result(
            job=self.job,
            command=trace.info.command,
            references=caches.references,
            levels=[_plain(level) for level in caches.counts()],
            tlb=[_plain(level) for level in self.tlb.counts()] if self.tlb else [],
            split=[_plain(level) for level in self.separate.counts()] if self.separate else [],
            memory_bytes=caches.memory_bytes,
            memory_bytes_by_side=caches.memory_bytes_by_side,
            utilisation=[_plain(one.counts()) for one in self.used],
            page_utilisation=_plain(self.pages_used.counts()) if self.pages_used else None,
            optimum=self.optimum.solve() if self.optimum else None,
            owners=owner_rows(trace, owners, caches, self.used[0].counts(), memory_cycles, pages),
            damages=[str(damage) for damage in trace.damages],
            instructions=(trace.info.totals or {}).get("instructions", 0),
            time=self.core.time() if self.core else None,
        )


def simulate(job: Job, addresses: Array | None = None) -> Result:
    """Do the job, with objects at `addresses` if given. Raises AbutError where it cannot be."""
    return simulate_together([job], addresses)[0]


def simulate_together(jobs: Sequence[Job], addresses: Array | None = None) -> list[Result]:
    """Do jobs that differ in what is simulated alone: the trace is decoded once."""
    job = jobs[0]
    trace = Trace(job.trace)
    if addresses is None and job.placer:
        addresses = job.placer(trace, job)
    owners = owners_of(trace, job.by)
    simulators = [_Simulators(one, trace) for one in jobs]
    feeds = [one for each in simulators for one in each.all]
    replay = feed(
        trace,
        feeds,
        job.layout if addresses is None else addresses,
        seed=job.seed,
        by=owners.native_by,
        owners=owners.owner_of_context.tolist(),
        side=job.side,
        windows=windows_of(trace, job.most) if job.most else [],
    )
    pages = np.asarray(replay.pages())
    return [each.result(trace, owners, pages) for each in simulators]


def replay_of(job: Job) -> Job:
    """What decides how the job's trace is replayed. Strategies lay objects out for a cache."""
    preset = job.preset if job.placer else NO_PRESET
    return dataclasses.replace(
        job, preset=preset, classify=False, optimum=False, huge_pages=False, split=False
    )


def simulate_all(jobs: Sequence[Job], processes: int = 1, scheduler: str = "") -> list[Result]:
    """All jobs, in order: here, in processes of this machine, or on a dask scheduler's workers.

    Those of the same replay, that are beside each other, share it.
    """
    groups = [list(group) for _, group in itertools.groupby(jobs, key=replay_of)]
    if scheduler:
        found = _on_cluster(groups, scheduler)
    elif processes <= 1 or len(groups) <= 1:
        found = [simulate_together(group) for group in groups]
    else:
        from abut.workers import process_pool

        with process_pool(min(processes, len(groups))) as pool:
            found = list(pool.map(simulate_together, groups))
    return [result for group in found for result in group]


def _on_cluster(groups: Sequence[list[Job]], scheduler: str) -> list[list[Result]]:
    with connect(scheduler) as client:
        return list(client.gather(client.map(simulate_together, groups, pure=False)))


def connect(scheduler: str) -> Any:
    """A client of the dask scheduler at that address. Raises AbutError."""
    try:
        import distributed
    except ImportError as error:
        fix = "pip install 'abut[cluster]'"
        raise AbutError("dask.distributed is not installed", fix=fix) from error
    try:
        return distributed.Client(scheduler, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        fix = "start one with `dask scheduler`"
        raise AbutError(f"{scheduler}: no dask scheduler answers there", fix=fix) from error


def average_cycles(result: Result, side: int | None = None) -> float:
    """AMAT, the mean time of an access of a side, or of both, in cycles.

    Without prefetches' cost and with TLB misses'.
    """
    preset = result.job.preset
    tables = preset.huge_tlb if result.job.huge_pages else preset.tlb
    # A walk of the page table reads a few entries, most of which are in the second level.
    second = next((level for level in preset.levels if level.name == preset.levels[0].below), None)
    walk = 2 * (second.cycles if second else preset.memory_cycles)
    cycles, accesses = 0.0, 0
    for each in range(SIDES) if side is None else (side,):
        first = first_level(preset.levels, each)
        count = _of_side(result.levels, each, 0)[preset.levels.index(first)]
        accesses += count
        cycles += count * first.cycles
        misses = _of_side(result.levels, each, 1)
        cycles += lost_cycles(misses, preset.levels, preset.memory_cycles)
        cycles += lost_cycles(_of_side(result.tlb, each, 1), tables, walk)
    return cycles / accesses if accesses else 0.0


def _of_side(levels: Sequence[LevelCounts], side: int, what: int) -> list[int]:
    return [level.of_side(side)[what] for level in levels]


def _plain(counts: _Counts) -> _Counts:
    """The counts without their columns by owner, which can be long."""
    empty = np.zeros(0, np.int64)
    if isinstance(counts, LevelCounts):
        return dataclasses.replace(counts, misses_by_owner=empty)
    return dataclasses.replace(counts, lines_by_owner=empty, used_bytes_by_owner=empty)
