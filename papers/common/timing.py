"""A program under several heaps, in turn: what papers time."""

from collections.abc import Sequence

from abut.errors import AbutError
from abut.heaps import Heap
from abut.measure import session
from abut.measure.counters import available
from abut.measure.measurement import Comparison, Measurement, Plan
from abut.measure.workload import Workload
from abut.reporters.progress import QuietWatcher


def timed(workload: Workload, chosen: Sequence[Heap], plan: Plan) -> Measurement:
    """The rounds of a plan, each in an order of its own. Raises AbutError where nothing could be
    measured. Half of the rounds are no measurement: what interrupts them is raised, too.
    """
    comparison = Comparison(plan, chosen, [], available())
    session.compare(comparison, [session.Task(workload.name, lambda: workload)], QuietWatcher())
    if comparison.interrupted:
        raise KeyboardInterrupt
    if not comparison.measurements:
        reasons = "; ".join(one.reason for one in comparison.left_out)
        raise AbutError(f"{workload.name}: not measured: {reasons}")
    return comparison.measurements[0]


def timed_alike(workload: Workload, chosen: Sequence[Heap], plan: Plan) -> Measurement:
    """The same where the program must do the same under all heaps."""
    measurement = timed(workload, chosen, plan)
    for one in measurement.differences:
        raise AbutError(f"{workload.name} under {one.heap}: {one.problem}")
    return measurement
