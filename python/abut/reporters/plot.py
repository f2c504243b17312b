"""The chart of a comparison, as a picture: groups of bars."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from abut.errors import USAGE, AbutError
from abut.measure.sample import ALWAYS_SHOWN, Figure
from abut.measure.statistics import Estimate
from abut.measure.summary import Summary

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
            exit_code=USAGE,
        )
    try:
        import matplotlib  # noqa: F401 (is it there?)
    except ImportError as error:
        raise AbutError(
            "plots need matplotlib, which is not installed", fix="pip install 'abut[plot]'"
        ) from error


def bars_of(summary: Summary, figure: Figure) -> Bars:
    """The chart of a suite: `figure` by benchmark. Of one program: every figure."""
    comparison = summary.comparison
    heaps = [heap.name for heap in comparison.heaps]
    if comparison.suite is None and len(summary.programs) == 1:
        program = summary.programs[0]
        rows = [(each.title, program.cells.get(each.key, {})) for each in ALWAYS_SHOWN]
        title = " ".join(program.measurement.workload.argv)
    else:
        rows = [
            (program.measurement.workload.name, program.cells.get(figure.key, {}))
            for program in summary.programs
        ]
        title = figure.title
    ratios = {
        heap: [row[heap].to_reference if heap in row else None for _, row in rows] for heap in heaps
    }
    return Bars(title, [label for label, _ in rows], ratios, comparison.reference)


def draw(bars: Bars, path: Path) -> None:
    """Write the chart to `path`, as PNG or SVG by its suffix."""
    from matplotlib.figure import Figure as Canvas

    width = max(6.0, _GROUP_INCHES * len(bars.labels) + 2)
    canvas = Canvas(figsize=(width, 4.5), layout="constrained")
    axes = canvas.add_subplot()
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
    canvas.legend(loc="outside lower center", ncols=len(bars.ratios), fontsize="small")
    canvas.savefig(path, dpi=150)


def _beyond(low: float | None, high: float | None) -> float:
    """How long a bar of an interval is; NaN, which is not drawn, where it has none."""
    return math.nan if low is None or high is None else max(0.0, high - low)
