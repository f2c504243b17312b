"""Pages: which a program has in use, and how often memories of every size would miss one.

As Feng and Berger measure Vam (MSP 2005, sections 4.4 to 4.6). A page is 4 KiB. It is in use from
its first touch until it is given back to the kernel. First touches are no misses: the kernel gives
a page of zeros, and nothing is read from disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abut.errors import AbutError
from abut.simulation.caches import Simulator
from abut.simulation.jobs import Job
from abut.simulation.reuse import at_least
from abut.trace.native import Array, failures, native_module
from abut.trace.reader import Trace

PAGE_BYTES = 4096
# Reading ahead brings in aligned groups of pages, and keeps so many of them.
_READ_AHEAD_BUFFER, _READ_AHEAD_GROUP = 256, 8
_MOST_STEPS = 1 << 26
_POINTS = 100


@dataclass(frozen=True, slots=True)
class PageUse:
    """Pages in use and the data that lives in them, at the end and at the most."""

    pages_in_use: int
    most_pages_in_use: int
    live_bytes: int
    most_live_bytes: int

    @property
    def fragmentation(self) -> float | None:
        """The most pages that were in use over the fewest that the most live data fill.

        None where nothing lived. Vam, section 4.4: live data is what was asked for.
        """
        live_pages = -(-self.most_live_bytes // PAGE_BYTES)
        return self.most_pages_in_use / live_pages if live_pages else None


@dataclass(frozen=True, slots=True)
class Prefetch:
    """The misses of one memory, by whether reading ahead from swap would have covered them.

    `by_side`: the same two figures of the application's touches, and of the allocator's.
    """

    memory_pages: int
    prefetchable: int
    others: int
    by_side: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))

    def of_side(self, side: int) -> "Prefetch":
        """Those of the application's touches (0) or of the allocator's (1) alone."""
        return Prefetch(self.memory_pages, *self.by_side[side])

    @property
    def misses(self) -> int:
        """All of them."""
        return self.prefetchable + self.others

    @property
    def prefetchable_share(self) -> float | None:
        """Of the misses; None where there are none."""
        return self.prefetchable / self.misses if self.misses else None


@dataclass(frozen=True, slots=True)
class PageReport:
    """What a run did to pages.

    `frames` holds, by side ("application", "allocator"), how many touches need a memory of so many
    pages, the index, to find theirs; index 0 counts first touches. Exact for memories of
    `exact_from` pages and more. `steps` is how many touches the reduction left of `touches`.
    """

    use: PageUse
    frames: Mapping[str, Array]
    prefetch: Sequence[Prefetch]
    exact_from: int
    touches: int
    steps: int

    @property
    def first_touches(self) -> int:
        """How many pages were given, counting those that were given back and touched again."""
        return sum(map(self.first_touches_of, self.frames))

    def first_touches_of(self, side: str) -> int:
        """Those among them that a side's touch was the first of."""
        counts = self.frames[side]
        return int(counts[0]) if len(counts) else 0

    @property
    def enough_pages(self) -> int:
        """The smallest memory in which nothing is missed."""
        return max(0, *(len(np.trim_zeros(counts, "b")) - 1 for counts in self.frames.values()))

    def misses(self, memories: Array, side: str | None = None) -> Array:
        """Misses in memories of so many pages, of one side's touches or of both's.

        Raises ValueError for memories below `exact_from`, which were not distinguished.
        """
        if len(memories) and memories.min() < self.exact_from:
            raise ValueError(
                f"memories of fewer than {self.exact_from} pages are not distinguished"
            )
        total = np.zeros(len(memories), np.int64)
        for name, counts in self.frames.items():
            if side in (name, None):
                total += at_least(counts, memories + 1)
        return total


