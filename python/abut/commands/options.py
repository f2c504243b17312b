"""`abut options`: what can be set about abut's heap."""

from typing import Annotated

import typer

from abut.errors import AbutError
from abut.library import load_library


def command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON list.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """List the options of abut's heap, as the library itself declares them.

    Example:

        abut options
        abut run --option decay_ms=0 -- lua5.4 script.lua
    """
    from abut.reporters import listing

    if json and markdown:
        raise AbutError("--json and --markdown: only one at a time")
    options = load_library().options()
    if json:
        print(listing.options_json(options))
    elif markdown:
        print(listing.options_markdown(options))
    else:
        from abut.commands.console import console

        console().print(listing.options_table(options))
