"""Feng and Berger's figure 7: run time and pages read back over the memory that there is.

The program's most live data take up 100, 90 ... 50 % of a memory; what the process has beside its
heap fits, too. Where the machine cannot limit memory, figure 8, simulated, is what there is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from rich.table import Table

from abut.heaps import Heap
from abut.measure.memory_limit import LimitedRun, obstacle, run_limited
from abut.measure.workload import Workload
from abut.papers import Request
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.allocators.figures import reference_of
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.common.kept import fingerprint, kept
from abut_papers.common.recordings import heaps, workloads
from abut_papers.vam.figures import REACHABLE

TIMEOUT_S = 60.0

Cells = Sequence[LimitedRun | None]


@dataclass(frozen=True, slots=True)
class Pressure:
    """`runs[program][heap]` by memory, in the order of `memories[program]`, in bytes; None where
    the program did not get through in time. `reason`: why nothing could be measured.
    """

    memories: Mapping[str, Sequence[int]]
    runs: Mapping[str, Mapping[str, Cells]]
    reason: str = ""

    def tables(self) -> list[Table]:
        """Two tables a program, a row a heap, a column a memory: seconds, and pages read back."""
        return [
            _table(f"{name}: {title} (figure 7)", self.memories[name], rows, text)
            for name, rows in self.runs.items()
            for title, text in (("time over memory", _seconds), ("pages read back", _faults))
        ]

    def document(self) -> dict[str, Any]:
        """Seconds, by the clock and of the processor, and faults, by program, heap and memory."""
        return {
            "not_measured": self.reason,
            "memories": self.memories,
            "runs": {
                name: {
                    heap: [asdict(cell) if cell else None for cell in cells]
                    for heap, cells in rows.items()
                }
                for name, rows in self.runs.items()
            },
        }


def measure(request: Request, known: Sequence[ProgramRuns]) -> Pressure:
    """Run every program, of which the demand is known, with memories of every size."""
    if reason := obstacle():
        return Pressure({}, {}, reason)
    memories: dict[str, Sequence[int]] = {}
    runs: dict[str, dict[str, Cells]] = {}
    by_name = {one.program: one for one in known}
    for workload in workloads(request):
        if (program := by_name.get(workload.name)) is None:
            continue
        sizes = memories[workload.name] = _memories(program, quick=request.quick)
        runs[workload.name] = {
            heap.name: _cells(request, workload, heap, sizes) for heap in heaps(request)
        }
    return Pressure(memories, runs)


def _memories(program: ProgramRuns, *, quick: bool) -> list[int]:
    """What the process has beside its live data under the reference, and room for these."""
    resident = program.resident[reference_of(list(program.resident))]
    live = program.demand.most_live
    beside = max(0, int(median(resident)) - live)
    shares = REACHABLE[:: len(REACHABLE) - 1] if quick else REACHABLE
    return [beside + int(live / share) for share in shares]


def _cells(request: Request, workload: Workload, heap: Heap, memories: Sequence[int]) -> Cells:
    """The program under one heap in every memory."""

    def measure() -> dict[str, Any]:
        request.progress(f"{workload.name} under {heap.name}, in less memory")
        runs = [run_limited(workload, heap, memory, TIMEOUT_S) for memory in memories]
        return {"runs": [asdict(run) if run else None for run in runs]}

    mark = fingerprint(workload, [heap], memories, TIMEOUT_S)
    cells = kept(request, f"{workload.name}-{heap.name}-pressure-{mark}", measure)["runs"]
    return [LimitedRun(**cell) if cell else None for cell in cells]


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
    """A row a heap, a column a memory; a dash where the program did not get through."""
    table = grid(title, ["heap", *(amount(memory, "B") for memory in memories)])
    for heap, row in rows.items():
        table.add_row(heap, *(text(cell) if cell else "-" for cell in row))
    return table
