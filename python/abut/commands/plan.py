"""`abut plan`: look into a plan."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from abut.verb import Verb, Verbs, refuse

app = typer.Typer(cls=Verbs, no_args_is_help=True, rich_markup_mode="markdown")
_HELP = """Look into a plan.

Example:

    abut plan show run.plan
"""
app.callback(help=_HELP)(lambda: None)


@app.command(cls=Verb)
def show(
    path: Annotated[Path, typer.Argument(metavar="PLAN", help="What `abut place` wrote.")],
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many contexts to show.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Say what a plan holds, after checking all of it.

    Examples:

        abut plan show run.plan
        abut plan show --json run.plan
    """
    from abut.commands.console import console
    from abut.reporters.plan import plan_document, plan_table
    from abut.tuning.plan import read_plan

    plan = read_plan(path)
    if json:
        refuse("--json has the sums alone", "top")
        from abut.reporters.trace import document

        print(document(**plan_document(plan)))
        return
    from abut.reporters.units import amount

    out = console()
    out.print(
        f"{path}: by {plan.strategy}, slots for {amount(plan.placed, '')} objects in "
        f"{amount(plan.memory_bytes, 'B')}, {len(plan.pools)} pools; chains of {plan.steps}",
    )
    out.print(plan_table(plan, top))
    print(f"next: abut run --plan {shlex.quote(str(path))} -- PROGRAM")
