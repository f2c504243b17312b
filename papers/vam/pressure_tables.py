"""Run times over memories, as tables and as a picture."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from abut.reporters.plot import check_format
from abut.reporters.units import amount

if TYPE_CHECKING:
    from abut.measure.memory_limit import LimitedRun
    from abut_papers.vam.pressure import Cells

_COLUMN_INCHES, _ROW_INCHES = 4.0, 3.0


def pressure_tables(name: str, memories: Sequence[int], rows: "Mapping[str, Cells]") -> list[Table]:
    """A row a heap, a column a memory; a dash where the program did not get through."""
    return [
        _table(f"{name}: time over memory (figure 7)", memories, rows, _seconds),
        _table(f"{name}: pages read back from swap", memories, rows, _faults),
    ]


def _seconds(run: "LimitedRun") -> str:
    return amount(run.seconds, "s")


def _faults(run: "LimitedRun") -> str:
    return amount(run.major_faults, "")


def _table(
    title: str,
    memories: Sequence[int],
    rows: "Mapping[str, Cells]",
    text: "Callable[[LimitedRun], str]",
) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("heap")
    for memory in memories:
        table.add_column(amount(memory, "B"), justify="right")
    for heap, row in rows.items():
        table.add_row(heap, *(text(cell) if cell else "-" for cell in row))
    return table


def draw(
    memories: Mapping[str, Sequence[int]], runs: "Mapping[str, Mapping[str, Cells]]", path: Path
) -> None:
    """Seconds above, pages read back below; a column a program, a curve a heap."""
    from matplotlib.figure import Figure

    check_format(path)
    size = (_COLUMN_INCHES * len(runs) + 1, 2 * _ROW_INCHES)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(2, len(runs), squeeze=False)
    for column, (name, rows) in enumerate(runs.items()):
        sizes = [memory / (1 << 20) for memory in memories[name]]
        for heap, cells in rows.items():
            known = [(at, cell) for at, cell in zip(sizes, cells, strict=True) if cell]
            places = [at for at, _ in known]
            grid[0][column].plot(places, [cell.seconds for _, cell in known], "o-", label=heap)
            faults = [cell.major_faults for _, cell in known]
            grid[1][column].plot(places, faults, "o-", label=heap)
        grid[0][column].set_title(name, parse_math=False)
        grid[1][column].set_yscale("symlog", linthresh=10)
        grid[1][column].set_xlabel("memory, MiB")
    grid[0][0].set_ylabel("seconds")
    grid[1][0].set_ylabel("pages read back")
    grid[0][0].legend(fontsize="x-small")
    figure.savefig(path, dpi=150)
