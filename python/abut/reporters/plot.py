"""The chart of a comparison, as a picture: groups of bars."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abut.errors import AbutError
from abut.measure.sample import ALWAYS_SHOWN, Figure
from abut.measure.statistics import Estimate
from abut.measure.summary import Cell, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
_GROUP_INCHES, _BAR_SHARE = 1.1, 0.8


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart: for each heap, one ratio (or none) above each label."""

    title: str
    labels: Sequence[str]
    ratios: Mapping[str, Sequence[Estimate | None]]
    reference: str


def check_format(path: Path) -> None:
    """Raise AbutError when no picture can be written as `path` says, before anything is run."""
    if path.suffix.lower() not in FORMATS:
        raise AbutError(
            f"{path}: not a format that plots are written in",
            fix=f"end the name in {' or '.join(FORMATS)}",
        )
    try:
        import matplotlib  # noqa: F401 (is it there?)
    except ImportError as error:
        raise AbutError(
            "plots need matplotlib, which is not installed", fix="pip install 'abut[plot]'"
        ) from error


def charts_of(summary: Summary, figures: Sequence[Figure]) -> list[Bars]:
    """Of a suite, a chart for each figure, by benchmark. Of one program, one of every figure."""
    if summary.comparison.suite is None and len(summary.programs) == 1:
        program = summary.programs[0]
        rows = [(each.title, program.cells.get(each.key, {})) for each in ALWAYS_SHOWN]
        return [_bars(summary, " ".join(program.measurement.workload.argv), rows)]
    return [
        _bars(
            summary,
            figure.title,
            [
                (program.measurement.workload.name, program.cells.get(figure.key, {}))
                for program in summary.programs
            ],
        )
        for figure in figures
    ]


def _bars(summary: Summary, title: str, rows: Sequence[tuple[str, Mapping[str, Cell]]]) -> Bars:
    ratios = {
        heap.name: [row[heap.name].to_reference if heap.name in row else None for _, row in rows]
        for heap in summary.comparison.heaps
    }
    return Bars(title, [label for label, _ in rows], ratios, summary.comparison.reference)


def draw(charts: Sequence[Bars], path: Path) -> None:
    """Write the charts to `path`, one below the other, as PNG or SVG by its suffix."""
    from matplotlib.figure import Figure as Canvas

    width = max(6.0, _GROUP_INCHES * max(len(bars.labels) for bars in charts) + 2)
    canvas = Canvas(figsize=(width, 4.5 * len(charts)), layout="constrained")
    for place, bars in enumerate(charts):
        _draw_bars(bars, canvas.add_subplot(len(charts), 1, place + 1))
    handles, labels = canvas.axes[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small")
    canvas.savefig(path, dpi=150)


def _draw_bars(bars: Bars, axes: "Axes") -> None:
    bar = _BAR_SHARE / len(bars.ratios)
    for number, (heap, ratios) in enumerate(bars.ratios.items()):
        places = [place for place, ratio in enumerate(ratios) if ratio]
        known = [ratio for ratio in ratios if ratio]
        offsets = [place + (number + 0.5) * bar - _BAR_SHARE / 2 for place in places]
        below = [_beyond(ratio.low, ratio.value) for ratio in known]
        above = [_beyond(ratio.value, ratio.high) for ratio in known]
        values = [ratio.value for ratio in known]
        axes.bar(offsets, values, bar, yerr=[below, above], capsize=2, label=heap)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(bars.labels)), bars.labels, rotation=30, ha="right")
    axes.set_ylabel(f"ratio to {bars.reference} (less is better)")
    axes.set_title(bars.title, parse_math=False)


def _beyond(low: float | None, high: float | None) -> float:
    """How long a bar of an interval is; NaN, which is not drawn, where it has none."""
    return math.nan if low is None or high is None else max(0.0, high - low)
