"""Rezaei and Kavi's figures, as tables and as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from abut.reporters.plot import check_format
from abut.reporters.units import amount

if TYPE_CHECKING:
    from abut_papers.rezaei.bench import Row

# The authors' figures of each cache; figure 5 is the allocator's own cache of 1 KiB.
_FIGURES = {
    "rezaei-8k": " (figures 1, 2 and 5)",
    "rezaei-8k-64": " (figure 3)",
    "rezaei-16k": " (figure 4)",
}
_WIDTH = 0.4
_INCHES = 3.0


def cache_table(cache: str, rows: "Sequence[Row]") -> Table:
    """A row a program and heap."""
    table = Table(title=f"{cache}: the first level{_FIGURES.get(cache, '')}", title_justify="left")
    table.add_column("program")
    table.add_column("heap")
    columns = (
        "misses",
        "alone",
        "removed",
        "rate",
        "alone",
        "change",
        "pollution",
        "allocator's",
        "rate",
    )
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        rate = row.allocator_misses / max(1, row.allocator_accesses)
        table.add_row(
            row.program,
            row.heap,
            amount(row.shared_misses, ""),
            amount(row.alone_misses, ""),
            f"{row.removed:.0%}",
            f"{row.shared_rate:.2%}",
            f"{row.alone_rate:.2%}",
            f"{row.rate_change:+.0%}",
            f"{row.pollution:.1%}",
            amount(row.allocator_misses, ""),
            f"{rate:.2%}",
        )
    return table


def draw(caches: "Mapping[str, Sequence[Row]]", path: Path) -> None:
    """Miss rates side by side, shared and alone; one picture below the other."""
    from matplotlib.figure import Figure

    check_format(path)
    figure = Figure(figsize=(10, _INCHES * len(caches)), layout="constrained")
    plots = figure.subplots(len(caches), 1, squeeze=False)[:, 0]
    for plot, (cache, rows) in zip(plots, caches.items(), strict=True):
        places = range(len(rows))
        plot.bar(
            [at - _WIDTH / 2 for at in places],
            [100 * row.shared_rate for row in rows],
            _WIDTH,
            label="shared with the allocator",
        )
        plot.bar(
            [at + _WIDTH / 2 for at in places],
            [100 * row.alone_rate for row in rows],
            _WIDTH,
            label="the application alone",
        )
        labels = [f"{row.program}\n{row.heap}" for row in rows]
        plot.set_xticks(list(places), labels, fontsize="x-small")
        plot.set_ylabel("miss rate, %")
        plot.set_title(cache)
        plot.legend()
    figure.savefig(path)
