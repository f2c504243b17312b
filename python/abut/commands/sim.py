"""`abut sim`: what caches would make of a recorded run."""

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abut.errors import AbutError, unknown
from abut.verb import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abut.simulation.jobs import Job

_SPLITS = ("allocator",)


def command(
    traces: Annotated[
        list[Path], typer.Argument(metavar="TRACE...", help="Traces that `abut record` wrote.")
    ],
    machine: Annotated[
        str,
        typer.Option(
            metavar="PRESET|FILE.toml|this,...",
            help="Whose caches and core; `this` machine's caches. Several share one pass.",
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
    sample: Annotated[
        float | None,
        typer.Option(
            metavar="RATE", min=0.0001, max=1, help="Only about this share, with error bars."
        ),
    ] = None,
    instructions: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Instructions of the run, for misses per 1000 [as recorded]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random layout, and the sample.")] = 1,
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
        abut sim --machine zen4,zen5,mine.toml run.trace
        abut sim --machine rezaei-8k --split allocator run.trace
        abut sim --layout recorded,line,random,size run.trace
        abut sim --layout recorded,usage-df,run.plan run.trace
        abut sim --layout lea,phk,vam,vam+align=8 run.trace
        abut sim --pages glibc.trace jemalloc.trace
    """
    from abut.commands.sim_output import show, show_pages, show_samples
    from abut.simulation.jobs import simulate_all

    _refuse(
        layout.split(","),
        machine.split(","),
        side,
        scheduler,
        pages=pages,
        json=json,
        sampled=bool(sample),
    )
    made = jobs_of(
        traces,
        machine,
        layout,
        by=by,
        side=side,
        split=split,
        classify=classes,
        optimum=optimum,
        huge_pages=huge_pages,
        seed=seed,
    )
    if pages:
        show_pages(made, json=json)
        return
    if sample:
        show_samples(made, sample, json=json)
        return
    results = simulate_all(made, jobs or len(os.sched_getaffinity(0)), scheduler)
    if instructions:
        results = [dataclasses.replace(result, instructions=instructions) for result in results]
    if json:
        from abut.reporters.sim import results_json

        print(results_json(results))
        return
    show(results, top, machine)


_CACHES_ONLY = (
    *("split", "by", "side", "classes", "optimum", "huge_pages", "instructions", "top", "jobs"),
    "scheduler",
)


_OF_ONE_RUN = ("by", "top", "classes", "optimum", "instructions")
_WHOLE_ONLY = ("split", "by", "classes", "optimum", "instructions", "top", "jobs", "scheduler")


def _refuse(
    layouts: "Sequence[str]",
    machines: "Sequence[str]",
    side: str | None,
    scheduler: str,
    *,
    pages: bool,
    json: bool,
    sampled: bool,
) -> None:
    """What would have no effect beside the other options."""
    from abut.simulation.jobs import LAYOUTS
    from abut.tuning.layouts import is_drawn

    if pages:
        refuse("--pages looks at memories, not at caches", *_CACHES_ONLY, "sample")
        if set(layouts) <= set(LAYOUTS):
            refuse("--pages looks at memories, and these layouts are for any cache", "machine")
        if len(machines) > 1:
            refuse("--pages looks at memories, and layouts are for one machine's caches", "machine")
    if sampled:
        refuse("a sample has misses and cycles alone", *_WHOLE_ONLY)
    elif not any(map(is_drawn, layouts)):
        refuse("none of these layouts is drawn by chance", "seed")
    if json:
        refuse("--json has all owners", "top")
    elif len(layouts) > 1 or len(machines) > 1:
        refuse("layouts or machines are compared; --json has more of each", *_OF_ONE_RUN)
    if _side(side, layouts) != "all":
        refuse("one side's accesses are simulated, so its caches are its own already", "split")
    if scheduler:
        refuse("the scheduler's workers do the work", "jobs")


def _side(side: str | None, layouts: "Sequence[str]") -> str:
    """Whose accesses are simulated: an allocator's belong to the layout that it made, and others
    are compared without them.
    """
    return side or ("all" if list(layouts) == ["recorded"] else "application")


def jobs_of(
    traces: "Sequence[Path]",
    machine: str,
    layout: str,
    *,
    by: str = "site",
    side: str | None = None,
    split: str | None = None,
    **settings: Any,
) -> "list[Job]":
    """What to simulate, machine by machine within a trace's layout, with other fields of jobs.
    Raises AbutError.
    """
    from abut.simulation.jobs import LAYOUTS, Job
    from abut.simulation.owners import OWNERS
    from abut.simulation.presets import find_preset
    from abut.tuning.layouts import is_plan, placer_of, strategy_layouts

    layouts = layout.split(",")
    planned = strategy_layouts() if set(layouts) - set(LAYOUTS) else []
    for option, given, known in (
        ("--by", by, OWNERS),
        ("--side", side or "all", ("all", "application", "allocator")),
        ("--split", split or "allocator", _SPLITS),
        *(("--layout", name, (*LAYOUTS, *planned)) for name in layouts if not is_plan(name)),
    ):
        if given not in known:
            # `strategy:random` is a form of a name that is listed already.
            raise unknown(option, given, [name for name in known if ":" not in name])
    presets = [find_preset(name) for name in machine.split(",")]
    if not any(preset.huge_tlb for preset in presets):
        refuse("no TLB of these machines is for such pages", "huge_pages")
    names = [preset.name for preset in presets]
    if twice := [name for name in names if names.count(name) > 1]:
        fix = "name each once, and files differently"
        raise AbutError(f"--machine: two are called {twice[0]!r}", fix=fix)
    return [
        Job(
            str(trace),
            preset,
            layout=name,
            side=_side(side, layouts),
            by=by,
            split=split is not None,
            placer=placer_of(name),
            **settings,
        )
        for trace in traces
        for name in layouts
        for preset in presets
    ]
