"""`abut sim`: what caches would make of a recorded run."""

import dataclasses
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import unknown
from abut.verb import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abut.simulation.jobs import Job, Result

_SPLITS = ("allocator",)


def command(
    traces: Annotated[
        list[Path], typer.Argument(metavar="TRACE...", help="Traces that `abut record` wrote.")
    ],
    machine: Annotated[
        str,
        typer.Option(
            metavar="PRESET|FILE.toml|this", help="Whose caches and core; `this` machine's caches."
        ),
    ] = "modern",
    split: Annotated[
        str | None,
        typer.Option(metavar="allocator", help="Give the allocator caches of its own, too."),
    ] = None,
    layout: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="Where objects lie: recorded, line, random, size, a strategy, a plan's file, "
            "or a paper's heap.",
        ),
    ] = "recorded",
    by: Annotated[
        str, typer.Option(metavar="WHAT", help="Count by site, context, group, object or page.")
    ] = "site",
    side: Annotated[
        str | None,
        typer.Option(metavar="SIDE", help="Only application or allocator; layouts: application."),
    ] = None,
    classes: Annotated[
        bool, typer.Option("--classes", help="Tell compulsory, capacity and conflict misses apart.")
    ] = False,
    optimum: Annotated[
        bool, typer.Option("--optimum", help="Show the fewest misses that any policy could have.")
    ] = False,
    huge_pages: Annotated[
        bool, typer.Option("--huge-pages", help="Pages of 2 MiB in the TLB.")
    ] = False,
    pages: Annotated[
        bool, typer.Option("--pages", help="Memories and their pages instead of caches.")
    ] = False,
    instructions: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Instructions of the run, for misses per 1000 [as recorded]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random layout.")] = 1,
    top: Annotated[int, typer.Option(min=1, max=50, help="How many owners to show.")] = 10,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0: one a core.")] = 0,
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers do the work.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Simulate caches and TLBs over a recorded run: what misses, why, and who is to blame.

    The program is not run again. Accesses that straddle two lines count once for each. Every figure
    is split by side: the application's accesses, and those of the allocator that served it.

    Examples:

        abut sim run.trace
        abut sim --machine zen5 --by context run.trace
        abut sim --machine rezaei-8k --split allocator run.trace
        abut sim --layout recorded,line,random,size run.trace
        abut sim --layout recorded,usage-df,run.plan run.trace
        abut sim --layout lea,phk,vam,vam+align=8 run.trace
        abut sim --pages glibc.trace jemalloc.trace
    """
    from abut.simulation.jobs import simulate_all

    _refuse(layout.split(","), scheduler, pages=pages, json=json)
    made = _jobs(traces, machine, split, layout, by, side, classes, optimum, huge_pages, seed)
    if pages:
        _show_pages(made, json=json)
        return
    results = simulate_all(made, jobs or len(os.sched_getaffinity(0)), scheduler)
    if instructions:
        results = [dataclasses.replace(result, instructions=instructions) for result in results]
    if json:
        from abut.reporters.sim import results_json

        print(results_json(results))
        return
    _show(results, top)


_CACHES_ONLY = (
    *("split", "by", "side", "classes", "optimum", "huge_pages", "instructions", "top", "jobs"),
    "scheduler",
)


def _refuse(layouts: "Sequence[str]", scheduler: str, *, pages: bool, json: bool) -> None:
    """What would have no effect beside the other options."""
    from abut.simulation.jobs import LAYOUTS

    if pages:
        refuse("--pages looks at memories, not at caches", *_CACHES_ONLY)
        if set(layouts) <= set(LAYOUTS):
            refuse("--pages looks at memories, and these layouts are for any cache", "machine")
    if set(layouts) <= set(LAYOUTS) - {"random"}:
        refuse("none of these layouts is drawn by chance", "seed")
    if json:
        refuse("--json has all owners", "top")
    elif len(layouts) > 1:
        refuse("layouts are compared, and no owners shown, but with --json", "by", "top")
    if scheduler:
        refuse("the scheduler's workers do the work", "jobs")


def _show_pages(jobs: "Sequence[Job]", *, json: bool) -> None:
    from abut.commands.console import console
    from abut.reporters.pages import pages_document, pages_sides_table, pages_table, pages_words
    from abut.reporters.trace import document
    from abut.simulation.pages import compare_pages, run_pages

    comparison = compare_pages(run_pages(jobs))
    if json:
        print(document(**pages_document(comparison)))
        return
    out = console()
    for name in comparison.reports:
        out.print(f"- {pages_words(name, comparison)}", markup=False)
    out.print(pages_table("misses of pages", "run", comparison))
    out.print(pages_sides_table("the same by side", "run", comparison))
    out.print(f"next: abut sim {shlex.quote(jobs[0].trace)}", markup=False)


def _jobs(
    traces: "Sequence[Path]",
    machine: str,
    split: str | None,
    layout: str,
    by: str,
    side: str | None,
    classes: bool,
    optimum: bool,
    huge_pages: bool,
    seed: int,
) -> "list[Job]":
    from abut.heaps import more_heaps, not_built
    from abut.simulation.jobs import LAYOUTS, Job
    from abut.simulation.owners import OWNERS
    from abut.simulation.presets import find_preset
    from abut.tuning.layouts import is_plan, placer_of, strategy_layouts

    layouts = layout.split(",")
    composed = {name for added in more_heaps() for name in added.layout_names()}
    planned = strategy_layouts() if set(layouts) - set(LAYOUTS) - composed else []
    for option, given, known in (
        ("--by", by, OWNERS),
        ("--side", side or "all", ("all", "application", "allocator")),
        ("--split", split or "allocator", _SPLITS),
        *(
            ("--layout", name, (*LAYOUTS, *planned))
            for name in layouts
            if name not in composed and not is_plan(name)
        ),
    ):
        if given not in known:
            names = (*known, *sorted(composed)) if option == "--layout" else known
            # `strategy:random` and `lea+align=8` are forms of names that are listed already.
            shown = [name for name in names if not set(":+") & set(name)]
            raise unknown(option, given, shown, not_built() if option == "--layout" else "")
    preset = find_preset(machine)
    # An allocator's accesses belong to the layout that it made; others are compared without them.
    sides = side or ("application" if layouts != ["recorded"] else "all")
    return [
        Job(
            str(trace),
            preset,
            layout=name,
            seed=seed,
            side=sides,
            by=by,
            classify=classes,
            optimum=optimum,
            huge_pages=huge_pages,
            split=split is not None,
            placer=placer_of(name),
        )
        for trace in traces
        for name in layouts
    ]


def _show(results: "Sequence[Result]", top: int) -> None:
    from abut.commands.console import console, warn_of_damage
    from abut.reporters import sim as report
    from abut.simulation.verdict import verdict

    out = console()
    by_trace: dict[str, list[Result]] = {}
    for result in results:
        by_trace.setdefault(result.job.trace, []).append(result)
    for same in by_trace.values():
        first = same[0]
        out.print(report.heading(first), markup=False, style="bold")
        for sentence in verdict(first):
            out.print(f"- {sentence}", markup=False)
        if len(same) > 1:
            out.print(report.layouts_table(same))
        else:
            _show_one(first, top)
        warn_of_damage(first.job.trace, first.damages)
    if len(by_trace) > 1:
        out.print(report.traces_table([same[0] for same in by_trace.values()]))
    print(f"next: {_next(results)}")


def _show_one(result: "Result", top: int) -> None:
    from abut.commands.console import console
    from abut.reporters import sim as report

    out = console()
    tables = (
        report.owners_table(result, top),
        report.levels_table(result),
        report.split_table(result),
        report.use_table(result),
        report.prefetch_table(result),
        report.time_table(result),
    )
    for table in tables:
        if table is not None:
            out.print(table)
    if words := report.optimum_words(result):
        print(words)


def _next(results: "Sequence[Result]") -> str:
    job = results[0].job
    trace = shlex.quote(job.trace)
    machine = f"--machine {shlex.quote(job.preset.name)} " if job.preset.name != "modern" else ""
    if len({result.job.layout for result in results}) > 1:
        return f"abut sim {machine}--by object {trace}"
    return f"abut sim {machine}--layout recorded,line,random,size {trace}"