class Pages(Simulator):
    """A run's touches of pages, reduced and kept, so that memories can be asked for afterwards.

    Those of fewer pages than `exact_from` are not distinguished.
    """

    def __init__(self, exact_from: int = 64) -> None:
        self.native = native_module().PageModel(exact_from, _MOST_STEPS)

    def add_trace(self, trace: Trace, *, layout: str | Array = "recorded", seed: int = 1) -> None:
        """All of a recorded run, as it was or under another layout of its objects.

        The program's accesses to what is no object are left out, unless the trace has no objects at
        all. With another layout than the recorded one (a name, or an array: object i + 1 lies at
        element i), so are the allocator's, and no page is given back.
        """
        places = layout if isinstance(layout, str) else np.ascontiguousarray(layout, np.uint64)
        with failures():
            self.native.add_trace(trace.native, places, seed)

    @property
    def use(self) -> PageUse:
        """Pages in use, and live data."""
        use = self.native.use()
        return PageUse(use["in_use"], use["most_in_use"], use["live_bytes"], use["most_live_bytes"])

    @property
    def exact_from(self) -> int:
        """The smallest memory, in pages, whose misses are known."""
        exact_from: int = self.native.use()["exact_from"]
        return exact_from

    def report(self, memories: Sequence[int] = (), shares: Sequence[float] = ()) -> PageReport:
        """Everything; reading ahead at `memories` (pages) and at these shares of the most pages in
        use. Those that are too small to be distinguished are taken for the smallest that is.
        """
        use = self.native.use()
        of_shares = (round(share * use["most_in_use"]) for share in shares)
        asked = np.array([*memories, *of_shares], np.uint32)
        asked = np.maximum(asked, np.uint32(use["exact_from"]))
        curve = self.native.curve(asked, _READ_AHEAD_BUFFER, _READ_AHEAD_GROUP)
        prefetch = [
            Prefetch(memory, row[0] + row[1], row[2] + row[3], ((row[0], row[2]), (row[1], row[3])))
            for memory, row in zip(asked.tolist(), curve.pop("prefetch"), strict=True)
        ]
        return PageReport(
            use=self.use,
            frames=curve,
            prefetch=prefetch,
            exact_from=use["exact_from"],
            touches=use["touches"],
            steps=use["steps"],
        )


def pages_of_trace(
    trace: Trace,
    shares: Sequence[float] = (),
    *,
    layout: str | Array = "recorded",
    seed: int = 1,
) -> PageReport:
    """What a recorded run did to pages, or would do under another layout; see `Pages`."""
    pages = Pages()
    pages.add_trace(trace, layout=layout, seed=seed)
    return pages.report(shares=shares)


@dataclass(frozen=True, slots=True)
class PageComparison:
    """Runs of the same program, by name, and the memories (pages) that all of them are put to."""

    memories: Sequence[int]
    reports: Mapping[str, PageReport]

    @property
    def curve_sizes(self) -> Array:
        """Memories to draw curves at: from the smallest that is exact to where none misses."""
        smallest = max(report.exact_from for report in self.reports.values())
        largest = max(report.use.most_pages_in_use for report in self.reports.values())
        return np.unique(np.linspace(smallest, max(smallest, largest), _POINTS).astype(np.int64))


def run_pages(jobs: Sequence[Job]) -> dict[str, Pages]:
    """The pages of each job's trace in its layout, by the names of these.

    Raises AbutError where a trace is damaged: its pages would seem to be fewer.
    """
    several = len({job.layout for job in jobs}) > 1
    runs = {}
    for job in jobs:
        trace = Trace(job.trace)
        pages = Pages()
        layout = job.placer(trace, job) if job.placer else job.layout
        pages.add_trace(trace, layout=layout, seed=job.seed)
        if trace.damages:
            raise AbutError(f"{job.trace}: {trace.damages[0].what}", fix="record it again")
        name = Path(job.trace).name + (f" {job.layout}" if several else "")
        runs[name if name not in runs else f"{job.trace} {job.layout}"] = pages
    return runs


def compare_pages(
    runs: Mapping[str, Pages], shares: Sequence[float] = (0.25, 0.5, 0.75)
) -> PageComparison:
    """Put runs to the same memories: shares of the fewest pages that one of them needs."""
    fewest = min(run.use.most_pages_in_use for run in runs.values())
    smallest = max(run.exact_from for run in runs.values())
    memories = sorted({max(smallest, round(share * fewest)) for share in shares})
    return PageComparison(memories, {name: run.report(memories) for name, run in runs.items()})
