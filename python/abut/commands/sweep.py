"""`abut sweep`: many runs, machines and layouts, simulated once each and kept."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from abut.verb import refuse


def command(
    traces: Annotated[
        list[Path], typer.Argument(metavar="TRACE...", help="Traces that abut record wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE.jsonl", help="Where results are kept."),
    ],
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml,...", help="Whose caches and cores.")
    ] = "modern",
    layout: Annotated[
        str, typer.Option(metavar="A,B,...", help="Where objects lie, as for `abut sim`.")
    ] = "recorded",
    seed: Annotated[int, typer.Option(min=0, help="Of the random layout.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.")] = 0,
    scheduler: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers do the work."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Simulate every run on every machine under every layout, and keep what was found.

    A line of the file is one run on one machine under one layout. What is there is not simulated
    again: the same command goes on where it was stopped, or where its workers died, and more
    traces or machines add lines. One pass over a trace serves all machines. Beside other layouts,
    `recorded` is without the allocator's accesses. With --scheduler the workers of a cluster do
    the work; they must see the same files.

    Examples:

        abut sweep -o sweep.jsonl --machine zen4,zen5 *.trace
        abut sweep -o sweep.jsonl --layout recorded,line,size runs/*.trace
        abut sweep -o sweep.jsonl --scheduler tcp://head:8786 /shared/*.trace
    """
    from abut.commands.console import console, warn
    from abut.commands.sim import jobs_of
    from abut.reporters.machines import sweep_json, sweep_table
    from abut.reporters.progress import share_done
    from abut.simulation.sweep import Failed, left_of, sweep
    from abut.targets import check_kept
    from abut.tuning.layouts import is_drawn

    if scheduler:
        refuse("the scheduler's workers do the work", "jobs")
    if not any(map(is_drawn, layout.split(","))):
        refuse("none of these layouts is drawn by chance", "seed")
    for trace in traces:
        _check(trace)
    check_kept(output, traces)
    wanted = jobs_of(traces, machine, layout, seed=seed)
    pieces = left_of(wanted, output)
    processes = jobs or len(os.sched_getaffinity(0))
    failed: list[Failed] = []
    with share_done("simulating") as done:
        for number, found in enumerate(sweep(pieces, output, processes, scheduler), 1):
            done(number / len(pieces))
            if isinstance(found, Failed):
                failed.append(found)
                warn(f"{found.trace}, {found.layout}: {found.problem}")
    if json:
        print(sweep_json(output, wanted, failed))
    else:
        console().print(sweep_table(output, wanted))
        print(f"next: abut report {shlex.quote(str(traces[0]))}")
    if failed:
        raise typer.Exit(1)


def _check(trace: Path) -> None:
    """Early, and by name: not by a worker, in hours. Raises AbutError."""
    from abut.trace.reader import Trace

    Trace(str(trace))
