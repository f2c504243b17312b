"""Tables as the terminal shows them: words on the left, figures to the right."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text


class Plain(Table):
    """A table whose words stand as they are: in names, brackets are no markup."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        """As a table's."""
        super().add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells), **how)


def grid(
    title: str | Text, columns: Iterable[str], rows: Iterable[Sequence[str]] = (), *, words: int = 1
) -> Table:
    """A table whose first columns, so many, hold words; those after them hold figures."""
    name = Text(title, style="table.title") if isinstance(title, str) and title else title or None
    table = Plain(title=name, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if number < words else "right")
    for row in rows:
        table.add_row(*row)
    return table
