"""Draws charts from the tables that the pages show, when Sphinx reads the pages.

A page asks for a chart behind a listing whose tables hold the figures:

    <!-- chart NAME: bars "speedup": what the reader sees -->

`bars "COLUMN"` draws one bar a row, `lines` one line a row over the columns, `groups` the columns
side by side for each row. Each table of the listing gets a panel; cells without a number are left
out. The chart is NAME.svg in the folder of pictures, and the comment becomes its image.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CHART = re.compile(
    r'^<!-- chart (?P<name>[\w-]+): (?P<how>\w+)(?: "(?P<column>.+)")?: (?P<alt>.+) -->$'
)
_NUMBER = re.compile(r"[0-9.]+(?:e[+-]?[0-9]+)?")
_PANEL = (4.6, 3.6)  # inches
_ACROSS = 2


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a listing: its caption, the heads of its columns, and its rows."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def numbers(self, column: int) -> list[tuple[str, float]]:
        """Each row that has a number in that column: the row's name, and the number."""
        found = ((row[0], _NUMBER.match(row[column])) for row in self.rows)
        return [(name, float(match[0])) for name, match in found if match]


def tables(listing: str) -> Iterator[Table]:
    """The tables of a listing; the line above one is its caption."""
    lines = listing.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("┏"):
            body = [_cells(row) for row in _until(lines[at + 3 :], "└") if row[0] == "│"]
            yield Table(lines[at - 1], _cells(lines[at + 1]), tuple(body))


def drawn(text: str, folder: Path) -> str:
    """The page's text with its charts drawn into the folder, and shown."""
    shown, listing = [], ""
    for block in re.split(r"(^```console\n.*?^```$)", text, flags=re.DOTALL | re.MULTILINE):
        if block.startswith("```console"):
            listing = block
            shown.append(block)
            continue
        lines = block.split("\n")
        for at, line in enumerate(lines):
            if chart := _CHART.match(line):
                folder.mkdir(exist_ok=True)
                _draw(list(tables(listing)), chart, folder / f"{chart['name']}.svg")
                lines[at] = f"![{chart['alt']}](/{folder.name}/{chart['name']}.svg)"
        shown.append("\n".join(lines))
    return "".join(shown)


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in re.split("[│┃]", row)[1:-1])


def _until(lines: list[str], end: str) -> Iterator[str]:
    for line in lines:
        if line.startswith(end):
            return
        yield line


def _draw(wanted: list[Table], chart: re.Match[str], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = chart["name"]
    from matplotlib import pyplot

    down = -(-len(wanted) // _ACROSS)
    size = (_PANEL[0] * _ACROSS, _PANEL[1] * down)
    figure, panels = pyplot.subplots(down, _ACROSS, figsize=size, squeeze=False, layout="tight")
    for panel in panels.flat[len(wanted) :]:
        panel.set_axis_off()
    for table, panel in zip(wanted, panels.flat, strict=False):
        panel.set_title(table.caption, fontsize=7)
        panel.tick_params(labelsize=7)
        _KINDS[chart["how"]](panel, table, chart["column"])
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _bars(panel: Any, table: Table, column: str) -> None:
    named = table.numbers(table.heads.index(column))
    panel.barh([name for name, _ in named], [number for _, number in named])
    panel.invert_yaxis()
    panel.set_xlabel(column, fontsize=7)


def _lines(panel: Any, table: Table, _column: str) -> None:
    for at, row in enumerate(table.rows):
        numbers = [dict(enumerate(table.numbers(k)))[at][1] for k in range(1, len(table.heads))]
        panel.plot(table.heads[1:], numbers, label=row[0])
    panel.legend(fontsize=6)


def _groups(panel: Any, table: Table, _column: str) -> None:
    names = [row[0] for row in table.rows]
    width = 0.8 / (len(table.heads) - 1)
    for k, head in enumerate(table.heads[1:]):
        numbers = dict(table.numbers(k + 1))
        places = [at + k * width for at, name in enumerate(names) if name in numbers]
        panel.bar(places, list(numbers.values()), width, label=head)
    panel.set_xticks([at + 0.4 - width / 2 for at in range(len(names))], names, rotation=30)
    panel.legend(fontsize=6)


_KINDS = {"bars": _bars, "lines": _lines, "groups": _groups}
