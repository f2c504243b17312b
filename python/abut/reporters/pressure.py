"""Run times over memories, as tables and as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from abut.reporters.plot import check_format
from abut.reporters.units import amount

_INCHES = 3.0


def pressure_table(
    name: str, memories: Sequence[int], rows: Mapping[str, Sequence[float | None]]
) -> Table:
    """A row a heap, a column a memory; a dash where the program did not get through."""
    table = Table(title=f"{name}: time over memory", title_justify="left")
    table.add_column("heap")
    for memory in memories:
        table.add_column(amount(memory, "B"), justify="right")
    for heap, row in rows.items():
        table.add_row(heap, *(amount(one, "s") if one is not None else "-" for one in row))
    return table


def draw(
    memories: Mapping[str, Sequence[int]],
    seconds: Mapping[str, Mapping[str, Sequence[float | None]]],
    path: Path,
) -> None:
    """One plot a program, a curve a heap."""
    from matplotlib.figure import Figure

    check_format(path)
    figure = Figure(figsize=(10, _INCHES * len(seconds)), layout="constrained")
    plots = figure.subplots(len(seconds), 1, squeeze=False)[:, 0]
    for plot, (name, rows) in zip(plots, seconds.items(), strict=True):
        sizes = [memory / (1 << 20) for memory in memories[name]]
        for heap, row in rows.items():
            plot.plot(sizes, [one if one is not None else float("nan") for one in row], label=heap)
        plot.set_title(name)
        plot.set_xlabel("memory, MiB")
        plot.set_ylabel("seconds")
        plot.legend()
    figure.savefig(path)
