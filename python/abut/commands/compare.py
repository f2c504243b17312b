"""`abut compare`: a program or a suite under several heaps, measured side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import INTERRUPTED, NO, USAGE, AbutError, unknown
from abut.targets import check_targets, write, written
from abut.verb import refuse, words_of

if TYPE_CHECKING:
    from abut.measure.measurement import Comparison, Plan
    from abut.measure.sample import Figure
    from abut.measure.session import Task
    from abut.measure.summary import Summary

TAKES_PROGRAM = True
_ALL_HEAPS = "glibc,jemalloc,mimalloc,tcmalloc,abut"
_PROGRAM_RUNS, _SUITE_RUNS = 10, 5


def command(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM", help="What to measure, with its arguments."),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure a suite: quick, daily, full, plain, pairs, threads, programs.",
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="NAME,...", help="Of the suite, only these benchmarks.")
    ] = "",
    heaps: Annotated[
        str,
        typer.Option(metavar="NAME,...", help="Heaps: names, [LABEL=]/PATH, abut+OPTION=VALUE."),
    ] = _ALL_HEAPS,
    runs: Annotated[
        int | None,
        typer.Option(min=1, help=f"Runs of each ({_PROGRAM_RUNS}; {_SUITE_RUNS} in a suite)."),
    ] = None,
    warmup: Annotated[int, typer.Option(min=0, help="Runs before those, not measured.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Draws the order of runs, the intervals.")] = 1,
    stdin: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the program reads (nothing).")
    ] = None,
    figure: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="A suite's tables: wall, cpu (user+sys), user, rss, faults; "
            "instructions, counted by Valgrind in one run more.",
        ),
    ] = "cpu",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write that JSON object there, too.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the ratios (.png or .svg).")
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE.html",
            help="Record a run under the reference and one under the best heap, and write"
            " the report of both: what each context waits for, before and after.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite those files.")] = False,
) -> None:
    """Measure a program, or a suite of them, under several heaps, in turn: A B C, B C A, ...

    Shows each figure's median with its bootstrap 95 % interval, of five runs or more, and its ratio
    to glibc's and to the best. The program must do the same under every heap: if its exit code or
    standard output differs, that is an error, and abut exits with 1. Ctrl-C keeps what has been
    measured.

    Examples:

        abut compare -- lua5.4 script.lua
        abut compare --heaps glibc,abut --plot lua.svg -- lua5.4 script.lua
        abut compare --heaps glibc,abut --explain why.html -- lua5.4 script.lua
        abut compare --suite daily --output daily.json
        abut compare --suite quick --heaps abut,abut+decay_ms=0 --figure rss
    """
    from abut.commands.console import console
    from abut.measure.measurement import Plan
    from abut.measure.session import compare
    from abut.measure.spawn import end_in_order
    from abut.measure.summary import summarise
    from abut.reporters.notes import next_step
    from abut.reporters.progress import progress

    _refuse(suite, plot, counts="instructions" in words_of(figure), json=json)
    figures = [_figure(key) for key in words_of(figure)]
    if plot:
        from abut.reporters.charts import check_format

        check_format(plot)
    pages = _pages(explain, words_of(heaps), suite) if explain else []
    if not (output or plot or explain):
        refuse("no file is written", "force")
    check_targets(output, plot, *pages, force=force)
    tasks = _tasks(program or [], suite, only, stdin)
    default_runs = _SUITE_RUNS if suite else _PROGRAM_RUNS
    counted = any(one.key == "instructions" for one in figures)
    plan = Plan(runs or default_runs, warmup, seed, counted)
    comparison = _comparison(words_of(heaps), plan, suite)
    end_in_order()
    with progress(comparison, len(tasks)) as watcher:
        compare(comparison, tasks, watcher)
    summary = summarise(comparison)
    _write(summary, figures, output, plot)
    _print(summary, figures, json=json)
    if explain and summary.programs and not comparison.interrupted:
        _explain(summary, explain, words_of(heaps), stdin, output, quiet=json)
    if not json:
        console().print(f"next: {next_step(summary)}")
    raise typer.Exit(_exit_code(comparison))


def _refuse(suite: str | None, plot: Path | None, *, counts: bool, json: bool) -> None:
    if suite:
        refuse("a suite says what its programs read", "stdin")
    else:
        refuse("there is no suite to choose from", "only")
    if plot is None and not counts and (json or not suite):
        refuse(f"{'--json' if json else 'a program alone'} has all figures", "figure")


def _figure(key: str) -> "Figure":
    from abut.measure.sample import CHOICES

    for figure in CHOICES:
        if figure.key == key:
            return figure
    raise unknown("--figure", key, [figure.key for figure in CHOICES])


def _tasks(program: list[str], suite: str | None, only: str, stdin: Path | None) -> "list[Task]":
    from abut.measure import tasks

    if bool(program) == bool(suite):
        raise AbutError(
            "compare takes either a program, after --, or --suite",
            fix="abut compare -- PROGRAM ARGS..., or abut compare --suite quick",
        )
    if suite:
        return tasks.suite_tasks(suite, words_of(only))
    return tasks.program_tasks(program, stdin)


def _comparison(names: list[str], plan: "Plan", suite: str | None) -> "Comparison":
    from abut.heaps import find_heaps
    from abut.measure.counters import HARDWARE_EVENTS, available
    from abut.measure.instructions import check_counter
    from abut.measure.measurement import Comparison

    found, missing = find_heaps(names)
    if not found:
        fix = "; ".join(heap.fix for heap in missing)
        raise AbutError("none of these heaps is installed", fix=fix or "name one after --heaps")
    if plan.counts_instructions:
        check_counter()
    counted = {"instructions"} if plan.counts_instructions else set()
    events = tuple(event for event in HARDWARE_EVENTS if event.key not in counted)
    return Comparison(plan, found, missing, available(events), suite)


def _write(
    summary: "Summary", figures: "list[Figure]", output: Path | None, plot: Path | None
) -> None:
    if output:
        write(output, _as_json(summary) + "\n")
    if plot and summary.programs:
        from abut.reporters.charts import draw_charts
        from abut.reporters.plot import charts_of

        with written(plot) as unfinished:
            draw_charts(charts_of(summary, figures), unfinished)


def _pages(page: Path, heaps: list[str], suite: str | None) -> list[Path]:
    """What --explain writes. Raises AbutError where there are no two runs to compare."""
    from abut.advice.explain import files_of
    from abut.heaps import find_heaps

    there = [heap.name for heap in find_heaps(heaps)[0]]
    if suite or len(there) < 2:  # noqa: PLR2004 - before and after
        raise AbutError(
            "--explain compares the runs of one program under two heaps",
            fix="abut compare --heaps glibc,abut --explain PAGE.html -- PROGRAM ARGS...",
        )
    return files_of(page, there)


def _explain(
    summary: "Summary",
    page: Path,
    heaps: list[str],
    stdin: Path | None,
    output: Path | None,
    *,
    quiet: bool,
) -> None:
    """Of the reference and the best; where that is the reference, of the slowest and it."""
    from abut.advice.explain import Side, explain
    from abut.heaps import find_heap
    from abut.measure.sample import CPU, WALL

    program = summary.programs[0]
    reference = summary.comparison.reference
    cells = program.cells[CPU.key]
    best, *others = sorted(cells, key=lambda name: cells[name].median.value)
    first = reference if reference in others else [best, *others][-1]
    named = {find_heap(one).name: one for one in heaps}
    seconds = program.cells[WALL.key][best].median.value
    explain(
        page,
        program.measurement.workload.argv,
        [Side(name, named[name]) for name in dict.fromkeys((first, best))],
        seconds,
        results=[output] if output else [],
        stdin=stdin,
        quiet=quiet,
    )


def _print(summary: "Summary", figures: "list[Figure]", *, json: bool) -> None:
    from abut.commands.console import console, warn
    from abut.machine import describe, this_machine
    from abut.reporters import notes
    from abut.reporters.table import tables

    out = console()
    if json:
        print(_as_json(summary))
    else:
        out.print(describe(this_machine()))
        out.print(*tables(summary, figures), sep="\n")
        for note in notes.notes(summary.comparison):
            out.print(f"note: {note}")
    for problem in notes.errors(summary.comparison):
        warn(problem)


def _as_json(summary: "Summary") -> str:
    from abut.machine import this_machine
    from abut.measure.versions import versions_of
    from abut.reporters.json import comparison_json

    return comparison_json(summary, this_machine(), versions_of(summary.comparison.heaps))


def _exit_code(comparison: "Comparison") -> int:
    if comparison.interrupted:
        return INTERRUPTED
    if comparison.differences():
        return NO
    if any(entry.broken for entry in comparison.left_out):
        return USAGE
    return 0
