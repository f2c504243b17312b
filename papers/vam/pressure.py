"""Feng, Berger: *A Locality-Improving Dynamic Memory Allocator* (Vam), MSP 2005, figure 7.

Run time over the memory that there is. Where the machine cannot limit memory, figures 6, 8 and 9
stand in: the pages that memories of every size would miss, simulated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from abut.bench import Request
from abut.heaps import Heap, require_heap
from abut.measure.memory_limit import LimitedRun, obstacle, run_limited
from abut.measure.workload import Workload
from abut.reporters.grid import grid
from abut.reporters.plot import check_format
from abut.reporters.units import amount
from abut_papers.common.kept import fingerprint, kept
from abut_papers.common.recordings import heaps, workloads
from abut_papers.vam import bench as vam

ABOUT = "Vam's figure 7: run time over the memory that there is"
PROGRAMS = ("perl-hashes", "sqlite", "lua-tables")
HEAPS = ("lea", "phk", "vam", "glibc", "abut")
SHARES = (0.7, 0.8, 0.9, 1.0, 1.3)  # of lea's most resident memory
TIMEOUT_S = 60.0

Cells = Sequence[LimitedRun | None]


@dataclass(frozen=True, slots=True)
class PressureResult:
    """`runs[program][heap]` by memory, in the order of `memories[program]`, in bytes; None where
    the program did not get through in time.
    """

    memories: Mapping[str, Sequence[int]]
    runs: Mapping[str, Mapping[str, Cells]]

    def verdict(self) -> list[str]:
        """Who reads the fewest pages back with the least memory that is enough for one heap."""
        return [_verdict(name, self.memories[name], rows) for name, rows in self.runs.items()]

    def tables(self) -> list[Table]:
        """Two tables a program, a row a heap, a column a memory: seconds, and pages read back."""
        return [
            table
            for name, rows in self.runs.items()
            for table in pressure_tables(name, self.memories[name], rows)
        ]

    def document(self) -> dict[str, Any]:
        """Seconds, by the clock and of the processor, and faults, by program, heap and memory."""
        return {
            "memories": self.memories,
            "runs": {
                name: {
                    heap: [asdict(cell) if cell else None for cell in cells]
                    for heap, cells in rows.items()
                }
                for name, rows in self.runs.items()
            },
        }

    def draw(self, path: Path) -> None:
        """A curve a heap, a plot a program."""
        draw(self.memories, self.runs, path)


@dataclass(frozen=True, slots=True)
class SimulatedResult(vam.VamResult):
    """The page simulation, and why it stands in."""

    reason: str = ""

    def verdict(self) -> list[str]:
        """The reason, and what the simulation found."""
        said = f"not measured: {self.reason}; simulated instead"
        # A dataclass with slots is created a second time, so that a bare super() would not find it.
        return [said, *vam.VamResult.verdict(self)]

    def document(self) -> dict[str, Any]:
        """The simulation's figures, and the reason."""
        return {"not_measured": self.reason, **vam.VamResult.document(self)}


def measure(request: Request) -> PressureResult | SimulatedResult:
    """Run every program with memories of every size, or simulate them."""
    if reason := obstacle():
        return SimulatedResult(vam.measure_pages(request), reason=reason)
    memories: dict[str, Sequence[int]] = {}
    runs: dict[str, dict[str, Cells]] = {}
    chosen = heaps(request)
    for workload in workloads(request):
        sizes = memories[workload.name] = _memories(request, workload)
        runs[workload.name] = {heap.name: _cells(request, workload, heap, sizes) for heap in chosen}
    return PressureResult(memories, runs)


def _memories(request: Request, workload: Workload) -> list[int]:
    """Shares of what the program has in memory at most under the heap that others are held to."""
    heap = require_heap(HEAPS[0])

    def measure() -> dict[str, Any]:
        return {"most": _most_resident(request, workload, heap)}

    name = f"{workload.name}-resident-{fingerprint(workload, [heap])}"
    most = kept(request, name, measure)["most"]
    return [int(share * most) for share in SHARES]


