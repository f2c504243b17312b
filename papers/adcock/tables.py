"""Tables and charts of structures whose nodes move."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.table import Table

from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut_papers.adcock.variants import UPPER, Experiment, Row

# What the page shows: the experiments at s = 1, and lists that a page holds and that none does.
CLAIMED = ("dict-node-1", "dict-fields-1", "mlist-11", "mlist-15")
_MOVERS = (UPPER, "sites <L; EL>", "periodic2space", "embedded1space", "perfect, BFS")
_WHY = "caches of today hold more, and a mover's branches cost what some misses do"
_TITLES = {
    "first_ns": "ns an operation, first",
    "last_ns": "ns an operation",
    "worst_ms": "longest batch, ms",
    "m": "cells a node",
}
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class MoveResult:
    """All that was measured."""

    rows: Sequence[tuple[Experiment, Sequence[Row]]]

    def claims(self) -> list[Claim]:
        """The thesis's values beside ours, of the movers that it comes back to."""
        return [
            Claim(f"{one.name}: {row.variant.name}", _theirs(one, row), _gain(one, rows, row), _WHY)
            for one, rows in self.rows
            if one.name in CLAIMED
            for row in rows
            if row.variant.name in _MOVERS and row.variant.thesis is not None
        ]

    def tables(self) -> list[Table]:
        """A table an experiment, a row a mover."""
        return [_table(experiment, rows) for experiment, rows in self.rows]

    def document(self) -> dict[str, Any]:
        """All figures, in nanoseconds an operation, ms a batch, and cells a node."""
        return {
            experiment.name: {
                row.variant.label: row.figures
                | {"rounds": row.rounds}
                | ({"course_ns": row.course} if row.course else {})
                for row in rows
            }
            for experiment, rows in self.rows
        }

    def charts(self) -> list[Chart]:
        """A chart an experiment: bars of speedups, or lines over the run or a parameter."""
        return [_chart(experiment, rows) for experiment, rows in self.rows]


def _table(experiment: Experiment, rows: Sequence[Row]) -> Table:
    """A row a mover; where a layout degrades, a column a tenth of the run."""
    columns = _columns(experiment, rows)
    cells = ([row.variant.label, *(cell(row) for cell in columns.values())] for row in rows)
    made = grid(experiment.about, ["mover", *columns], cells)
    if experiment.kind == "course":
        made.caption = "time of an operation by that of the first tenth"
    return made


def _columns(experiment: Experiment, rows: Sequence[Row]) -> dict[str, Callable[[Row], str]]:
    """What a column is called, and a row's cell in it."""
    key, first = experiment.figures[0], rows[0]
    if experiment.kind == "course":
        return {f"{10 * (tenth + 1)} %": partial(_degraded, tenth) for tenth in range(_TENTHS)}
    if experiment.kind == "paths":
        return {each: partial(_figure, each, digits=3) for each in experiment.figures}

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
        columns["thesis"] = partial(_theirs, experiment)
    return columns


def _figure(key: str, row: Row, digits: int = 4) -> str:
    return f"{row.figures[key]:.{digits}g}"


def _degraded(tenth: int, row: Row) -> str:
    return f"{row.course[tenth] / row.course[0]:.2f}"


def _spread(first: Sequence[float], rounds: Sequence[float]) -> str:
    """The least and the greatest speedup of a round, where there are several."""
    if len(rounds) <= 1 or len(first) != len(rounds):
        return ""
    speedups = [one / other for one, other in zip(first, rounds, strict=True)]
    return f" ({min(speedups):.2f}\N{EN DASH}{max(speedups):.2f})"


def _theirs(experiment: Experiment, row: Row) -> str:
    """The thesis's value: time that is saved of a tree's, or a speedup of lists'."""
    unit = "%" if experiment.program == "dict" else "x"
    return "" if row.variant.thesis is None else f"{row.variant.thesis:g} {unit}"


def _gain(experiment: Experiment, rows: Sequence[Row], row: Row) -> str:
    """Ours, in the same way."""
    speedup = rows[0].figures[experiment.figures[0]] / row.figures[experiment.figures[0]]
    return (
        f"{100 * (1 - 1 / speedup):.0f} %" if experiment.program == "dict" else f"{speedup:.3g} x"
    )


def _chart(experiment: Experiment, rows: Sequence[Row]) -> Chart:
    """Speedups by mover, or over a parameter; degradation over the run; or paths."""
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
    if experiment.kind == "paths":
        series = {
            key: {row.variant.label: row.figures[key] for row in rows} for key in experiment.figures
        }
        return Chart(title, "of a look-up", series)
    if experiment.kind == "sweep":
        for row in rows:
            if (at := row.variant.x) is not None:
                series.setdefault(row.variant.name, {})[at] = speedups[row.variant.label]
        return Chart(f"{title}, over {experiment.axis}", "speedup", series, speedups[UPPER])
    return Chart(title, "speedup", {"speedup": speedups}, level=1)
