"""A comparison as tables for a terminal: one of a single program's heaps, one of a suite's."""

import shlex
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from abut.measure.sample import ALWAYS_SHOWN, COUNTERS, Figure
from abut.measure.statistics import FEWEST
from abut.measure.summary import Mean, ProgramSummary, Summary
from abut.reporters.grid import grid
from abut.reporters.units import amount, ratio_text, ratio_with_interval, with_interval

_BEST = "bold green"
_DIFFERENT = "bold red"


def tables(summary: Summary, figures: Sequence[Figure]) -> list[Table]:
    """All that there is to show: of a suite, a table for each of `figures`, then the means."""
    if summary.comparison.suite is None:
        return [program_table(summary, program, figures) for program in summary.programs]
    if not summary.programs:
        return []
    return [*(suite_table(summary, figure) for figure in figures), means_table(summary, figures)]


def program_table(summary: Summary, program: ProgramSummary, asked: Sequence[Figure]) -> Table:
    """One row a heap; each figure's median, interval and ratios to the reference and the best."""
    comparison = summary.comparison
    title = shlex.join(program.measurement.workload.argv)
    table = grid(title, ["heap"])
    figures = [figure for figure in _shown(asked) if figure.key in program.cells]
    for figure in figures:
        table.add_column(figure.title, justify="right")
    measured = program.measurement.samples
    for heap in (heap.name for heap in comparison.heaps if heap.name in measured):
        cells = [_program_cell(program, figure, heap) for figure in figures]
        table.add_row(_heap_text(program, heap), *cells)
    counts = [len(samples) for samples in measured.values()]
    table.caption = (
        f"{_median_words(min(counts), max(counts))}; "
        f"below it the ratio to {comparison.reference} / to the best"
    )
    return table


def suite_table(summary: Summary, figure: Figure) -> Table:
    """One row a benchmark, one column a heap: the ratio of `figure` to the reference heap's."""
    comparison = summary.comparison
    heaps = [heap.name for heap in comparison.heaps]
    table = grid(
        f"{figure.title} (ratio to {comparison.reference})",
        ["benchmark", f"{comparison.reference}'s own", *heaps],
    )
    for program in summary.programs:
        row = program.cells.get(figure.key, {})
        own = row.get(comparison.reference)
        cells = [_suite_cell(program, figure, heap) for heap in heaps]
        reference = amount(own.median.value, figure.unit) if own else "-"
        table.add_row(program.measurement.workload.name, reference, *cells)
    if means := summary.means.get(figure.key):
        table.add_section()
        _add_means(table, [means[heap] for heap in heaps], summary.counted)
    runs = comparison.plan.runs
    table.caption = f"± is half of the 95 % interval over {runs} runs"
    if runs < FEWEST:
        table.caption = f"{_runs(runs)}: too few for an interval, which takes {FEWEST}"
    return table


def means_table(summary: Summary, asked: Sequence[Figure]) -> Table:
    """One row a figure, one column a heap: the geometric mean of its ratios to the reference."""
    comparison = summary.comparison
    title = f"geometric means of {summary.counted} benchmarks (ratio to {comparison.reference})"
    table = grid(title, ["figure", *(heap.name for heap in comparison.heaps)])
    for figure in _shown(asked):
        if means := summary.means.get(figure.key):
            row = [means[heap.name] for heap in comparison.heaps]
            table.add_row(figure.title, *_mean_cells(row))
    return table


def _shown(asked: Sequence[Figure]) -> list[Figure]:
    return list(dict.fromkeys((*ALWAYS_SHOWN, *asked, *COUNTERS)))


def _mean_cells(means: Sequence[Mean]) -> list[Text]:
    values = [mean.to_reference.value for mean in means if mean.to_reference]
    least = min(values, default=None)
    return [
        Text(
            ratio_with_interval(mean.to_reference),
            _BEST if mean.to_reference and mean.to_reference.value == least else "",
        )
        for mean in means
    ]


def _add_means(table: Table, means: Sequence[Mean], counted: int) -> None:
    table.add_row(f"geometric mean of {counted}", "", *_mean_cells(means))
    table.add_row("  of ratios to the best", "", *(ratio_text(mean.to_best) for mean in means))
    worst = [f"{mean.worst_to_best:.2f}" if mean.worst_to_best else "-" for mean in means]
    table.add_row("furthest behind the best", "", *worst)
    table.add_row("  with", "", *(mean.worst_program or "-" for mean in means))


def _median_words(least: int, most: int) -> str:
    runs = _runs(most) if least == most else f"{least} to {_runs(most)}"
    if least < FEWEST:
        return f"median of {runs}, too few for an interval, which takes {FEWEST}"
    return f"median ±95 % interval of {runs}"


def _runs(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"


def _heap_text(program: ProgramSummary, heap: str) -> Text:
    return Text(heap, _DIFFERENT if _differs(program, heap) else "")


def _program_cell(program: ProgramSummary, figure: Figure, heap: str) -> Text:
    cell = program.cells[figure.key].get(heap)
    if cell is None:
        return Text("-")
    ratios = f"{ratio_text(cell.to_reference)} / {ratio_text(cell.to_best)}"
    style = _BEST if program.best(figure.key) == heap else ""
    return Text.assemble((with_interval(cell.median, figure.unit), style), "\n", (ratios, "dim"))


def _suite_cell(program: ProgramSummary, figure: Figure, heap: str) -> Text:
    if _differs(program, heap):
        return Text("differs", _DIFFERENT)
    cell = program.cells.get(figure.key, {}).get(heap)
    style = _BEST if cell and program.best(figure.key) == heap else ""
    return Text(ratio_with_interval(cell.to_reference if cell else None), style)


def _differs(program: ProgramSummary, heap: str) -> bool:
    return any(difference.heap == heap for difference in program.measurement.differences)
