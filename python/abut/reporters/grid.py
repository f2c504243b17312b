"""Tables as the terminal shows them: words on the left, figures to the right."""

from collections.abc import Iterable, Sequence

from rich.table import Table


def grid(
    title: str, columns: Iterable[str], rows: Iterable[Sequence[str]] = (), *, words: int = 1
) -> Table:
    """A table whose first columns, so many, hold words; those after them hold figures."""
    table = Table(title=title or None, title_justify="left", caption_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < words else "right")
    for row in rows:
        table.add_row(*row)
    return table
