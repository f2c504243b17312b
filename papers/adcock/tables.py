"""Tables and pictures of structures whose nodes move."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

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


def draw(results: Sequence[tuple[Experiment, Sequence[Row]]], path: Path) -> None:
    """A picture an experiment, one below the other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2 * len(results)), layout="constrained")
    axes = figure.subplots(len(results), 1, squeeze=False)
    for axis, (experiment, rows) in zip(axes[:, 0], results, strict=True):
        axis.set_title(experiment.about, fontsize=9, loc="left", parse_math=False)
        {"course": _courses, "sweep": _sweep, "variants": _bars, "misses": _misses}[
            experiment.kind
        ](axis, experiment, rows)
    figure.savefig(path)


def _bars(axis: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    key = experiment.figures[0]
    first = rows[0].figures[key]
    axis.barh([row.variant.label for row in rows], [first / row.figures[key] for row in rows])
    axis.axvline(1, linewidth=1, color="black")
    bound = _bound(experiment, rows)
    if bound is not None:
        axis.axvline(first / bound, linewidth=1, color="green", linestyle="--")
    axis.set_xlabel("speedup", fontsize=8)
    axis.invert_yaxis()


def _misses(axis: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    places = range(len(rows))
    height = 0.8 / len(experiment.figures)
    for number, key in enumerate(experiment.figures):
        at = [place + number * height for place in places]
        axis.barh(at, [row.figures[key] for row in rows], height, label=key)
    axis.set_yticks([place + 0.3 for place in places], [row.variant.label for row in rows])
    axis.set_xlabel("misses of a look-up", fontsize=8)
    axis.legend(fontsize=6)
    axis.invert_yaxis()


def _courses(axis: Any, _experiment: Experiment, rows: Sequence[Row]) -> None:
    for row in rows:
        tenths = [100 * (tenth + 1) / len(row.course) for tenth in range(len(row.course))]
        style = "--" if row.variant.name.startswith(UPPER) else "-"
        axis.plot(
            tenths, [each / row.course[0] for each in row.course], style, label=row.variant.label
        )
    axis.set_xlabel("per cent of the run", fontsize=8)
    axis.set_ylabel("degradation", fontsize=8)
    axis.legend(fontsize=6, ncols=2)


def _sweep(axis: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    key = experiment.figures[0]
    first = rows[0].figures[key]
    names = dict.fromkeys(row.variant.name for row in rows if row.variant.x is not None)
    for name in names:
        points = [row for row in rows if row.variant.name == name]
        axis.plot(
            [row.variant.x for row in points],
            [first / row.figures[key] for row in points],
            "o-",
            label=name,
        )
    bound = _bound(experiment, rows)
    if bound is not None:
        axis.axhline(first / bound, linewidth=1, color="green", linestyle="--", label=UPPER)
    axis.set_xlabel(experiment.axis, fontsize=8)
    axis.set_ylabel("speedup", fontsize=8)
    axis.legend(fontsize=6)
