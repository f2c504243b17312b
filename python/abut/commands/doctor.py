"""`abut doctor`: what this machine lacks, and what to type."""

from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import NO

if TYPE_CHECKING:
    from abut.reporters.listing import Finding


def command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Say what is built, what this machine has of what abut needs, and what to type for the rest.

    Exits with 1 where a verb cannot work as things are. What only limits what is shown, as hardware
    counters that a virtual machine has not, is named and does not count.

    Example:

        abut doctor
    """
    from abut.commands.checkup import checkup
    from abut.commands.console import console
    from abut.reporters.listing import findings_table
    from abut.reporters.trace import document

    found = checkup()
    if json:
        print(document(findings=[finding._asdict() for finding in found]))
    else:
        console().print(findings_table(found))
        print(_summary(found))
    raise typer.Exit(NO if any(one.state == "missing" for one in found) else 0)


def _summary(found: "list[Finding]") -> str:
    fixes = dict.fromkeys(one.fix for one in found if one.state == "missing" and one.fix)
    return "next: " + (" && ".join(fixes) or "abut demo")
