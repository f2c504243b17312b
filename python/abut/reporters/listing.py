"""Lists of what there is: the heap's options, the heaps."""

import dataclasses
import json
from collections.abc import Sequence

from rich.table import Table

from abut.heaps import Heap, MissingHeap
from abut.library import HeapOption
from abut.places import BUILD_FIX

_COLUMNS = ("option", "variable", "default", "range", "what it does")


def options_table(options: Sequence[HeapOption]) -> Table:
    """The options as a table for a terminal."""
    table = Table()
    for column in _COLUMNS[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(_COLUMNS[-1])
    for option in options:
        table.add_row(*(_escape(text) for text in _row(option)))
    return table


def options_markdown(options: Sequence[HeapOption]) -> str:
    """The options as a Markdown table, for the documentation."""
    rows = [_COLUMNS, tuple("---" for _ in _COLUMNS), *(_row(option) for option in options)]
    return "\n".join(f"| {' | '.join(map(_markdown_cell, row))} |" for row in rows)


def options_json(options: Sequence[HeapOption]) -> str:
    """The options as a JSON list of objects."""
    listed = [dataclasses.asdict(option) | {"variable": option.variable} for option in options]
    return json.dumps(listed, indent=1)


def heaps_table(heaps: Sequence[Heap | MissingHeap]) -> Table:
    """The heaps: where each is, or what brings it."""
    table = Table("heap", "what it is", "library")
    for heap in heaps:
        if isinstance(heap, MissingHeap):
            fix = heap.fix if heap.package else BUILD_FIX
            table.add_row(heap.name, heap.about, f"[red]not there[/red]: {_escape(fix)}")
        else:
            table.add_row(heap.name, heap.about, str(heap.library or "no preload"))
    return table


def _row(option: HeapOption) -> tuple[str, ...]:
    return (option.name, option.variable, option.standard or "-", option.range, option.help)


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escape(text: str) -> str:
    """Keep rich from reading `[words]` as markup."""
    return text.replace("[", r"\[")
