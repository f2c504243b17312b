"""Lists of what there is: the heap's options, the heaps."""

import dataclasses
import json
from collections.abc import Sequence
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from abut.heaps import Heap, MissingHeap
from abut.library import HeapOption
from abut.places import build_fix

_COLUMNS = ("option", "variable", "default", "range", "what it does")


class Finding(NamedTuple):
    """One thing that verbs need: ok, missing (one cannot work) or limited (it works, with less)."""

    what: str
    state: str
    says: str
    needed_for: str
    fix: str = ""


def options_table(options: Sequence[HeapOption]) -> Table:
    """The options as a table for a terminal."""
    table = Table()
    for column in _COLUMNS[:-2]:
        table.add_column(column, no_wrap=True)
    for column in _COLUMNS[-2:]:
        table.add_column(column)
    for option in options:
        *names, values, what = _row(option)
        table.add_row(*names, values.replace("|", " | "), what)
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
            fix = heap.fix if heap.package else build_fix("abut")
            table.add_row(heap.name, heap.about, Text.assemble(("not there", "red"), f": {fix}"))
        else:
            table.add_row(heap.name, heap.about, str(heap.library or "no preload"))
    return table


def _row(option: HeapOption) -> tuple[str, ...]:
    return (option.name, option.variable, option.standard or "-", option.range, option.help)


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|")


def findings_table(findings: Sequence[Finding]) -> Table:
    """What this machine has and lacks, a row a thing."""
    table = Table("what", "state", "found", "needed for", "type")
    colours = {"ok": "green", "limited": "yellow", "missing": "red"}
    for one in findings:
        state = Text(one.state, colours[one.state])
        table.add_row(one.what, state, one.says, one.needed_for, one.fix)
    return table
