"""`abut report`: what a program's heap costs and what would improve it, as one page."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abut.errors import NO, AbutError
from abut.verb import refuse

if TYPE_CHECKING:
    from abut.simulation.presets import Preset
    from abut.simulation.report import Request

_MOST_TRACES = 2
_PAGE = "report.html"
_ALL = 100  # percent
_LAYOUTS, _MOST = "combined,usage-df,simple", 150_000_000


def command(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE|FILE.json...",
            help="A trace, or two to be compared; what `abut compare --output` and"
            " `abut tune --json` wrote.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page.")
    ] = Path(_PAGE),
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml|this", help="Which caches to simulate.")
    ] = "modern",
    layouts: Annotated[
        str,
        typer.Option(metavar="NAME,...", help="Strategies to look for a better layout by; none."),
    ] = _LAYOUTS,
    most: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Accesses to look at; of longer runs, in windows."),
    ] = _MOST,
    instructions: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Instructions of the run [as the trace says]."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="More rules that name contexts [abut-names.toml]."),
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Show the first screen here, and write no page.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was found as one JSON object, and no page.")
    ] = False,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="max-loss=SHARE", help="Exit with 1 if a change is predicted to save more."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn by chance.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
) -> None:
    """Say what to change so that a program's memory costs less, and write a page about its heap.

    First how much layout could save at most, the largest changes, each with its reason, what it is
    predicted to gain and what to type; then fields, sharing, memory, maps, flame graphs, curves.
    The page is one file that needs no network. With a second trace, both are shown side by side;
    else the best layout found takes its place.

    Examples:

        abut report lua5.4.trace
        abut report --terminal lua5.4.trace
        abut report --check max-loss=5% lua5.4.trace
        abut report -o both.html glibc.trace abut.trace
        abut report lua5.4.trace compare.json tune.json
    """
    from abut.advice.advise import advise
    from abut.measure.saved import sorted_out
    from abut.reporters.report import report_document
    from abut.simulation.presets import find_preset
    from abut.simulation.report import Request
    from abut.targets import check_target
    from abut.trace.names import read_rules
    from abut.tuning.strategies import uses

    page = not (terminal or as_json)
    if page:
        check_target(output, inputs, force=force)
    else:
        refuse("no page is written", "output", "force", "instructions")
        refuse("a better layout is looked for where a page is written", "layouts")
    if terminal and as_json:
        refuse("--json prints all that there is", "terminal")
    traces, comparisons, tunings = sorted_out(inputs)
    if len(traces) > _MOST_TRACES:
        raise AbutError("more than two traces", fix="name one or two")
    if not traces:
        of_traces = ("machine", "layouts", "most", "instructions", "seed", "jobs", "names", "check")
        refuse("there is no trace to look into", *of_traces)
    elif len(traces) > 1:
        refuse("two traces are compared, and no layout is looked for", "layouts")
    most_loss = None if check is None else _share(check)
    preset = find_preset(machine)
    strategies = [one for one in layouts.split(",") if one] if layouts != "none" else []
    strategies = strategies if page and len(traces) == 1 else []
    if not any(uses(one, "seed") for one in strategies):
        refuse("no strategy that looks for a better layout draws", "seed")
    find_layout = _finder(strategies)
    request = Request(
        "", preset, find_layout, most, seed, jobs, find_advice=advise, rules=read_rules(names)
    )
    reports = _trace_reports(traces, request)
    document = report_document(
        reports,
        comparisons,
        tunings,
        arguments=_arguments(
            inputs,
            output=str(output),
            machine=machine,
            layouts=layouts,
            most=most,
            instructions=instructions,
            names=str(names) if names else None,
            seed=seed,
        ),
        between=_between(traces, preset, most) if page and len(traces) > 1 else None,
        instructions=instructions,
    )
    _answer(document, output if page else None, as_json=as_json)
    if most_loss is not None:
        _check(document, most_loss)


def _answer(document: dict[str, Any], output: Path | None, *, as_json: bool) -> None:
    """Print or write what was found."""
    from abut.commands.console import console
    from abut.reporters.advice import answer_of
    from abut.reporters.html import page
    from abut.reporters.terminal import first_screen
    from abut.targets import write

    for warning in document["warnings"]:
        print(f"abut: {warning}", file=sys.stderr)
    if as_json:
        print(json.dumps(answer_of(document), allow_nan=False))
        return
    if output is None:
        console(wide=False).print(*first_screen(document), sep="\n")
    else:
        text = page(document)
        size = write(output, text)
        for sentence in document["sentences"]:
            print(f"- {sentence}")
        print(f"{output}: {size / 1e6:.1f} MB, opens in any browser")
    print(f"next: {document['next']}")


def _share(check: str) -> float:
    """What `max-loss=5%` allows, as a share. Raises AbutError."""
    found = re.fullmatch(r"max-loss=(\d+(?:\.\d+)?)%", check)
    if not found or float(found[1]) > _ALL:
        raise AbutError(f"--check {check}: not known", fix="--check max-loss=5%")
    return float(found[1]) / _ALL


def _check(document: dict[str, Any], most_loss: float) -> None:
    """Raise AbutError where a change would save more than that."""
    for one in document["reports"]:
        advice = one["advice"]
        for number in advice["actions"][:1] if advice else []:
            culprit = advice["culprits"][number]
            if culprit["gain"] > most_loss:
                raise AbutError(
                    f"{one['trace']['path']}: {culprit['gain']:.1%} of the time is lost, more than "
                    f"{most_loss:.1%}: {culprit['name']}, {culprit['reason']}",
                    fix=culprit["action"]["title"],
                    exit_code=NO,
                )


def _arguments(inputs: list[Path], **options: str | int | None) -> list[str]:
    """What makes the page again: the inputs, and options that are not what they are by default."""
    usual = {"output": _PAGE, "machine": "modern", "layouts": _LAYOUTS, "most": _MOST, "seed": 1}
    changed = [
        word
        for name, value in options.items()
        if value != usual.get(name)
        for word in (f"--{name}", str(value))
    ]
    return [*changed, *map(str, inputs)]


def _finder(names: list[str]) -> "Callable[[Request], dict[str, Any]] | None":
    from abut.tuning.best_layout import best_layout
    from abut.tuning.strategies import find_strategy

    for name in names:
        find_strategy(name)
    return partial(best_layout, strategies=names) if names else None


def _trace_reports(traces: list[Path], request: "Request") -> list[dict[str, Any]]:
    from abut.simulation.report import trace_report

    found = []
    for trace in traces:
        if sys.stderr.isatty():
            print(f"abut: looking through {trace}", file=sys.stderr)
        found.append(trace_report(replace(request, trace=str(trace))))
    return found


def _between(traces: list[Path], preset: "Preset", most: int) -> list[dict[str, Any]]:
    from abut.simulation.report import difference

    return difference(str(traces[0]), str(traces[1]), preset, most)
