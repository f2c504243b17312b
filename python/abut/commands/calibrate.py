"""`abut calibrate`: this machine's core as a machine's file."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from abut.targets import check_target


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.toml", help="The machine's file.")
    ] = Path("this-machine.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Measure this machine: caches, TLBs, memory, misses in flight, and how far streams reach.

    Takes some seconds. What else runs meanwhile makes the machine look slower; where that is
    noticed, a line on standard error says so.

    Examples:

        abut calibrate
        abut calibrate -o mine.toml && abut sim --machine mine.toml run.trace
    """
    check_target(output, force=force)
    from abut.commands.console import warn
    from abut.simulation.calibration import calibrate, machine_file
    from abut.targets import write

    text = machine_file(calibrate(warn)) + "\n"
    write(output, text)
    print(text)
    print(f"next: abut sim --machine {shlex.quote(str(output))} run.trace")
