"""What a comparison says: each figure's median by program and heap, its ratios, and the means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abut.measure.measurement import Comparison, Measurement
from abut.measure.sample import FIGURES, Figure
from abut.measure.statistics import Estimate, geometric_mean, median, ratio


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one program under one heap. Ratios are None where there is nothing to divide
    by; `to_reference` is 1 for the reference heap itself, `to_best` for the best one.
    """

    median: Estimate
    to_reference: Estimate | None
    to_best: Estimate | None


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """One program: `cells[figure][heap]`, for the figures and heaps that have samples."""

    measurement: Measurement
    cells: Mapping[str, Mapping[str, Cell]]

    def best(self, figure: str) -> str | None:
        """The heap with the least of `figure`."""
        row = self.cells.get(figure, {})
        return min(row, key=lambda heap: row[heap].median.value, default=None)


@dataclass(frozen=True, slots=True)
class Mean:
    """One heap over all programs: the geometric mean of its ratios, and its worst showing."""

    to_reference: Estimate | None
    to_best: Estimate | None
    worst_to_best: float | None
    worst_program: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole comparison: its programs, and `means[figure][heap]` over those that every heap
    has run, and that did the same under each (`counted` of them).
    """

    comparison: Comparison
    programs: Sequence[ProgramSummary]
    means: Mapping[str, Mapping[str, Mean]]
    counted: int


def summarise(comparison: Comparison) -> Summary:
    """Compute every median, ratio and mean of `comparison`, and their intervals."""
    programs = [
        _program(measurement, comparison.reference, comparison.plan.seed)
        for measurement in comparison.measurements
        if measurement.samples
    ]
    heaps = [heap.name for heap in comparison.heaps]
    # A program that one heap ends early would count as fast there.
    whole = [
        program
        for program in programs
        if set(program.measurement.samples) == set(heaps) and not program.measurement.differences
    ]
    means = {
        figure.key: {heap: _mean(whole, figure.key, heap) for heap in heaps}
        for figure in FIGURES
        if any(figure.key in program.cells for program in whole)
    }
    return Summary(comparison, programs, means, len(whole))


def _program(measurement: Measurement, reference: str, seed: int) -> ProgramSummary:
    cells = {}
    for figure in FIGURES:
        medians = _medians(measurement, figure, seed)
        if medians:
            cells[figure.key] = _cells(medians, reference)
    return ProgramSummary(measurement, cells)


def _medians(measurement: Measurement, figure: Figure, seed: int) -> dict[str, Estimate]:
    found = {}
    for heap, samples in measurement.samples.items():
        values = [value for sample in samples if (value := figure.of(sample)) is not None]
        if values:
            found[heap] = median(values, seed)
    return found


def _cells(medians: Mapping[str, Estimate], reference: str) -> dict[str, Cell]:
    best = min(medians.values(), key=lambda estimate: estimate.value)
    against = medians.get(reference)
    return {
        heap: Cell(own, ratio(own, against) if against else None, ratio(own, best))
        for heap, own in medians.items()
    }


def _mean(programs: Sequence[ProgramSummary], figure: str, heap: str) -> Mean:
    named = [
        (program.measurement.workload.name, program.cells[figure][heap])
        for program in programs
        if heap in program.cells.get(figure, {})
    ]
    to_best = {name: cell.to_best for name, cell in named if cell.to_best}
    worst = max(to_best, key=lambda name: to_best[name].value, default=None)
    return Mean(
        geometric_mean([cell.to_reference for _, cell in named if cell.to_reference]),
        geometric_mean(list(to_best.values())),
        to_best[worst].value if worst else None,
        worst,
    )
