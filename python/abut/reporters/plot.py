"""The charts of a comparison: groups of bars, with intervals."""

import math
from collections.abc import Mapping, Sequence

from abut.measure.sample import ALWAYS_SHOWN, Figure
from abut.measure.statistics import Estimate
from abut.measure.summary import Cell, Summary
from abut.reporters.charts import Chart


def charts_of(summary: Summary, figures: Sequence[Figure]) -> list[Chart]:
    """Of a suite, a chart for each figure, by benchmark. Of one program, one of every figure."""
    if summary.comparison.suite is None and len(summary.programs) == 1:
        program = summary.programs[0]
        rows = {each.title: program.cells.get(each.key, {}) for each in ALWAYS_SHOWN}
        return [_chart(summary, " ".join(program.measurement.workload.argv), rows)]
    return [
        _chart(
            summary,
            figure.title,
            {
                program.measurement.workload.name: program.cells.get(figure.key, {})
                for program in summary.programs
            },
        )
        for figure in figures
    ]


def _chart(summary: Summary, title: str, rows: Mapping[str, Mapping[str, Cell]]) -> Chart:
    comparison = summary.comparison
    ratios = {
        heap.name: {
            label: ratio
            for label, row in rows.items()
            if heap.name in row and (ratio := row[heap.name].to_reference)
        }
        for heap in comparison.heaps
    }
    return Chart(
        title,
        f"ratio to {comparison.reference} (less is better)",
        {heap: {label: one.value for label, one in of.items()} for heap, of in ratios.items()},
        level=1,
        errors={heap: [_beyond(one) for one in of.values()] for heap, of in ratios.items()},
    )


def _beyond(ratio: Estimate) -> tuple[float, float]:
    """How far the interval reaches below and above; NaN, which is not drawn, where it has none."""
    if ratio.low is None or ratio.high is None:
        return math.nan, math.nan
    return max(0.0, ratio.value - ratio.low), max(0.0, ratio.high - ratio.value)
