"""The papers' allocators, run: Feng and Berger's table 1 and figures 2 to 5, and Rezaei and Kavi's
separation on two real cores.
"""

from collections.abc import Sequence
from dataclasses import replace

from abut.errors import AbutError
from abut.measure.workload import Workload
from abut.papers import Request
from abut_papers.allocators.program_runs import ProgramRuns, runs_of
from abut_papers.allocators.tables import AllocatorsResult
from abut_papers.common.recordings import recorded_workloads, workloads

VAM_HEAPS = (
    *("lea", "phk", "phk-sc", "phk-reap", "phk-sc-reap", "vam", "vam-header", "vam-bitmap"),
    *("xalloc", "glibc", "abut"),
)
SERVED_HEAPS = tuple(
    f"{server}{heap}"
    for heap in ("lea", "abt", "phk")
    for server in ("", "offload:", "offload-process:")
)


def measure_with_misses(request: Request) -> AllocatorsResult:
    """Run every program under every heap, in turn; and record each once, and simulate the misses of
    the allocators' layouts.
    """
    return _measure(request, recorded_workloads(request))


def measure_served(request: Request, served: Sequence[str] = SERVED_HEAPS) -> AllocatorsResult:
    """Run the request's programs under heaps in line and served from elsewhere."""
    return _measure(replace(request, heaps=served), [None] * len(request.programs))


def _measure(request: Request, recorded: Sequence[Workload | None]) -> AllocatorsResult:
    pairs = zip(workloads(request), recorded, strict=True)
    programs = [runs for pair in pairs if (runs := _runs_of(request, *pair))]
    return AllocatorsResult(programs, list(dict.fromkeys(request.heaps)))


def _runs_of(request: Request, workload: Workload, recorded: Workload | None) -> ProgramRuns | None:
    try:
        return runs_of(request, workload, recorded)
    except AbutError as error:
        request.leave_out(workload.name, str(error))
        return None
