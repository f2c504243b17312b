"""A strategy for each call site: `python -m abut_papers.cyll.by_site TRACE [--file FILE.toml]`.

His strategies place all objects of a program alike, and he leaves programs with several patterns to
the programmer's own (section 4.10). The file says which strategy places what a site allocates:

    rest = "simple"          # of all sites that are not named
    [sites]
    3 = "usage-df"

Without a file, the sites are listed with their numbers.
"""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from abut.errors import AbutError
from abut.targets import check_target
from abut.trace.reader import Trace
from abut.tuning.objects import GRANULE, Layout, Objects
from abut.tuning.plan import PAGE, write_plan
from abut.tuning.planning import Recorded, make_plan, read_recorded
from abut.tuning.strategies import Strategy, find_strategy


def strategy_of(choices: Mapping[int, str], rest: str = "simple") -> Strategy:
    """Each site's objects by its own strategy, in a part of the memory of their own."""

    def place(objects: Objects) -> Layout:
        offsets = np.full(len(objects), -1, np.int64)
        end = 0
        for name in dict.fromkeys((*choices.values(), rest)):
            sites = [site for site, chosen in choices.items() if chosen == name]
            mine = np.isin(objects.context, sites)
            if name == rest:
                mine |= ~np.isin(objects.context, list(choices))
            placed = find_strategy(name).place(
                replace(objects, context=np.where(mine, objects.context, 0).astype(np.uint32))
            )
            known = mine & (placed.offsets >= 0)
            offsets[known] = placed.offsets[known] + end
            most = objects.most[known] + placed.offsets[known]
            end += -(-int(most.max(initial=0)) // PAGE) * PAGE
        return Layout(offsets // GRANULE * GRANULE)

    return Strategy("by-site", "a strategy for each call site", place)


def read_choices(path: Path) -> tuple[dict[int, str], str]:
    """By site the strategy that a file names, and that of all others. Raises AbutError."""
    try:
        found = tomllib.loads(path.read_text())
        choices = {int(site): str(name) for site, name in found.get("sites", {}).items()}
    except (OSError, ValueError) as error:
        fix = 'write rest = "NAME" and [sites] with NUMBER = "NAME"'
        raise AbutError(f"{path}: {error}", fix=fix) from error
    for name in (*choices.values(), found.get("rest", "simple")):
        find_strategy(name)
    return choices, found.get("rest", "simple")


def sites(run: Recorded) -> list[tuple[int, int, int, str]]:
    """A row a site: its number, objects, bytes, and the innermost place of its call chain."""
    numbers, counts = np.unique(run.objects.context, return_counts=True)
    sums = np.bincount(run.objects.context, run.objects.size)
    return [
        (number, count, int(sums[number]), f"+{run.keys.keys[number - 1][0][1]:#x}")
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
        if number
    ]


def main(
    trace: Path,
    file: Annotated[Path | None, typer.Option(help="Which strategy for which site.")] = None,
    output: Annotated[Path, typer.Option("-o", help="The plan's file.")] = Path("by-site.plan"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the plan.")] = False,
) -> None:
    """List the call sites of a recorded run, or make a plan with a strategy for each."""
    try:
        run = read_recorded(Trace(trace))
        if file is None:
            for number, count, total, place in sites(run):
                print(f"{number} {place} {count} objects {total} bytes")
            return
        check_target(output, [trace, file], force=force)
        write_plan(make_plan([run], strategy_of(*read_choices(file))), output)
        print(f"next: abut run --plan {output} -- PROGRAM")
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        raise typer.Exit(error.exit_code or 1) from error


if __name__ == "__main__":
    typer.run(main)
