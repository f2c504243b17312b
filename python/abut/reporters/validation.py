"""Simulated figures beside those of another, as tables and as JSON."""

import dataclasses
from collections.abc import Mapping, Sequence

from rich.table import Table

from abut.analysis.validation import Figure
from abut.reporters.trace import document


def figures_table(other: str, figures: Sequence[Figure]) -> Table:
    """A row a figure."""
    table = Table("")
    for column in ("abut sim", other, "difference"):
        table.add_column(column, justify="right")
    for figure in figures:
        table.add_row(figure.name, *_cells(figure))
    return table


def programs_markdown(other: str, programs: Mapping[str, Sequence[Figure]]) -> str:
    """A row a program and figure, as a Markdown table."""
    rows = [("program", "", "abut sim", other, "difference"), ("---",) * 2 + ("---:",) * 3]
    for program, figures in programs.items():
        names = [f"`{program}`", *[""] * (len(figures) - 1)]
        rows += [
            (name, figure.name, *_cells(figure))
            for name, figure in zip(names, figures, strict=True)
        ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


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
