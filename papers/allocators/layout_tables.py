"""Programs in other layouts, as a table and as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from abut.analysis.simulation import average_cycles
from abut.reporters.plot import check_format
from abut.reporters.sim import layout_cells, layout_columns

if TYPE_CHECKING:
    from abut_papers.allocators.layouts import Run


def layouts_table(runs: "Sequence[Run]") -> Table:
    """A row a program and layout."""
    table = Table(title="misses of the application's accesses", title_justify="left")
    table.add_column("program")
    table.add_column("layout")
    for name in layout_columns(runs[0].results[0]):
        table.add_column(name, justify="right")
    several = len({run.heap for run in runs}) > 1
    for run in runs:
        name = f"{run.program}, {run.heap}" if several else run.program
        for result in run.results:
            table.add_row(name, result.job.layout, *layout_cells(result))
        table.add_section()
    return table


def draw(runs: "Sequence[Run]", path: Path) -> None:
    """A group of bars a program, each layout's cycles an access over the recorded one's."""
    from matplotlib.figure import Figure

    check_format(path)
    figure = Figure(figsize=(10, 4), layout="constrained")
    plot = figure.subplots()
    layouts = [result.job.layout for result in runs[0].results]
    width = 0.8 / len(layouts)
    for number, layout in enumerate(layouts):
        plot.bar(
            [at + (number - (len(layouts) - 1) / 2) * width for at in range(len(runs))],
            [
                average_cycles(run.results[number]) / (average_cycles(run.results[0]) or 1)
                for run in runs
            ],
            width,
            label=layout,
        )
    plot.axhline(1, linewidth=1, color="black")
    plot.set_xticks(range(len(runs)), [f"{run.program}\n{run.heap}" for run in runs])
    plot.set_ylabel("AMAT over the recorded layout's")
    plot.legend()
    figure.savefig(path)
