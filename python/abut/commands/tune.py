"""`abut tune`: finds out whether a plan makes a program faster, and which."""

import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from abut.errors import NO, USAGE, AbutError
from abut.targets import check_target

TAKES_PROGRAM = True
_BUDGET = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="What to tune, with its arguments.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PLAN", help="The plan's file [PROGRAM.plan]."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the plan.")] = False,
    budget: Annotated[
        str, typer.Option(metavar="TIME", help="About how long it may take: 90s, 5m, 1h.")
    ] = "5m",
    runs: Annotated[
        int | None,
        typer.Option(min=3, metavar="N", help="Runs of each [as many as there is time]."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="'-- PROGRAM ARGS'", help="Another input on which it must not lose."),
    ] = None,
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml|this", help="Which caches to simulate.")
    ] = "modern",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Record a program, plan where its objects should lie, and keep the plan only if it is faster.

    Plans by several strategies are ranked in the simulator; the best few are measured in turn with
    plain abut and the system's allocator. A plan is written if it beats both beyond chance, twice,
    and loses on no other input; otherwise it says that nothing beats the default, and why, and
    exits with 1.

    Examples:

        abut tune -- lua5.4 script.lua
        abut tune --also '-- lua5.4 other.lua' -- lua5.4 script.lua
    """
    from abut.commands.console import console
    from abut.reporters.tune import QuietWatcher, tuning_document, tuning_table, tuning_words
    from abut.tuning.tune import Request, tune

    path = output or Path(Path(program[0]).name + ".plan")
    check_target(path, [], force=force)
    with tempfile.TemporaryDirectory(prefix="abut-tune-") as folder:
        request = Request(
            argv=program,
            also=[_also(text) for text in also or []],
            budget=_seconds(budget),
            runs=runs,
            output=path,
            cache=machine,
            folder=Path(folder),
            progress=_show_progress,
        )
        result = tune(request, QuietWatcher())
    if json:
        from abut.reporters.trace import document

        print(document(**tuning_document(result)))
        raise typer.Exit(0 if result.winner else NO)
    out = console()
    if result.candidates:
        out.print(tuning_table(result))
    for sentence in tuning_words(result):
        out.print(sentence, markup=False)
    raise typer.Exit(0 if result.winner else NO)


def _show_progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"abut: {what}", file=sys.stderr)


def _seconds(text: str) -> float:
    found = _BUDGET.fullmatch(text)
    if not found or not float(found[1]):
        raise AbutError(f"--budget {text}: no time", fix="say 90s, 5m or 1h", exit_code=USAGE)
    return float(found[1]) * _SECONDS[found[2]]


def _also(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise AbutError(f"--also {text}: {error}", exit_code=USAGE) from error
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise AbutError(
            f"--also {text!r}: no program", fix="--also '-- prog other args'", exit_code=USAGE
        )
    return words
