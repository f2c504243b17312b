"""Feng, Berger: *A Locality-Improving Dynamic Memory Allocator* (Vam), MSP 2005, figure 7.

Run time over the memory that there is. Where the machine cannot limit memory, figures 6, 8 and 9
stand in: the pages that memories of every size would miss, simulated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.measure.memory_limit import obstacle, run_limited
from abut.papers import vam
from abut.papers.paper import Request
from abut.papers.recordings import heaps, workloads

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "Vam's figure 7: run time over the memory that there is"
PROGRAMS = ("perl-hashes", "sqlite", "lua-tables")
HEAPS = ("lea", "phk", "vam", "glibc", "abut")
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.2)  # of lea's most resident memory
TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class PressureResult:
    """`seconds[program][heap]` by memory, in the order of `memories[program]`, in bytes."""

    memories: Mapping[str, Sequence[int]]
    seconds: Mapping[str, Mapping[str, Sequence[float | None]]]

    def verdict(self) -> list[str]:
        """Who is the fastest with the least memory that all could run in."""
        return [_verdict(name, self.memories[name], rows) for name, rows in self.seconds.items()]

    def tables(self) -> "list[Table]":
        """A table a program, a row a heap, a column a memory."""
        from abut.reporters.pressure import pressure_table

        return [
            pressure_table(name, self.memories[name], rows) for name, rows in self.seconds.items()
        ]

    def document(self) -> dict[str, Any]:
        """Seconds by program, heap and memory."""
        return {"memories": self.memories, "seconds": self.seconds}

    def draw(self, path: Path) -> None:
        """A curve a heap, a plot a program."""
        from abut.reporters.pressure import draw

        draw(self.memories, self.seconds, path)


@dataclass(frozen=True, slots=True)
class SimulatedResult(vam.VamResult):
    """The page simulation, and why it stands in."""

    reason: str = ""

    def verdict(self) -> list[str]:
        """The reason, and what the simulation found."""
        said = f"not measured: {self.reason}; simulated instead"
        # A dataclass with slots is made anew, so that a bare super() would not find it.
        return [said, *vam.VamResult.verdict(self)]

    def document(self) -> dict[str, Any]:
        """The simulation's figures, and the reason."""
        return {"not_measured": self.reason, **vam.VamResult.document(self)}


def measure(request: Request) -> PressureResult | SimulatedResult:
    """Run every program with memories of every size, or simulate them."""
    if reason := obstacle():
        return SimulatedResult(vam.measure_pages(request), reason=reason)
    memories: dict[str, list[int]] = {}
    seconds: dict[str, dict[str, list[float | None]]] = {}
    chosen = heaps(request)
    for workload in workloads(request):
        most = _most_resident(request, workload.name)
        memories[workload.name] = [int(share * most) for share in SHARES]
        seconds[workload.name] = {
            heap.name: [
                run_limited(workload, heap, memory, TIMEOUT_S) for memory in memories[workload.name]
            ]
            for heap in chosen
        }
    return PressureResult(memories, seconds)


def _most_resident(request: Request, program: str) -> float:
    """What the program has in memory at most under the heap that the sizes are shares of."""
    from abut.heaps import require_heap
    from abut.measure.counters import available
    from abut.measure.interleave import Interleaver
    from abut.measure.measurement import Comparison, Measurement, Plan

    heap = require_heap(HEAPS[0])
    comparison = Comparison(Plan(1, 0, 1), [heap], [], available())
    (workload,) = (one for one in workloads(request) if one.name == program)
    measurement = Measurement(workload)
    interleaver = Interleaver([heap], comparison.plan, (), heap.name)
    interleaver.measure(measurement, lambda _: request.tell(f"{program} under {heap.name}"))
    (sample,) = measurement.samples[heap.name]
    return float(sample.peak_rss_bytes)


def _verdict(name: str, memories: Sequence[int], rows: Mapping[str, Sequence[float | None]]) -> str:
    for at, memory in enumerate(memories):
        ran = {heap: taken for heap, row in rows.items() if (taken := row[at]) is not None}
        if len(ran) == len(rows):
            best = min(ran, key=lambda heap: ran[heap])
            return f"{name}: in {memory / (1 << 20):.1f} MiB {best} is the fastest"
    return f"{name}: some heap fails in every memory"
