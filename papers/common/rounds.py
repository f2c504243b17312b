"""Programs under heaps, timed: rounds in an order of their own, kept until something changes."""

from collections.abc import Callable, Sequence
from typing import Any

from abut.errors import AbutError
from abut.heaps import Heap
from abut.measure.counters import available
from abut.measure.interleave import Interleaver
from abut.measure.measurement import Measurement, Plan
from abut.measure.sample import CPU, WALL, Sample
from abut.measure.workload import Workload
from abut.papers import Request
from abut_papers.common.kept import fingerprint, kept

_SEED = 1
# The processor's seconds are of all processes that the run has.
_FIGURES: dict[str, Callable[[Sample], float]] = {
    "seconds": lambda one: (CPU.of(one) or 0.0) + one.others_s,
    "wall": lambda one: WALL.of(one) or 0.0,
    "resident": lambda one: float(one.peak_rss_bytes),
}


def rounds_of(
    request: Request,
    workload: Workload,
    chosen: Sequence[Heap],
    most: int,
    *settings: object,
    alike: bool = False,
) -> dict[str, Any]:
    """By figure and heap, a value a round. A heap under which the program does something else is
    left out; where it must do the same under all, that is an AbutError. There are `most` rounds, or
    one of a quick request. `settings`: what else they depend on.
    """
    runs = 1 if request.quick else most

    def measure() -> dict[str, Any]:
        request.progress(f"running {workload.name}")
        measurement = Measurement(workload)
        interleaver = Interleaver(chosen, Plan(runs, 0, _SEED), available().events, chosen[0].name)
        # Half of the rounds are no measurement: what interrupts them goes on.
        interleaver.measure(measurement, lambda _: None)
        failed = {one.heap: one.problem for one in measurement.differences}
        for heap in failed if alike else ():
            raise AbutError(f"{workload.name} under {heap}: {failed[heap]}")
        samples = {heap: of for heap, of in measurement.samples.items() if heap not in failed}
        found = {
            name: {heap: [figure(one) for one in of] for heap, of in samples.items()}
            for name, figure in _FIGURES.items()
        }
        return {**found, "failed": failed}

    mark = fingerprint(workload, chosen, runs, *settings)
    found = kept(request, f"{workload.name}-rounds-{mark}", measure)
    for heap, why in found["failed"].items():
        request.leave_out(f"{workload.name} timed under {heap}", why)
    return found | {
        name: {heap: request.counting(rounds) for heap, rounds in found[name].items()}
        for name in _FIGURES
    }
