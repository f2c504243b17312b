"""`abut validate`: predicted times, or simulated misses, beside what was measured."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import AbutError
from abut.verb import refuse, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abut.measure.counters import Event
    from abut.simulation.validation import Figure

TAKES_PROGRAM = True
_HEAPS = "glibc,jemalloc,mimalloc,tcmalloc,abut,abut+order=birth,abut+place=off"


def command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="What to run, with its arguments.")
    ],
    against: Annotated[
        str,
        typer.Option(metavar="WHAT", help="time; or misses, by counters or cachegrind."),
    ] = "time",
    heaps: Annotated[
        str, typer.Option(metavar="NAME,...", help="Heaps, named as for `abut compare`.")
    ] = _HEAPS,
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml", help="Whose core predicts the time.")
    ] = "zen5",
    accesses: Annotated[
        int,
        typer.Option(metavar="N", min=1_000_000, help="Of each run, simulate about so many."),
    ] = 100_000_000,
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of runs [5; 1 with cachegrind]."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Predict a program's time under each heap, measure the same, and show both.

    Predictions are of a simulated core, for recorded parts of the run; measured is user time, in
    rounds whose order is shuffled. Recording takes some tens of times as long as a run.

    Or compare the misses that `abut sim` finds with the machine's counters, for its own caches;
    or with cachegrind's, for an L1 of 48 KiB and a last level of 1 MiB.

    Examples:

        abut validate -- lua5.4 script.lua
        abut validate --heaps glibc,abut --machine mine.toml -- lua5.4 script.lua
        abut validate --against cachegrind -- xmllint --noout big.xml
    """
    from abut.measure.spawn import end_in_order

    end_in_order()
    if against == "time":
        _times(program, heaps, machine, accesses, runs or 5, json=json)
        return
    refuse("misses are compared, and not times", "heaps", "machine", "accesses")
    if against == "counters":
        refuse("counters count one run", "runs")
    _misses(program, against, runs or 1, json=json)


def _times(
    program: "Sequence[str]", heaps: str, machine: str, accesses: int, runs: int, *, json: bool
) -> None:
    from abut.heaps import find_heaps
    from abut.measure.measurement import Plan
    from abut.measure.tasks import program_tasks
    from abut.reporters.validation import times_json, times_table, times_words
    from abut.simulation.presets import find_preset
    from abut.simulation.times import compare_times

    found, missing = find_heaps(words_of(heaps))
    if not found:
        raise AbutError("none of these heaps is installed", fix=missing[0].fix)
    preset = find_preset(machine)
    (task,) = program_tasks(program, None)
    times = compare_times(task.prepare(), found, preset, Plan(runs, 1, 1), accesses)
    if json:
        print(times_json(times, [heap.name for heap in missing]))
        return
    from abut.commands.console import console

    for heap in missing:
        print(f"note: {heap.name} is not installed: {heap.fix}")
    for note in times.notes:
        print(f"note: {times.program}: {note}")
    console().print(times_table(times))
    console().print(times_words(times))
    print(f"next: abut record -- {shlex.join(program)}")


def _misses(program: "Sequence[str]", against: str, runs: int, *, json: bool) -> None:
    from abut.measure.counters import available
    from abut.simulation.validation import HARDWARE, against_cachegrind

    if against == "cachegrind":
        _show("cachegrind", against_cachegrind(program, runs), json=json)
    elif against == "counters":
        counters = available(HARDWARE)
        if not counters.events:
            raise AbutError(
                f"hardware counters: {counters.reason}",
                fix="abut validate --against cachegrind ...",
            )
        _show("counted", _counted(program, counters.events), json=json)
    else:
        raise AbutError(
            f"--against {against}: not known", fix="choose of time, counters, cachegrind"
        )
    if not json:
        print(f"next: abut record -- {shlex.join(program)}")


def _counted(program: "Sequence[str]", events: "tuple[Event, ...]") -> "list[Figure]":
    import os

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


def _show(other: str, figures: "Sequence[Figure]", *, json: bool) -> None:
    from abut.commands.console import console
    from abut.reporters.validation import figures_json, figures_table

    if json:
        print(figures_json(other, figures))
    else:
        console().print(figures_table(other, figures))
