"""A comparison from beginning to end: every program, under every heap, with what went wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abut.errors import AbutError, NotHere
from abut.measure.interleave import Interleaver
from abut.measure.measurement import Comparison, LeftOut, Measurement
from abut.measure.workload import Workload

# Called as a comparison proceeds: a run of a program has ended under a heap; or, with no heap, its
# input is being prepared, and it is next.
Watcher = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A program to measure; `prepare` makes its inputs and may raise AbutError, which is NotHere
    where the machine merely lacks something that the program needs.
    """

    name: str
    prepare: Callable[[], Workload]


def compare(comparison: Comparison, tasks: Sequence[Task], watcher: Watcher) -> None:
    """Measure every task into `comparison`. On Ctrl-C it stops and keeps what there is."""
    interleaver = Interleaver(
        comparison.heaps, comparison.plan, comparison.counters.events, comparison.reference
    )
    try:
        for task in tasks:
            watcher(task.name, "")
            _measure(comparison, task, interleaver, watcher)
    except KeyboardInterrupt:
        comparison.interrupted = True


def _measure(
    comparison: Comparison, task: Task, interleaver: Interleaver, watcher: Watcher
) -> None:
    try:
        measurement = Measurement(task.prepare())
    except AbutError as error:
        broken = not isinstance(error, NotHere)
        comparison.left_out.append(LeftOut(task.name, str(error), broken))
        return
    comparison.measurements.append(measurement)
    try:
        interleaver.measure(measurement, lambda heap: watcher(task.name, heap.name))
    except AbutError as error:
        comparison.measurements.remove(measurement)
        comparison.left_out.append(LeftOut(task.name, str(error), broken=True))
