"""Tables and charts of structures whose nodes move."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut_papers.adcock.variants import UPPER, Experiment, Row, Variant

_TITLES = {
    "first_ns": "ns an operation, first",
    "last_ns": "ns an operation",
    "worst_ms": "longest batch, ms",
    "m": "cells a node",
}
_TENTHS = 10


def table(experiment: Experiment, rows: Sequence[Row]) -> Table:
    """A row a mover; where a layout degrades, a column a tenth of the run."""
    made = grid(experiment.about, ["mover"])
    if experiment.kind == "course":
        for tenth in range(1, _TENTHS + 1):
            made.add_column(f"{tenth * 10} %", justify="right")
        for row in rows:
            made.add_row(row.variant.label, *(f"{each / row.course[0]:.2f}" for each in row.course))
        made.caption = "time of an operation by that of the first tenth"
        return made
    if experiment.kind == "misses":
        for key in experiment.figures:
            made.add_column(key, justify="right")
        for row in rows:
            made.add_row(
                row.variant.label, *(f"{row.figures[key]:.3g}" for key in experiment.figures)
            )
        return made
    for key in experiment.figures:
        made.add_column(_TITLES[key], justify="right")
    made.add_column("speedup", justify="right")
    bound = _bound(experiment, rows)
    thesis = any(row.variant.thesis is not None for row in rows)
    if bound is not None:
        made.add_column("of the bound's time", justify="right")
    if experiment.program == "dict":
        made.add_column("less time", justify="right")
    if thesis:
        made.add_column("thesis", justify="right")
    for row in rows:
        made.add_row(*_cells(experiment, rows, row, bound=bound, thesis=thesis))
    return made


def _cells(
    experiment: Experiment,
    rows: Sequence[Row],
    row: Row,
    *,
    bound: float | None,
    thesis: bool,
) -> list[str]:
    key = experiment.figures[0]
    speedup = rows[0].figures[key] / row.figures[key]
    cells = [row.variant.label, *(f"{row.figures[each]:.4g}" for each in experiment.figures)]
    cells.append(f"{speedup:.2f}{_spread(rows[0].rounds, row.rounds)}")
    if bound is not None:
        cells.append(f"{row.figures[key] / bound:.2f}")
    if experiment.program == "dict":
        cells.append(f"{100 * (1 - 1 / speedup):.0f} %")
    if thesis:
        cells.append(theirs(experiment, row.variant))
    return cells


def _spread(first: Sequence[float], rounds: Sequence[float]) -> str:
    """The least and the greatest speedup of a round, where there are several."""
    if len(rounds) <= 1 or len(first) != len(rounds):
        return ""
    speedups = [one / other for one, other in zip(first, rounds, strict=True)]
    return f" ({min(speedups):.2f}\N{EN DASH}{max(speedups):.2f})"


def theirs(experiment: Experiment, variant: Variant) -> str:
    """The thesis's value: time that is saved of a tree's, or a speedup of lists'."""
    if variant.thesis is None:
        return ""
    return f"{variant.thesis:g}" + (" %" if experiment.program == "dict" else " x")


def gain(experiment: Experiment, rows: Sequence[Row], row: Row) -> str:
    """Ours, in the same way."""
    speedup = rows[0].figures[experiment.figures[0]] / row.figures[experiment.figures[0]]
    return (
        f"{100 * (1 - 1 / speedup):.0f} %" if experiment.program == "dict" else f"{speedup:.3g} x"
    )


def _bound(experiment: Experiment, rows: Sequence[Row]) -> float | None:
    key = experiment.figures[0]
    return next((row.figures[key] for row in rows if row.variant.name == UPPER), None)


def chart(experiment: Experiment, rows: Sequence[Row]) -> Chart:
    """Speedups by mover, or over a parameter; degradation over the run; or misses of a look-up."""
    key, title = experiment.figures[0], experiment.about
    speedups = {row.variant.label: rows[0].figures[key] / row.figures[key] for row in rows}
    series: dict[str, dict[Any, float]] = {}
    if experiment.kind == "course":
        for row in rows:
            share = 100 / len(row.course)
            series[row.variant.label] = {
                share * (tenth + 1): each / row.course[0] for tenth, each in enumerate(row.course)
            }
        return Chart(f"{title}, over per cent of the run", "degradation", series)
    if experiment.kind == "misses":
        series = {
            key: {row.variant.label: row.figures[key] for row in rows} for key in experiment.figures
        }
        return Chart(title, "misses of a look-up", series)
    if experiment.kind == "sweep":
        for row in rows:
            if (at := row.variant.x) is not None:
                series.setdefault(row.variant.name, {})[at] = speedups[row.variant.label]
        return Chart(f"{title}, over {experiment.axis}", "speedup", series, speedups[UPPER])
    return Chart(title, "speedup", {"speedup": speedups}, level=1)
