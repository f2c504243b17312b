"""Running one program under every heap in turn: A B C, B C A, …; never all of A and then all of B.

The order within each round is drawn again, so that no heap always follows the same other one.
"""

import dataclasses
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from abut.errors import AbutError, last_lines
from abut.heaps import Heap
from abut.measure.counters import Event
from abut.measure.instructions import counting, take_count
from abut.measure.measurement import Measurement, Plan
from abut.measure.output import OutputWatch, describe_exit
from abut.measure.sample import INSTRUCTIONS
from abut.measure.spawn import Run, run_once

_SHOWN_LINES = 3


def rounds(heaps: Sequence[Heap], plan: Plan) -> list[list[Heap]]:
    """The order of all runs, warm-up rounds first; the same for the same seed."""
    generator = random.Random(plan.seed)
    return [generator.sample(list(heaps), len(heaps)) for _ in range(plan.warmup + plan.runs)]


class Interleaver:
    """Measures programs under `heaps` by `plan`. `on_run` is called after each run."""

    def __init__(
        self, heaps: Sequence[Heap], plan: Plan, events: tuple[Event, ...], reference: str
    ) -> None:
        self._heaps = heaps
        self._plan = plan
        self._events = events
        self._reference = reference

    def measure(self, measurement: Measurement, on_run: Callable[[Heap], None]) -> None:
        """Fill `measurement` in; what it holds when KeyboardInterrupt passes through stays valid.

        Raises AbutError when the program fails under the reference heap in a suite.
        """
        workload = measurement.workload
        with tempfile.TemporaryDirectory(prefix="abut-compare-") as scratch:
            watch = OutputWatch(
                Path(scratch), self._reference, compare_output=workload.compare_output
            )
            try:
                for number, order in enumerate(rounds(self._heaps, self._plan)):
                    for heap in order:
                        self._add_run(measurement, heap, watch, Path(scratch), number)
                        on_run(heap)
                if self._plan.counts_instructions:
                    for heap in self._heaps:
                        self._count_instructions(measurement, heap, watch, Path(scratch))
                        on_run(heap)
            finally:
                measurement.differences = watch.differences()
                if not watch.is_repeatable():
                    note = f"prints something else each time under {self._reference}"
                    measurement.notes.append(f"{note}, so outputs were not compared")

    def _add_run(
        self, measurement: Measurement, heap: Heap, watch: OutputWatch, scratch: Path, number: int
    ) -> None:
        workload = measurement.workload
        stdout, stderr = scratch / "stdout", scratch / "stderr"
        run = run_once(workload.launch(heap, stdout, stderr, self._events))
        watch.add(heap.name, run.exit_code, stdout)
        if run.exit_code != 0 and workload.kind != "program" and heap.name == self._reference:
            said = last_lines(stderr.read_text(errors="replace"), _SHOWN_LINES)
            raise AbutError(
                f"{workload.name}: {describe_exit(run.exit_code)} under {heap.name}{said}"
            )
        _note(measurement, heap, run)
        if number >= self._plan.warmup:
            measurement.samples.setdefault(heap.name, []).append(run.sample)

    def _count_instructions(
        self, measurement: Measurement, heap: Heap, watch: OutputWatch, scratch: Path
    ) -> None:
        stdout, counts = scratch / "stdout", scratch / "counts"
        counts.mkdir(exist_ok=True)
        launch = measurement.workload.launch(heap, stdout, scratch / "stderr")
        run = run_once(counting(launch, counts))
        watch.add(heap.name, run.exit_code, stdout)
        samples = measurement.samples[heap.name]
        counters = {**samples[0].counters, INSTRUCTIONS.key: take_count(counts)}
        samples[0] = dataclasses.replace(samples[0], counters=counters)


def _note(measurement: Measurement, heap: Heap, run: Run) -> None:
    found = []
    if run.exit_code != 0:
        found.append(f"{describe_exit(run.exit_code)} under {heap.name}")
    if run.left_running:
        found.append(f"leaves {run.left_running} processes running under {heap.name}")
    measurement.notes.extend(note for note in found if note not in measurement.notes)
