"""Everything that a comparison has measured, before any statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from abut.heaps import Heap, MissingHeap
from abut.measure.counters import Availability
from abut.measure.output import Difference
from abut.measure.sample import Sample
from abut.measure.workload import Workload


@dataclass(frozen=True, slots=True)
class Plan:
    """How often to run: `runs` measured and `warmup` unmeasured ones of each heap, in rounds whose
    order is drawn from `seed`. With `counts_instructions`, one more run of each is counted.
    """

    runs: int
    warmup: int
    seed: int
    counts_instructions: bool = False


@dataclass(slots=True)
class Measurement:
    """One program's runs. `samples` holds them by heap, in the order in which they were made."""

    workload: Workload
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A benchmark that was not run, and why; with `broken`, it was there and failed."""

    name: str
    reason: str
    broken: bool = False


@dataclass(slots=True)
class Comparison:
    """A whole comparison: what was asked for, what was there, and what came of it."""

    plan: Plan
    heaps: Sequence[Heap]
    missing: Sequence[MissingHeap]
    counters: Availability
    suite: str | None = None
    measurements: list[Measurement] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    interrupted: bool = False

    @property
    def reference(self) -> str:
        """The heap that ratios are given to: glibc's where it takes part, else the first."""
        names = [heap.name for heap in self.heaps]
        return "glibc" if "glibc" in names else names[0]

    def differences(self) -> Mapping[str, Sequence[Difference]]:
        """By program, the heaps under which it did something else."""
        return {m.workload.name: m.differences for m in self.measurements if m.differences}
