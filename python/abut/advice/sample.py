"""A part of a run looked at closely: who waits how long for memory, and what lies on the lines.

Only the program's own accesses: an allocator's belong to the layout that it made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abut.simulation.caches import Caches, Simulator, Utilisation
from abut.simulation.jobs import core_of
from abut.simulation.levels import lost_cycles
from abut.simulation.presets import Preset
from abut.simulation.replay import Layout, feed_by_context
from abut.simulation.run_document import padded
from abut.simulation.survey import pages_like
from abut.simulation.windows import Windows, windows_of
from abut.trace.native import Array, failures, native_module
from abut.trace.reader import Trace

ACCESSES = 8_000_000  # of longer runs, that many, in windows
FIELDS = 65  # words of 8 bytes; the last has what lies behind
SETS = 64  # groups of sets, at most


@dataclass(frozen=True, slots=True)
class Waits:
    """Cycles in all, and those that each context's accesses wait for beyond computing: all, for
    addresses that come from memory, for page tables; misses by level and context; of the pages that
    they bring in, how many bytes and how many of these are used.
    """

    total: float
    accesses: int
    by_context: Array
    dependence: Array
    walks: Array
    misses: list[Array]
    page_brought: Array
    page_used: Array


class Sample:
    """A part of a trace, to be simulated again and again under layouts that it never had."""

    def __init__(self, trace: Trace, preset: Preset, windows: Windows | None = None) -> None:
        self.trace, self.preset = trace, preset
        self.windows = windows_of(trace, ACCESSES) if windows is None else windows
        self.contexts = len(trace.contexts()) + 1

    @cached_property
    def waits(self) -> Waits:
        """The run as it was."""
        caches, core = Caches(self.preset.levels), core_of(self.preset, self.trace)
        pages = Utilisation(pages_like(self.preset))
        self._feed("recorded", [caches, pages, *([core] if core else [])])
        misses = [padded(level.misses_by_owner, self.contexts) for level in caches.counts()]
        accesses = sum(caches.references)
        found = pages.counts()
        brought = padded(found.lines_by_owner, self.contexts) * found.line_bytes
        use = brought, padded(found.used_bytes_by_owner, self.contexts)
        if core is None:
            lost = np.asarray(lost_cycles(misses, self.preset.levels, self.preset.memory_cycles))
            nothing = np.zeros(self.contexts)
            total = self._without_core(caches)
            return Waits(total, accesses, lost.astype(np.float64), nothing, nothing, misses, *use)
        columns = [padded(one, self.contexts) for one in core.native.waits_by_owner()]
        every, dependence, walks = columns
        return Waits(core.time().total, accesses, every, dependence, walks, misses, *use)

    def cycles(self, layout: Layout, preset: Preset | None = None) -> float:
        """What the part takes under a layout; `preset`: of another machine."""
        if core := core_of(preset or self.preset, self.trace):
            self._feed(layout, [core])
            return core.time().total
        caches = Caches(self.preset.levels)
        self._feed(layout, [caches])
        return self._without_core(caches)

    @property
    def variants(self) -> list[Preset]:
        """The same machine without prefetchers, and with memory twice as fast."""
        core = self.preset.core
        if core is None:
            return []
        plain = replace(core, stream=0, next=0, stride=0, adjacent=False)
        faster = max(self.preset.memory_cycles / 2, self.preset.levels[-1].cycles)
        return [
            replace(self.preset, core=plain),
            replace(self.preset, memory_cycles=faster),
        ]

    @cached_property
    def closeup(self) -> "Closeup":
        """What lies on the lines of the first level."""
        level = self.preset.levels[0]
        lines = max(1, level.capacity // 64)
        ways = min(level.ways or 16, lines)
        sets = max(1, lines // ways)
        with failures():
            native = native_module().Closeup(self.trace.native, list(self.windows), sets, ways)
        return Closeup(native, self.contexts, min(sets, SETS))

    def _feed(self, layout: Layout, simulators: list[Simulator]) -> None:
        feed_by_context(self.trace, simulators, layout, side="application", windows=self.windows)

    def _without_core(self, caches: Caches) -> float:
        misses = [level.total_misses for level in caches.counts()]
        lost = float(lost_cycles(misses, self.preset.levels, self.preset.memory_cycles))
        return lost + sum(caches.references) * self.preset.levels[0].cycles


class Closeup:
    """Columns by context, from 0, in words of 8 bytes; see src/workbench/survey."""

    def __init__(self, native: Any, contexts: int, sets: int) -> None:
        self._native, self._contexts, self._sets = native, contexts, sets
        columns: Mapping[str, Array] = native.lines()
        self._columns = columns
        self.mates = native.mates()
        truly, falsely, self.sharing_pairs = native.sharing()
        self.true_sharing = padded(truly, contexts)
        self.false_sharing = padded(falsely, contexts)

    def sum_of(self, name: str, contexts: list[int]) -> int:
        """A number over contexts: lines, used, own, alike, others, straddled."""
        column = padded(self._columns[name], self._contexts)
        return int(column[contexts].sum())

    def row_of(self, name: str, contexts: list[int], width: int = FIELDS) -> Array:
        """A row over contexts: uses or by_field, by word; by_set, of the first `width` groups."""
        table = self._columns[name].reshape(-1, width)
        there = [one for one in contexts if one < len(table)]
        return np.asarray(table[there].sum(axis=0))

    def crowded(self, contexts: list[int]) -> float:
        """The share of the misses that are in an eighth of the sets."""
        misses = np.sort(self.row_of("by_set", contexts, SETS))[::-1]
        return float(misses[: max(1, self._sets // 8)].sum() / max(1, misses.sum()))

    def visits(self, contexts: list[int]) -> list[tuple[int, int]]:
        """Sets of words that are used together, as bits, and how often; the most frequent first."""
        sums: dict[int, int] = {}
        for context in contexts:
            for words, visits in self._native.visits(context):
                sums[words] = sums.get(words, 0) + visits
        return sorted(sums.items(), key=lambda one: -one[1])
