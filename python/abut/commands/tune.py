"""`abut tune`: finds out which settings of the heap make a program faster, and keeps what wins."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import INTERRUPTED, NO, AbutError, unknown
from abut.targets import check_targets
from abut.verb import refuse

if TYPE_CHECKING:
    from abut.tuning.runs import Input
    from abut.tuning.tuning import Request, Tuning

TAKES_PROGRAM = True
_BUDGET = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_LABELS = ("default", "profile")  # of what --explain records
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def command(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM", help="What to tune, with its arguments."),
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(metavar="'CMD'", help="Another command to choose by, or the first one."),
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(metavar="'CMD'", help="A command with which the choice must win, too."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The profile [PROGRAM.profile]."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the profile.")] = False,
    time_budget: Annotated[
        str, typer.Option(metavar="TIME", help="About how long it may take: 90s, 5m, 1h.")
    ] = "5m",
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="FIGURE",
            help="user, wall or rss, or a sum: `0.7*user + 0.3*rss` [user, or what the"
            " profile of --check was tuned for].",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="'CMD'",
            help="PROGRAM is a server; this command measures it, and prints the figure last.",
        ),
    ] = None,
    better: Annotated[
        str | None,
        typer.Option(metavar="higher|lower", help="Which figures of --measure are better."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Only measure whether this profile still wins."),
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE.html",
            help="Record a run as by default and one with the profile, and write the report of"
            " both; where the default is kept, of that.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Race settings of the heap on a program, and keep what wins as a profile.

    Each round runs the default and those settings that are left, in shuffled order; the best half
    goes on. Where there is time to record a run, places for its objects are raced, too. The best is
    measured against the default once more: with the commands of --test, if there are any. What does
    not win beyond chance is not kept: "keep the default", exit code 0.
    Ctrl-C keeps the best so far, and the same command goes on from there.

    With --check, exit code 1 says that the profile no longer wins.

    Examples:

        abut tune -- lua5.4 script.lua
        abut tune --train 'jq . a.json' --train 'jq . b.json' --test 'jq . c.json'
        abut tune --objective '0.7*user + 0.3*rss' -- xmllint --noout big.xml
        abut tune --measure ./load.sh --better higher -- redis-server --port 7777
        abut tune --check lua5.4.profile -- lua5.4 script.lua
    """
    from abut.advice.explain import files_of

    inputs = _inputs(program, train or [], measure)
    tests = _tests(inputs, test or [], measure)
    request = _request(
        inputs,
        tests,
        output or Path(Path(inputs[0].argv[0]).name + ".profile"),
        _budget(time_budget),
        objective or "user",
        better if measure else None,
    )
    if measure is None:
        refuse("there is no --measure whose figure it would be of", "better")
    if check or measure:
        refuse("it is of a program that is tuned, and ends by itself", "explain")
    if check:
        raise typer.Exit(_check(request, check, objective, json=json))
    pages = files_of(explain, _LABELS) if explain else []
    check_targets(request.output, request.plan, *pages, force=force)
    raise typer.Exit(_tune(request, explain, json=json))


def _tune(request: "Request", page: Path | None, *, json: bool) -> int:
    from abut.measure.spawn import end_in_order
    from abut.reporters.tune import tuning_table, tuning_words
    from abut.tuning.tune import tune

    end_in_order()
    result = tune(request)
    if not json and result.standings:
        from abut.commands.console import console

        console().print(tuning_table(result))
    *words, next_step = tuning_words(result)
    _print(result, words, json=json)
    if page and not result.interrupted:
        _explain(result, page, quiet=json)
    if not json:
        print(next_step)
    return INTERRUPTED if result.interrupted else 0


def _explain(result: "Tuning", page: Path, *, quiet: bool) -> None:
    """With the default, and with what won."""
    from abut.advice.explain import Side, explain

    request = result.request
    sides = [Side(_LABELS[0], "abut")]
    if result.winner:
        profile = {"ABUT_PROFILE": str(request.output.absolute())}
        sides.append(Side(_LABELS[1], "abut", profile))
    explain(page, request.train[0].argv, sides, result.took, quiet=quiet)


