"""`abut paper`: a paper's measurements, repeated on programs and heaps of today."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abut.errors import USAGE
from abut.targets import check_target, written
from abut.verb import refuse, words_of

if TYPE_CHECKING:
    from abut.papers import Claim, Paper, Request

_MEASURING = (
    *("quick", "programs", "heaps", "suite", "traces", "fresh", "plot", "force"),
    "markdown",
)
_COLUMNS = ("what", "paper", "ours (range without any one round)", "why it differs")


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="Which; without it, they are listed.")
    ] = None,
    rows: Annotated[
        bool, typer.Option("--list", help="List what the paper has, or all, and what repeats it.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small programs and few runs: two minutes at most.")
    ] = False,
    programs: Annotated[
        str, typer.Option(metavar="NAME,...", help="Benchmarks of the suite [the paper's own].")
    ] = "",
    heaps: Annotated[
        str, typer.Option(metavar="NAME,...", help="Heaps to run them under [the paper's own].")
    ] = "",
    suite: Annotated[
        str, typer.Option(metavar="NAME", help="The programs' size: quick, daily or full.")
    ] = "quick",
    traces: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where what was measured is kept [~/.cache/abut/traces]."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print what the paper found and what we did, alone.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the figures (.png or .svg).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
) -> None:
    """Measure what a paper measured. What was recorded and measured stays: a run that was broken
    off goes on from there.

    Examples:

        abut paper --list
        abut paper vam --quick
        abut paper vam --plot vam.svg
        abut paper vam --programs sqlite --heaps glibc,abut --json
    """
    from abut.commands.console import console
    from abut.papers import Request, find_paper, with_ranges
    from abut.places import cache_folder
    from abut.reporters.grid import grid
    from abut.reporters.trace import document

    if rows or name is None:
        refuse("the papers are listed", *_MEASURING, *(() if rows else ("json",)))
        _list_rows(name, as_json=json) if rows else _list_papers()
        return
    paper = find_paper(name)
    refuse(f"{name} has no use for it", *getattr(paper, "IGNORES", ()))
    if quick:
        refuse("--quick takes the smallest", "suite")
    if markdown:
        refuse("--markdown prints one table", "json")
    if plot:
        from abut.reporters.charts import check_format

        check_format(plot)
        check_target(plot, force=force)
    else:
        refuse("no file is written", "force")
    request = Request(
        programs=tuple(dict.fromkeys(words_of(programs))) or _usual(paper, "programs", quick=quick),
        heaps=words_of(heaps) or _usual(paper, "heaps", quick=quick),
        suite=_usual(paper, "suite", quick=True) if quick else suite,
        traces=traces or cache_folder() / "traces",
        fresh=fresh,
        progress=_show_progress,
        quick=quick,
    )
    result = paper.measure(request)
    if plot:
        from abut.reporters.charts import draw_charts

        with written(plot) as unfinished:
            draw_charts(result.charts(), unfinished)
    claims = with_ranges(paper, request, result.claims())
    if markdown:
        print(_as_markdown(claims))
    elif json:
        shown = {
            "claims": [claim._asdict() for claim in claims],
            "left_out": request.left_out,
            **result.document(),
        }
        print(document(paper=name, **shown))
    else:
        found = grid("what the paper found, and what is found here", _COLUMNS, claims)
        found.columns[-1].justify = "left"
        console().print(*([found] if found.row_count else []), *result.tables(), sep="\n")
        print(f"next: abut paper {name} " + ("--json" if plot else f"--plot {name}.svg"))
    _report_left_out(request)


def _usual(paper: "Paper", what: str, *, quick: bool) -> Any:
    """What is measured unless something else is asked for."""
    usual = {"programs": paper.PROGRAMS, "heaps": paper.HEAPS, "suite": "tiny"}
    return {**usual, **(paper.QUICK if quick else {})}[what]


def _as_markdown(claims: "list[Claim]") -> str:
    """The paper's figures and ours as a table of a page."""
    rows = [_COLUMNS, ("---",) * 4, *claims]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _report_left_out(request: "Request") -> None:
    """What failed ends the command as a failure, after all that did not."""
    for what, why in request.left_out.items():
        print(f"abut: {what} is left out: {why}", file=sys.stderr)
    if request.left_out:
        raise typer.Exit(USAGE)


def _list_papers() -> None:
    from abut.papers import find_paper, papers

    if not papers():
        print("no papers are installed")
        return
    for paper in papers():
        print(f"{paper:<8} {find_paper(paper).ABOUT}")
    print("next: abut paper --list")


def _list_rows(name: str | None, *, as_json: bool) -> None:
    from abut.commands.console import console
    from abut.papers import find_paper, papers, rows_of
    from abut.reporters.grid import grid
    from abut.reporters.trace import document

    found = {one: rows_of(find_paper(one)) for one in ([name] if name else papers())}
    if as_json:
        print(document(papers={one: [asdict(row) for row in rows] for one, rows in found.items()}))
        return
    for one, rows in found.items():
        cells = [(r.place, r.what, r.command or f"not, because {r.because}") for r in rows]
        console().print(grid(find_paper(one).ABOUT, ["place", "what", "here"], cells, words=3))
    missing = sum(not row.command for rows in found.values() for row in rows)
    print(f"{sum(map(len, found.values()))} rows, {missing} of them not here")
    print(f"next: abut paper {name or next(iter(found), 'NAME')} --quick")


def _show_progress(what: str) -> None:
    """To somebody who waits, or a log; not into the result, where both go to the same place."""
    if sys.stderr.isatty() or not os.path.sameopenfile(1, 2):
        print(f"abut: {what}", file=sys.stderr, flush=True)
