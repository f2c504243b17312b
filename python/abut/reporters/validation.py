"""What was simulated beside what was counted or measured, as tables and as JSON."""

import dataclasses
import math
from collections.abc import Sequence

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.trace import document
from abut.simulation.times import Times
from abut.simulation.validation import Figure


def figures_table(other: str, figures: Sequence[Figure]) -> Table:
    """A row a figure; of several runs, how far those of the other lie apart, too."""
    spreads = any(figure.spread is not None for figure in figures)
    columns = ["", "abut sim", other, "difference", *([f"{other}'s runs"] if spreads else [])]
    table = grid("", columns)
    for figure in figures:
        spread = [f"{figure.spread or 0:.2%} apart"] if spreads else []
        table.add_row(figure.name, *_cells(figure), *spread)
    return table


def figures_json(other: str, figures: Sequence[Figure]) -> str:
    """One object."""
    rows = [dataclasses.asdict(figure) | {"difference": figure.difference} for figure in figures]
    return document(against=other, figures=rows)


def times_table(times: Times) -> Table:
    """A row a heap, the quickest as measured first."""
    columns = ("predicted", "rank", "measured", "rank", "median", "waiting", "simulated")
    table = grid("", ["heap", *columns])
    ranks = [heap.heap for heap in sorted(times.heaps, key=lambda heap: heap.predicted_s)]
    for rank, heap in enumerate(sorted(times.heaps, key=lambda heap: heap.measured_s), 1):
        table.add_row(
            heap.heap,
            f"{heap.predicted_s:.3f} s",
            str(ranks.index(heap.heap) + 1),
            f"{heap.measured_s:.3f} s",
            str(rank),
            f"{heap.median_s:.3f} s",
            f"{1 - heap.computing_s / heap.predicted_s:.0%}",
            f"{heap.accesses / 1e6:.0f} M",
        )
    table.caption = "user time, the least of the rounds; waiting: the predicted part not computing"
    return table


def times_words(times: Times) -> str:
    """How good the predictions are."""
    right, pairs = times.signs
    signs = f"{right} of {pairs}" if pairs else "none"
    found = _rank_correlation(times)
    ranks = "-" if found is None else f"{found:.2f}"
    return (
        f"rank correlation {ranks}; mean error {times.error:.1%} once scaled; "
        f"of pairs more than 5% apart, {signs} predicted the right way round"
    )


def times_json(times: Times, missing: Sequence[str]) -> str:
    """One object."""
    right, pairs = times.signs
    return document(
        program=times.program,
        heaps=[dataclasses.asdict(heap) for heap in times.heaps],
        rank_correlation=_rank_correlation(times),
        mean_error=times.error,
        signs={"right": right, "pairs": pairs},
        not_installed=list(missing),
        notes=list(times.notes),
    )


def _rank_correlation(times: Times) -> float | None:
    """None where it is not a number: of one heap, or of heaps that are all alike."""
    return None if math.isnan(times.rank_correlation) else times.rank_correlation


def _cells(figure: Figure) -> tuple[str, str, str]:
    off = figure.difference
    return (
        f"{figure.simulated:,}",
        f"{figure.other:,}",
        f"{off:+.2%}" if off is not None else "-",
    )
