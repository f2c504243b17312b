"""`abut bench`: a paper's measurements, repeated on programs and heaps of today."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import USAGE
from abut.targets import check_target, written
from abut.verb import refuse

if TYPE_CHECKING:
    from abut.bench import Request

_OF_PAPERS = ("programs", "heaps", "suite", "recorded", "traces", "fresh", "json", "plot", "force")


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="Which; without it, they are listed.")
    ] = None,
    programs: Annotated[
        str, typer.Option(metavar="NAME,...", help="Benchmarks of the suite [the paper's own].")
    ] = "",
    heaps: Annotated[
        str, typer.Option(metavar="NAME,...", help="Heaps to run them under [the paper's own].")
    ] = "",
    suite: Annotated[
        str, typer.Option(metavar="NAME", help="The programs' size: quick, daily or full.")
    ] = "quick",
    recorded: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Their size where recorded; for that, there is small [as --suite]."
        ),
    ] = "",
    traces: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where traces are kept [~/.cache/abut/traces]."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Record again what is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the figures (.png or .svg).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
) -> None:
    """Measure what a paper measured. Programs are recorded once, which takes a while; traces stay.

    Examples:

        abut bench
        abut bench vam --plot vam.svg
        abut bench vam --recorded small
        abut bench vam --programs sqlite --heaps glibc,abut --json
    """
    from abut.bench import Request, find_paper
    from abut.commands.console import console
    from abut.places import cache_folder
    from abut.reporters.trace import document

    if name is None:
        refuse("without a paper, they are listed", *_OF_PAPERS)
        _list_papers()
        return
    paper = find_paper(name)
    refuse(f"{name} has no use for it", *getattr(paper, "IGNORES", ()))
    _check_plot(plot, force=force)
    request = Request(
        programs=_words(programs) or paper.PROGRAMS,
        heaps=_words(heaps) or paper.HEAPS,
        suite=suite,
        traces=traces or cache_folder() / "traces",
        fresh=fresh,
        progress=_show_progress,
        recorded_suite=recorded,
    )
    result = paper.measure(request)
    if plot:
        with written(plot) as unfinished:
            result.draw(unfinished)
    if json:
        print(document(paper=name, left_out=request.left_out, **result.document()))
    else:
        for sentence in result.verdict():
            print(sentence)
        console().print(*result.tables(), sep="\n")
        print(_next_step(name, plot))
    _report_left_out(request)


def _report_left_out(request: "Request") -> None:
    """What failed ends the command as a failure, after all that did not."""
    for what, why in request.left_out.items():
        print(f"abut: {what} is left out: {why}", file=sys.stderr)
    if request.left_out:
        raise typer.Exit(USAGE)


def _list_papers() -> None:
    from abut.bench import find_paper, papers

    if not papers():
        print("no papers are installed")
        return
    for paper in papers():
        print(f"{paper:<8} {find_paper(paper).ABOUT}")
    print(f"next: abut bench {papers()[0]}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _check_plot(plot: Path | None, *, force: bool) -> None:
    if plot is None:
        return
    from abut.reporters.plot import check_format

    check_format(plot)
    check_target(plot, force=force)


def _show_progress(what: str) -> None:
    """To somebody who waits, or a log; not into the result, where both go to the same place."""
    if sys.stderr.isatty() or not os.path.sameopenfile(1, 2):
        print(f"abut: {what}", file=sys.stderr, flush=True)


def _next_step(name: str, plot: Path | None) -> str:
    return f"next: abut bench {name} " + ("--json" if plot else f"--plot {name}.svg")
