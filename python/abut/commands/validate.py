"""`abut validate`: simulated misses beside what counts them otherwise."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import USAGE, AbutError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abut.measure.counters import Event
    from abut.simulation.validation import Figure

TAKES_PROGRAM = True


def command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="What to run, with its arguments.")
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="counters or cachegrind [counters, where there are any]."
        ),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Compare with cachegrind so often, and show the means."
        ),
    ] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Run a program, and compare the misses that `abut sim` finds with those counted otherwise.

    Where the machine has hardware counters, with those, for its own caches. Elsewhere with
    cachegrind's, for an L1 of 48 KiB and a last level of 1 MiB. A program that does not do the
    same in every run needs several.

    Examples:

        abut validate -- lua5.4 script.lua
        abut validate --against cachegrind -- xmllint --noout big.xml
    """
    from abut.measure.counters import available
    from abut.simulation.validation import HARDWARE

    if against not in (None, "counters", "cachegrind"):
        raise AbutError(
            f"--against {against}: not known",
            fix="choose of counters, cachegrind",
            exit_code=USAGE,
        )
    counters = available(HARDWARE)
    if against == "counters" and not counters.events:
        raise AbutError(
            f"hardware counters: {counters.reason}", fix="abut validate --against cachegrind ..."
        )
    if counters.events and against != "cachegrind":
        _show("counted", _counted(program, counters.events), json, [])
        return
    from abut.simulation.validation import against_cachegrind

    why = [] if against else [f"hardware counters: {counters.reason}; compared with cachegrind"]
    _show("cachegrind", against_cachegrind(program, runs), json, why)
    if not json:
        print(f"next: abut record -- {shlex.join(program)}")


def _counted(program: "Sequence[str]", events: "tuple[Event, ...]") -> "list[Figure]":
    import os
    from pathlib import Path

    from abut.environment import untouched_environment
    from abut.measure.spawn import Launch, run_once
    from abut.program import find_program
    from abut.simulation.presets import find_preset
    from abut.simulation.validation import against_counters

    nowhere = Path(os.devnull)
    launch = Launch(
        argv=(str(find_program(program[0])), *program[1:]),
        environment=untouched_environment(),
        folder=Path.cwd(),
        stdout=nowhere,
        stderr=nowhere,
        events=events,
    )
    counted = run_once(launch).sample.counters
    return against_counters(program, find_preset("this"), counted)


def _show(other: str, figures: "Sequence[Figure]", json: bool, notes: "Sequence[str]") -> None:
    from abut.reporters.validation import figures_json, figures_table

    if json:
        print(figures_json(other, figures, notes))
        return
    from abut.commands.console import console

    for note in notes:
        print(f"note: {note}")
    console().print(figures_table(other, figures))
