"""Adcock's experiments from a shell: `python -m abut_papers.adcock [EXPERIMENT...]`."""

import sys
from json import dumps
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from abut.commands.console import console
from abut.errors import USAGE, AbutError
from abut.machine import describe, this_machine
from abut_papers.adcock.bench import PROGRAMS, run
from abut_papers.adcock.experiments import SIZES, experiments
from abut_papers.adcock.journal import RunJournal


def main(
    programs: Annotated[list[str] | None, typer.Argument(metavar="EXPERIMENT")] = None,
    suite: Annotated[str, typer.Option(help=f"One of {', '.join(SIZES)}.")] = "quick",
    everything: Annotated[bool, typer.Option("--all", help="Every experiment there is.")] = False,
    runs: int = 3,
    json: Annotated[bool, typer.Option("--json")] = False,
    journal: Annotated[
        Path | None, typer.Option(help="Where runs are kept, not to be run again.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Begin no run after so long.")] = inf,
    kept: Annotated[
        bool, typer.Option("--kept", help="Show the journal, and run nothing.")
    ] = False,
    variants: Annotated[
        str, typer.Option("--ways", metavar="PREFIX,...", help="Only those whose names begin so.")
    ] = "",
    picture: Annotated[Path | None, typer.Option(help="Draw what was measured, too.")] = None,
) -> None:
    """Movers of nodes (Adcock 2009): DICT, MLIST, and containers whose nodes move."""

    def progress(line: str) -> None:
        if sys.stderr.isatty():
            print(line, file=sys.stderr)

    names = [one.name for one in experiments(suite)] if everything else programs or PROGRAMS
    try:
        notes = RunJournal(journal, seconds, kept)
        result = run(names, suite, runs, progress, notes, variants.split(",") if variants else ())
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        raise typer.Exit(error.exit_code or USAGE) from error
    if picture:
        result.draw(picture)
    if json:
        print(dumps(result.document(), indent=1))
        return
    out = console()
    out.print(describe(this_machine()))
    for table in result.tables():
        out.print(table)
    for line in result.verdict():
        out.print(line, highlight=False)


if __name__ == "__main__":
    typer.run(main)
