"""Tables as the terminal shows them: words on the left, figures to the right."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

_MARKUP = re.compile(r"\[|:\S+:")


class Plain(Table):
    """A table whose words stand as they are: in names, brackets and colons are no markup."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        """As a table's."""
        super().add_row(*map(as_it_is, cells), **how)


def as_it_is(cell: Any, style: str = "") -> Any:
    """Text where a string would be taken for markup."""
    return Text(cell, style) if isinstance(cell, str) and _MARKUP.search(cell) else cell


def grid(
    title: str | Text, columns: Iterable[str], rows: Iterable[Sequence[str]] = (), *, words: int = 1
) -> Table:
    """A table whose first columns, so many, hold words; those after them hold figures."""
    table = Plain(title=as_it_is(title, "table.title") or None, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(as_it_is(column), justify="left" if number < words else "right")
    for row in rows:
        table.add_row(*row)
    return table
