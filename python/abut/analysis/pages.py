"""Pages: which a program has in use, and how often memories of every size would miss one.

As Feng and Berger measure Vam (MSP 2005, sections 4.4 to 4.6). A page is 4 KiB. It is in use from
its first touch until it is given back to the kernel. First touches are no misses: the kernel gives
a page of zeros, and nothing is read from disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abut.analysis.reuse import at_least, columns, counts_strays
from abut.trace.native import Array, native_module
from abut.trace.reader import Trace

PAGE_BYTES = 4096
EXACT_FROM = 64
READ_AHEAD_BUFFER, READ_AHEAD_GROUP = 256, 8
_MOST_STEPS = 1 << 26


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
    """The misses of one memory, by whether reading ahead from swap would have covered them."""

    memory_pages: int
    prefetchable: int
    others: int

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
        return int(sum(counts[0] for counts in self.frames.values() if len(counts)))

    @property
    def most_useful_memory(self) -> int:
        """The fewest pages with which there is no miss."""
        return max(len(np.trim_zeros(counts, "b")) - 1 for counts in self.frames.values())

    def misses(self, memories: Array, side: str | None = None) -> Array:
        """Misses in memories of so many pages, of one side's touches or of both's."""
        total = np.zeros(len(memories), np.int64)
        for name, counts in self.frames.items():
            if side in (name, None):
                total += at_least(counts, memories + 1)
        return total


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How pages are looked at.

    `memories` (pages) are those whose misses are put to the reading ahead; memories below
    `exact_from` pages are not told apart, and the trace is reduced accordingly.
    """

    memories: Sequence[int] = ()
    shares: Sequence[float] = (0.5,)
    exact_from: int = EXACT_FROM
    buffer_pages: int = READ_AHEAD_BUFFER
    group_pages: int = READ_AHEAD_GROUP


def pages_of_trace(trace: Trace, settings: PageSettings | None = None) -> PageReport:
    """What a recorded run did to pages.

    `settings.shares` are memories as shares of the most pages in use, besides `memories`.
    """
    chosen = settings or PageSettings()
    model = _model(chosen)
    model.add_trace(trace.native, counts_strays(trace))
    return _report(model, chosen)


def pages_of_layout(
    trace: Trace, places: Array, settings: PageSettings | None = None
) -> PageReport:
    """What the same run would do if object n lay at `places[n]` throughout (0: left out).

    Only accesses to objects count, and no page is given back.
    """
    chosen = settings or PageSettings()
    model = _model(chosen)
    model.add_layout(trace.native, np.ascontiguousarray(places, np.uint64))
    return _report(model, chosen)


def pages_of_addresses(
    address: Array,
    size: Array | None = None,
    side: Array | None = None,
    settings: PageSettings | None = None,
) -> PageReport:
    """What references to these addresses do to pages; nothing is known of live data."""
    chosen = settings or PageSettings()
    model = _model(chosen)
    model.touch(*columns(address, size, side))
    return _report(model, chosen)


def _model(settings: PageSettings) -> Any:
    return native_module().PageModel(settings.exact_from, _MOST_STEPS)


def _report(model: Any, settings: PageSettings) -> PageReport:
    use = model.use()
    of_shares = (max(1, round(share * use["most_in_use"])) for share in settings.shares)
    memories = np.array([*settings.memories, *of_shares], np.uint32)
    curve = model.curve(memories, settings.buffer_pages, settings.group_pages)
    prefetch = [
        Prefetch(memory, row[0] + row[1], row[2] + row[3])
        for memory, row in zip(memories.tolist(), curve.pop("prefetch"), strict=True)
    ]
    return PageReport(
        use=PageUse(use["in_use"], use["most_in_use"], use["live_bytes"], use["most_live_bytes"]),
        frames=curve,
        prefetch=prefetch,
        exact_from=use["exact_from"],
        touches=use["touches"],
        steps=use["steps"],
    )
