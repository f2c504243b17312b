"""`abut report`: what a program's heap costs and what would improve it, as one page."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abut.errors import USAGE, AbutError
from abut.verb import refuse

if TYPE_CHECKING:
    from abut.simulation.presets import Preset

_MOST_TRACES = 2
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
    ] = Path("report.html"),
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
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn by chance.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
) -> None:
    """Write a page that says what a heap costs, who wastes most, and what would improve it.

    One file, under 10 MB, that needs no network: the verdict, use of lines, maps of the heap, flame
    graphs, miss curves, what is used together, pages, each context closely, and why to trust it.
    With a second trace, both are shown side by side; else the best layout found takes its place.

    Examples:

        abut report lua5.4.trace
        abut report -o both.html glibc.trace abut.trace
        abut report lua5.4.trace compare.json tune.json
    """
    from abut.measure.saved import sorted_out
    from abut.reporters.html import page
    from abut.reporters.report import report_document
    from abut.simulation.presets import find_preset
    from abut.targets import check_target, write

    check_target(output, inputs, force=force)
    traces, comparisons, tunings = sorted_out(inputs)
    if len(traces) > _MOST_TRACES:
        raise AbutError("more than two traces", fix="name one or two", exit_code=USAGE)
    if not traces:
        of_traces = ("machine", "layouts", "most", "instructions", "seed", "jobs")
        refuse("there is no trace to look into", *of_traces)
    elif len(traces) > 1:
        refuse("two traces are compared, and no layout is looked for", "layouts")
    preset = find_preset(machine)
    names = [] if layouts == "none" else [one for one in layouts.split(",") if one]
    reports = _trace_reports(traces, preset, names if len(traces) == 1 else [], most, seed, jobs)
    document = report_document(
        reports,
        comparisons,
        tunings,
        arguments=_arguments(inputs, machine=machine, layouts=layouts, most=most, seed=seed),
        between=_between(traces, preset, most) if len(traces) > 1 else None,
        instructions=instructions,
    )
    text = page(document)
    write(output, text)
    for warning in document["warnings"]:
        print(f"abut: {warning}", file=sys.stderr)
    for sentence in document["sentences"]:
        print(f"- {sentence}")
    print(f"{output}: {len(text.encode()) / 1e6:.1f} MB, opens in any browser")
    print(f"next: {document['next']}")


def _arguments(inputs: list[Path], **options: str | int) -> list[str]:
    """What makes the page again: the inputs, and options that are not what they are by default."""
    usual = {"machine": "modern", "layouts": _LAYOUTS, "most": _MOST, "seed": 1}
    changed = [
        word
        for name, value in options.items()
        if value != usual[name]
        for word in (f"--{name}", str(value))
    ]
    return [*changed, *map(str, inputs)]


def _trace_reports(
    traces: list[Path], preset: "Preset", names: list[str], most: int, seed: int, jobs: int
) -> list[dict[str, Any]]:
    from abut.simulation.report import Request, trace_report
    from abut.tuning.best_layout import best_layout
    from abut.tuning.strategies import find_strategy

    for name in names:
        find_strategy(name)
    find = partial(best_layout, strategies=names) if names else None
    found = []
    for trace in traces:
        if sys.stderr.isatty():
            print(f"abut: looking through {trace}", file=sys.stderr)
        found.append(trace_report(Request(str(trace), preset, find, most, seed, jobs)))
    return found


def _between(traces: list[Path], preset: "Preset", most: int) -> list[dict[str, Any]]:
    from abut.simulation.report import difference

    return difference(str(traces[0]), str(traces[1]), preset, most)
