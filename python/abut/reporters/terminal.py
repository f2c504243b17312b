"""A report's first screen for a terminal: the bound, the largest changes, the culprits."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from abut.reporters.advice import Document, shown_culprits

_ROWS = 12


def first_screen(document: dict[str, Any]) -> Iterator[RenderableType]:
    """What is printed, from top to bottom."""
    advice = document["advice"]
    yield Text(document["title"], "bold")
    if advice["bound"] is not None:
        yield f"layout could save at most {advice['bound']:.1%} of the time, {advice['model']}"
    for sentence in document["sentences"] if not advice["actions"] else []:
        yield f"- {sentence}"
    for number, one in enumerate(advice["actions"], 1):
        body = f"{one['gain']}\n{one['why']}\n\n{one['code']}"
        yield Panel(body, title=Text(f"{number}. {one['title']}"), title_align="left")
    if rows := shown_culprits(document["reports"]):
        yield _culprits(rows[:_ROWS])
    if document["changes"]:
        yield _changes(document["changes"][:_ROWS])


def _culprits(rows: Sequence[Document]) -> Table:
    heads = ("what, where", "waits", "of lines", "of pages", "reason", "to gain")
    table = Table(*heads, title="who waits for memory, and what it uses of what it brings in")
    for one in rows:
        gain = f"{one['gain']:.1%}" if one["action"] else "-"
        reason = one["reason"] or one["why"]
        used = f"{one['use']['used']:.0%}" if any(one["misses"][:1]) else "-"
        pages = "-" if one["page_use"] is None else f"{one['page_use']:.0%}"
        table.add_row(one["name"], f"{one['lost']:.1%}", used, pages, reason, gain)
    return table


def _changes(rows: list[dict[str, Any]]) -> Table:
    table = Table("what, where", "before", "after", "change", title="cycles waited, in millions")
    for one in rows:
        before, after = one["before"] / 1e6, one["after"] / 1e6
        figures = (f"{before:,.1f}", f"{after:,.1f}", f"{after - before:+,.1f}")
        table.add_row(one["name"], *figures)
    return table
