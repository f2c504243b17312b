"""`abut run`: a program under abut's heap, or another one, with nothing in between.

This process becomes the program (exec), so exit code, signals, streams and children are its own.
"""

import errno
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from abut.checking import checked_heap
from abut.environment import untouched_environment
from abut.errors import NOT_EXECUTABLE, RUN_FAILED, USAGE, AbutError
from abut.heaps import Heap, preload, require_heap
from abut.library import load_library
from abut.program import FOR_MUSL, find_program, preload_obstacle, prepare_exec
from abut.settings import environment_of
from abut.targets import check_targets
from abut.verb import refuse

TAKES_PROGRAM = True


def command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="What to run, with its arguments.")
    ],
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the heap."),
    ] = None,
    stats: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the heap's statistics there at exit, as JSON (%p: process id).",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Say at exit which objects were put beside which, and why not others."
        ),
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="PLAN", help="Put objects where `abut place` planned."),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="PROFILE", help="Use the settings that `abut tune` kept."),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write what --explain says there, as JSON (%p: process id)."
        ),
    ] = None,
    heap: Annotated[
        str, typer.Option(help="A heap that `abut heaps` lists, or a library's path.")
    ] = "abut",
    check: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Find writes beyond blocks (tail), or to what was freed (quarantine), or both"
            " (tail,quarantine).",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the files of --stats and --json.")
    ] = False,
) -> None:
    """Run a program under abut's heap. Nothing of the program needs to change.

    Its exit code, signals, standard streams and children pass through untouched. abut's own
    failures exit with 125, a program that cannot be executed with 126, one not found with 127.

    Examples:

        abut run -- lua5.4 script.lua
        abut run --stats heap.json --option decay_ms=0 -- xmllint --noout big.xml
        abut run --explain -- xmllint --noout big.xml
        abut run --profile lua5.4.profile -- lua5.4 script.lua
        abut run --option place=pools --json groups.json -- xmllint --noout big.xml
        abut run --heap mimalloc -- lua5.4 script.lua
        abut run --check tail,quarantine -- ./my-program
    """
    try:
        environment = untouched_environment()
        if not (stats or json):
            refuse("no file is written", "force")
        check_targets(stats, json, force=force)
        found = require_heap(heap)
        settings = _settings(found, option or [], stats, json, plan, profile, explain=explain)
        if check is not None:
            found = checked_heap(found, check, settings)
        environment |= settings
        environment |= found.environment
        chosen = preload(found, environment.get("LD_PRELOAD", ""))
    except AbutError as error:
        if error.exit_code is None:
            error.exit_code = RUN_FAILED
        raise
    if chosen:
        environment["LD_PRELOAD"] = chosen
    path = find_program(program[0])
    if plan:
        from abut.tuning.program import check_program

        check_program(plan, path)
    if profile:
        _warn_of_other_program(profile, path)
    if chosen and (obstacle := preload_obstacle(path)):
        print(f"abut: warning: {heap}'s heap has no effect: {obstacle}", file=sys.stderr)
        if FOR_MUSL in obstacle:
            # The loader of musl ends the program where it cannot load the library.
            environment = untouched_environment()
    _become(path, program, environment)


def _settings(
    heap: Heap,
    options: list[str],
    stats: Path | None,
    json: Path | None,
    plan: Path | None,
    profile: Path | None,
    *,
    explain: bool,
) -> dict[str, str]:
    given = {
        "option": options,
        "stats": stats,
        "explain": explain,
        "json": json,
        "plan": plan,
        "profile": profile,
    }
    if idle := [f"--{name}" for name, one in given.items() if one and name not in heap.options]:
        raise AbutError(
            f"{', '.join(idle)}: without effect under {heap.name}",
            fix="leave that out, or leave --heap out",
            exit_code=USAGE,
        )
    variables = environment_of(options, load_library().options()) if options else {}
    if stats:
        # The program may change its folder before it ends.
        variables["ABUT_STATS"] = str(stats.absolute())
    if plan:
        variables["ABUT_PLAN"] = str(plan.absolute())
    if profile:
        from abut.tuning.profile import read_profile

        read_profile(profile)
        variables["ABUT_PROFILE"] = str(profile.absolute())
    if json:
        variables["ABUT_EXPLAIN_FILE"] = str(json.absolute())
    if explain:
        variables["ABUT_EXPLAIN"] = "on"
    return variables


def _warn_of_other_program(profile: Path, path: Path) -> None:
    from abut.tuning.profile import read_profile
    from abut.tuning.program import other_program

    if warning := other_program(profile, read_profile(profile), path):
        print(f"abut: {warning}", file=sys.stderr)


def _become(path: Path, program: list[str], environment: dict[str, str]) -> None:
    prepare_exec()
    try:
        _exec(path, program, environment)
    except OSError as error:
        raise AbutError(
            f"{path}: {error.strerror}",
            fix="check that it is a program for this machine",
            exit_code=NOT_EXECUTABLE,
        ) from error


def _exec(path: Path, program: list[str], environment: dict[str, str]) -> None:
    try:
        os.execve(path, program, environment)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
    # A script without a `#!` line is the shell's, as execvp(3) has it.
    os.execve("/bin/sh", ["sh", str(path), *program[1:]], environment)
