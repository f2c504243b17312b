"""What `abut sim` prints."""

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abut.simulation.jobs import Job, Result


def show_pages(jobs: "Sequence[Job]", *, json: bool) -> None:
    """Pages in use, and memories of several sizes."""
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
        out.print(f"- {pages_words(name, comparison)}")
    out.print(pages_table("misses of pages", "run", comparison))
    out.print(pages_sides_table("the same by side", "run", comparison))
    out.print(f"next: abut sim {shlex.quote(jobs[0].trace)}")


def show_samples(jobs: "Sequence[Job]", rate: float, *, json: bool) -> None:
    """Estimates of each job, with their intervals."""
    from abut.commands.console import console
    from abut.reporters.sampling import sample_table, samples_json
    from abut.simulation.sampling import sample

    samples = [sample(job, rate) for job in jobs]
    if json:
        print(samples_json(samples))
        return
    for one in samples:
        console().print(sample_table(one))
    print(f"next: abut sim {shlex.quote(jobs[0].trace)}")


def show(results: "Sequence[Result]", top: int, machine: str) -> None:
    """Each trace by itself, then all beside each other. `machine`: what the user named."""
    from abut.commands.console import console, warn_of_damage
    from abut.reporters import sim as report
    from abut.simulation.verdict import verdict

    out = console()
    by_trace: dict[str, list[Result]] = {}
    for result in results:
        by_trace.setdefault(result.job.trace, []).append(result)
    for same in by_trace.values():
        first = same[0]
        out.print(report.heading(first), style="bold")
        for sentence in verdict(first):
            out.print(f"- {sentence}")
        if len(same) > 1:
            _show_several(same)
        else:
            _show_one(first, top)
        warn_of_damage(first.job.trace, first.damages)
    if len(by_trace) > 1:
        out.print(report.traces_table([same[0] for same in by_trace.values()]))
    print(f"next: {_next(results, machine.partition(',')[0])}")


def _show_several(same: "Sequence[Result]") -> None:
    """One trace's machines, and the layouts under each."""
    from abut.commands.console import console
    from abut.reporters.machines import machines_table
    from abut.reporters.sim import layouts_table

    out, first = console(), same[0].job
    machines = [one for one in same if one.job.layout == first.layout]
    if len(machines) > 1:
        out.print(machines_table(machines))
    for preset in [one.job.preset for one in machines]:
        layouts = [one for one in same if one.job.preset == preset]
        if len(layouts) > 1:
            out.print(layouts_table(layouts, preset.name if len(machines) > 1 else ""))


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


def _next(results: "Sequence[Result]", first: str) -> str:
    job = results[0].job
    trace = shlex.quote(job.trace)
    machine = f"--machine {shlex.quote(first)} " if first != "modern" else ""
    if len({result.job.layout for result in results}) > 1:
        return f"abut sim {machine}--by object {trace}"
    return f"abut sim {machine}--layout recorded,line,random,size {trace}"
