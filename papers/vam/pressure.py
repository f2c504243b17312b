"""Feng and Berger's figure 7: run time and pages read back over the memory that there is.

The program's most live data take up 100, 90 ... 50 % of a memory; what the process has beside its
heap fits, too. Where the machine cannot limit memory, figure 8, simulated, is what there is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from rich.table import Table

from abut.heaps import Heap
from abut.measure.memory_limit import LimitedRun, obstacle, run_limited
from abut.measure.workload import Workload
from abut.papers import Claim, Request
from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut_papers.allocators.figures import reference_of
from abut_papers.allocators.program_runs import ProgramRuns
from abut_papers.common.kept import fingerprint, kept
from abut_papers.common.recordings import heaps, workloads

# Of a memory, how much the most live data is: figures 7 and 8.
REACHABLE = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
TIMEOUT_S = 20.0
_HEAPS = ("lea", "phk", "phk-sc", "vam", "xalloc", "abut")  # the figure's, and ours
# Which pages most in little memory: section 4.5.
_THEIRS = {"lea": "more than vam", "vam": "least", "xalloc": "by far the most"}
_SHOWN: Mapping[str, Callable[[LimitedRun], str]] = {
    "time over memory": lambda run: amount(run.seconds, "s"),
    "pages read back": lambda run: amount(run.major_faults, ""),
}

Cells = Sequence[LimitedRun | None]


@dataclass(frozen=True, slots=True)
class Pressure:
    """`runs[program][heap]` by memory, in the order of `memories[program]`, in bytes; None where
    the program did not get through in time. `reason`: why nothing could be measured.
    """

    memories: Mapping[str, Sequence[int]]
    runs: Mapping[str, Mapping[str, Cells]]
    reason: str = ""

    def claims(self) -> list[Claim]:
        """What all programs read back in the memory that their live data fill."""
        if self.reason:
            where = "figure 7: time in little memory"
            return [Claim(where, "measured", "not measured", self.reason)]
        found = []
        for heap, theirs in _THEIRS.items():
            if not (least := [rows[heap][0] for rows in self.runs.values() if heap in rows]):
                continue
            ended = [run.major_faults for run in least if run]
            slow = f", {len(least) - len(ended)} not in time" if len(ended) < len(least) else ""
            ours = f"{amount(sum(ended), '')}{slow}"
            found.append(Claim(f"figure 7: pages read back, all programs: {heap}", theirs, ours))
        return found

    def tables(self) -> list[Table]:
        """Two tables a program, a row a heap, a column a memory: seconds, and pages read back. A
        dash where the program did not get through.
        """
        return [
            grid(
                f"{name}: {title} (figure 7)",
                ["heap", *(amount(memory, "B") for memory in self.memories[name])],
                (
                    [heap, *(text(cell) if cell else "-" for cell in row)]
                    for heap, row in of.items()
                ),
            )
            for name, of in self.runs.items()
            for title, text in _SHOWN.items()
        ]

    def document(self) -> dict[str, Any]:
        """Seconds, by the clock and of the processor, and faults, by program, heap and memory."""
        found = asdict(self)
        return {"not_measured": found.pop("reason"), **found}


def measure(request: Request, known: Sequence[ProgramRuns]) -> Pressure:
    """Run every program, of which the demand is known, with memories of every size."""
    if reason := obstacle():
        return Pressure({}, {}, reason)
    memories: dict[str, Sequence[int]] = {}
    runs: dict[str, dict[str, Cells]] = {}
    by_name = {one.program: one for one in known}
    chosen = heaps(replace(request, heaps=[one for one in request.heaps if one in _HEAPS]))
    for workload in workloads(request):
        if (program := by_name.get(workload.name)) is None:
            continue
        sizes = memories[workload.name] = _memories(program, quick=request.quick)
        runs[workload.name] = {heap.name: _cells(request, workload, heap, sizes) for heap in chosen}
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
