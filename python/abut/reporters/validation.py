"""Simulated figures beside those of another, as tables and as JSON."""

import dataclasses
from collections.abc import Sequence

from rich.table import Table

from abut.reporters.trace import document
from abut.simulation.validation import Figure


def figures_table(other: str, figures: Sequence[Figure]) -> Table:
    """A row a figure; of several runs, how far those of the other lie apart, too."""
    spreads = any(figure.spread is not None for figure in figures)
    table = Table("")
    for column in ("abut sim", other, "difference", *([f"{other}'s runs"] if spreads else [])):
        table.add_column(column, justify="right")
    for figure in figures:
        spread = [f"{figure.spread or 0:.2%} apart"] if spreads else []
        table.add_row(figure.name, *_cells(figure), *spread)
    return table


def figures_json(other: str, figures: Sequence[Figure], notes: Sequence[str]) -> str:
    """One object."""
    rows = [dataclasses.asdict(figure) | {"difference": figure.difference} for figure in figures]
    return document(against=other, figures=rows, notes=list(notes))


def _cells(figure: Figure) -> tuple[str, str, str]:
    off = figure.difference
    return (
        f"{figure.simulated:,}",
        f"{figure.other:,}",
        f"{off:+.2%}" if off is not None else "-",
    )