def _check(request: "Request", path: Path, objective: str | None, *, json: bool) -> int:
    from dataclasses import replace

    from abut.measure.spawn import end_in_order
    from abut.program import find_program
    from abut.reporters.tune import check_words
    from abut.tuning.objective import MEASURED, objective_of
    from abut.tuning.profile import policy_of, read_profile
    from abut.tuning.program import other_program
    from abut.tuning.tune import check

    refuse("--check writes no profile", "output", "force")
    profile, first = read_profile(path), request.train[0]
    if objective is None and profile.objective and not first.measure:
        if profile.objective == MEASURED:
            raise AbutError(
                f"{path}: was tuned with a figure of --measure",
                fix="give the same --measure and --better, or --objective",
            )
        request = replace(request, objective=objective_of(profile.objective))
    if warning := other_program(path, profile, find_program(first.argv[0])):
        print(f"abut: {warning}", file=sys.stderr)
    end_in_order()
    result = check(request, policy_of(path, profile))
    _print(result, check_words(result, path, is_other=bool(warning)), json=json)
    return 0 if result.winner else NO


def _print(result: "Tuning", words: list[str], *, json: bool) -> None:
    if json:
        from abut.reporters.trace import document
        from abut.reporters.tune import tuning_document

        print(document(**tuning_document(result)))
        return
    print(*words, sep="\n")


def _request(
    train: "list[Input]",
    test: "list[Input]",
    output: Path,
    budget: float,
    objective: str,
    better: str | None,
) -> "Request":
    from abut.tuning.objective import MEASURED, Objective, objective_of
    from abut.tuning.policies import declared_axes
    from abut.tuning.tuning import Request

    chosen = objective_of(objective)
    if train[0].measure:
        refuse("--measure gives the figure", "objective")
        if better not in ("higher", "lower"):
            raise unknown("--better", better or "", ["higher", "lower"])
        chosen = Objective({MEASURED: 1.0}, more_is_better=better == "higher")
    return Request(
        train, test, declared_axes(chosen.weights), chosen, budget, output, _show_progress
    )


def _inputs(program: list[str] | None, train: list[str], measure: str | None) -> "list[Input]":
    from abut.tuning.runs import Input

    if measure is not None:
        refuse("with --measure, the server after -- is what is tuned", "train")
    first = [tuple(program)] if program else []
    commands = [*first, *(_words("--train", text) for text in train)]
    if not commands:
        raise AbutError(
            "nothing to tune: name a program",
            fix="abut tune -- PROGRAM ARGS..., or --train 'PROGRAM ARGS...'",
        )
    loads = _words("--measure", measure) if measure is not None else ()
    return [Input(one, loads) for one in commands]


def _tests(inputs: "list[Input]", test: list[str], measure: str | None) -> "list[Input]":
    """Other commands; of a server, other commands that measure it."""
    from abut.tuning.runs import Input

    commands = [_words("--test", text) for text in test]
    if measure is not None:
        return [Input(inputs[0].argv, one) for one in commands]
    tests = [Input(one) for one in commands]
    if same := next((one for one in tests if one in inputs), None):
        raise AbutError(
            f"--test '{shlex.join(same.argv)}': it is trained with the same command",
            fix="test with another input",
        )
    return tests


def _show_progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"abut: {what}", file=sys.stderr)


def _budget(text: str) -> float:
    found = _BUDGET.fullmatch(text)
    if not found or not float(found[1]):
        raise AbutError(f"--time-budget {text}: no time", fix="say 90s, 5m or 1h")
    return float(found[1]) * _SECONDS[found[2]]


def _words(option: str, text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        fix = "close it, or escape it with a backslash"
        raise AbutError(f"{option} {text}: {error}", fix=fix) from error
    if not words:
        raise AbutError(f"{option} {text!r}: no program", fix=f"{option} 'prog args'")
    return words
