"""`abut place`: a plan from recorded runs."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from abut.errors import AbutError
from abut.targets import check_target
from abut.verb import refuse


def command(
    traces: Annotated[
        list[Path] | None,
        typer.Argument(metavar="TRACE...", help="Traces that `abut record` wrote."),
    ] = None,
    strategy: Annotated[
        str, typer.Option("--strategy", "-s", metavar="NAME[,...]", help="How to lay objects out.")
    ] = "combined",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PLAN", help="The plan's file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the plan.")] = False,
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml|this", help="The caches that it is for.")
    ] = "modern",
    depth: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Callers that distinguish objects [as many as needed]."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random strategy.")] = 1,
    names: Annotated[
        bool, typer.Option("--list", help="List the strategies that there are, and stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Compute where a program's small objects should lie, from recorded runs of it.

    Traces of several inputs make one plan. With several strategies, each is put to the simulator,
    and the plan of the one with the least mean time of an access is written.

    Examples:

        abut place --list
        abut place run.trace
        abut place --strategy usage-df -o run.plan run.trace
        abut place --strategy simple,usage-df,combined small.trace large.trace
    """
    from abut.commands.console import console, warn_of_damage

    if names:
        refuse(
            "--list only lists", "strategy", "output", "force", "machine", "depth", "seed", "json"
        )
        from abut.reporters.plan import strategies_table

        console().print(strategies_table())
        return
    if not traces:
        raise AbutError("no trace", fix="abut record -- program args")
    from abut.reporters.plan import choice_document, choice_table, choice_words
    from abut.tuning.choice import choose
    from abut.tuning.strategies import uses

    strategies = strategy.split(",")
    if not any(uses(one, "seed") for one in strategies):
        refuse("none of these strategies draws", "seed")
    if len(strategies) == 1 and not uses(strategy, "cache"):
        refuse("the strategy goes by no caches, and is compared with no other", "machine")
    path = output or _beside(traces[0])
    check_target(path, traces, force=force)
    chosen = choose(traces, strategies, path, cache=machine, depth=depth, seed=seed)
    for trace, damages in chosen.damages.items():
        warn_of_damage(trace, damages)
    if json:
        from abut.reporters.trace import document

        print(document(**choice_document(chosen)))
        return
    if len(chosen.candidates) > 1:
        console().print(choice_table(chosen))
    console().print(choice_words(chosen))
    print(f"next: abut run --plan {shlex.quote(str(path))} -- {chosen.command}")


def _beside(trace: Path) -> Path:
    """The plan's usual name. Raises AbutError where it is no trace: a folder may have no name."""
    from abut.trace import Trace

    if not trace.name:
        Trace(trace)
    return trace.with_suffix(".plan")