def _cells(request: Request, workload: Workload, heap: Heap, memories: Sequence[int]) -> Cells:
    """The program under one heap in every memory."""

    def measure() -> dict[str, Any]:
        request.progress(f"{workload.name} under {heap.name}, in less memory")
        runs = [run_limited(workload, heap, memory, TIMEOUT_S) for memory in memories]
        return {"runs": [asdict(run) if run else None for run in runs]}

    mark = fingerprint(workload, [heap], memories, TIMEOUT_S)
    cells = kept(request, f"{workload.name}-{heap.name}-pressure-{mark}", measure)["runs"]
    return [LimitedRun(**cell) if cell else None for cell in cells]


def _most_resident(request: Request, workload: Workload, heap: Heap) -> float:
    from abut.measure.counters import available
    from abut.measure.interleave import Interleaver
    from abut.measure.measurement import Comparison, Measurement, Plan

    comparison = Comparison(Plan(1, 0, 1), [heap], [], available())
    measurement = Measurement(workload)
    interleaver = Interleaver([heap], comparison.plan, (), heap.name)
    interleaver.measure(
        measurement, lambda _: request.progress(f"{workload.name} under {heap.name}")
    )
    (sample,) = measurement.samples[heap.name]
    return float(sample.peak_rss_bytes)


def _verdict(name: str, memories: Sequence[int], rows: Mapping[str, Cells]) -> str:
    for at, memory in enumerate(memories):
        ran = {heap: cell for heap, row in rows.items() if (cell := row[at]) is not None}
        if ran:
            best = min(ran, key=lambda heap: ran[heap].major_faults)
            return (
                f"{name}: in {memory / (1 << 20):.1f} MiB {len(ran)} of {len(rows)} heaps get "
                f"through, and {best} reads the fewest pages back"
            )
    return f"{name}: no heap gets through in any memory"


_COLUMN_INCHES, _ROW_INCHES = 4.0, 3.0


def pressure_tables(name: str, memories: Sequence[int], rows: Mapping[str, Cells]) -> list[Table]:
    """A row a heap, a column a memory; a dash where the program did not get through."""
    return [
        _table(f"{name}: time over memory (figure 7)", memories, rows, _seconds),
        _table(f"{name}: pages read back from swap", memories, rows, _faults),
    ]


def _seconds(run: LimitedRun) -> str:
    return amount(run.seconds, "s")


def _faults(run: LimitedRun) -> str:
    return amount(run.major_faults, "")


def _table(
    title: str,
    memories: Sequence[int],
    rows: Mapping[str, Cells],
    text: Callable[[LimitedRun], str],
) -> Table:
    table = grid(title, ["heap", *(amount(memory, "B") for memory in memories)])
    for heap, row in rows.items():
        table.add_row(heap, *(text(cell) if cell else "-" for cell in row))
    return table


def draw(
    memories: Mapping[str, Sequence[int]], runs: Mapping[str, Mapping[str, Cells]], path: Path
) -> None:
    """Seconds above, pages read back below; a column a program, a curve a heap."""
    from matplotlib.figure import Figure

    check_format(path)
    size = (_COLUMN_INCHES * len(runs) + 1, 2 * _ROW_INCHES)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(2, len(runs), squeeze=False)
    for column, (name, rows) in enumerate(runs.items()):
        sizes = [memory / (1 << 20) for memory in memories[name]]
        for heap, cells in rows.items():
            known = [(at, cell) for at, cell in zip(sizes, cells, strict=True) if cell]
            places = [at for at, _ in known]
            grid[0][column].plot(places, [cell.seconds for _, cell in known], "o-", label=heap)
            faults = [cell.major_faults for _, cell in known]
            grid[1][column].plot(places, faults, "o-", label=heap)
        grid[0][column].set_title(name, parse_math=False)
        grid[1][column].set_yscale("symlog", linthresh=10)
        grid[1][column].set_xlabel("memory, MiB")
    grid[0][0].set_ylabel("seconds")
    grid[1][0].set_ylabel("pages read back")
    grid[0][0].legend(fontsize="x-small")
    figure.savefig(path, dpi=150)
