"""Tables and charts of structures whose nodes move."""

from collections.abc import Callable, Sequence
from functools import partial
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
    if experiment.kind == "course":
        made = grid(
            experiment.about,
            ["mover", *(f"{tenth * 10} %" for tenth in range(1, _TENTHS + 1))],
            (
                [row.variant.label, *(f"{one / row.course[0]:.2f}" for one in row.course)]
                for row in rows
            ),
        )
        made.caption = "time of an operation by that of the first tenth"
        return made
    if experiment.kind == "misses":
        figures = [[f"{row.figures[key]:.3g}" for key in experiment.figures] for row in rows]
        named = ([row.variant.label, *of] for row, of in zip(rows, figures, strict=True))
        return grid(experiment.about, ["mover", *experiment.figures], named)
    columns = _columns(experiment, rows)
    cells = ([row.variant.label, *(cell(row) for cell in columns.values())] for row in rows)
    return grid(experiment.about, ["mover", *columns], cells)


def _columns(experiment: Experiment, rows: Sequence[Row]) -> dict[str, Callable[[Row], str]]:
    """Of a comparison of movers: what a column is called, and a row's cell in it."""
    key, first = experiment.figures[0], rows[0]

    def speedup(row: Row) -> float:
        return first.figures[key] / row.figures[key]

    columns: dict[str, Callable[[Row], str]] = {
        _TITLES[each]: partial(_figure, each) for each in experiment.figures
    }
    columns["speedup"] = lambda row: f"{speedup(row):.2f}{_spread(first.rounds, row.rounds)}"
    bounds = [row.figures[key] for row in rows if row.variant.name == UPPER]
    if bounds:
        columns["of the bound's time"] = lambda row: f"{row.figures[key] / bounds[0]:.2f}"
    if experiment.program == "dict":
        columns["less time"] = lambda row: f"{100 * (1 - 1 / speedup(row)):.0f} %"
    if any(row.variant.thesis is not None for row in rows):
        columns["thesis"] = lambda row: theirs(experiment, row.variant)
    return columns


def _figure(key: str, row: Row) -> str:
    return f"{row.figures[key]:.4g}"


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
