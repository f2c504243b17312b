"""`abut export`: a recorded run's costs for the viewers of other tools."""

import shlex
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import unknown
from abut.verb import refuse

if TYPE_CHECKING:
    from abut.simulation.costs import Costs
    from abut.trace.reader import Trace


class Format(StrEnum):
    """Who reads it."""

    CALLGRIND = "callgrind"
    SPEEDSCOPE = "speedscope"
    COLLAPSED = "collapsed"
    PPROF = "pprof"
    CSV = "csv"
    PERFETTO = "perfetto"
    PARQUET = "parquet"


_SUFFIXES = {
    Format.CALLGRIND: "callgrind.out",
    Format.SPEEDSCOPE: "speedscope.json",
    Format.COLLAPSED: "collapsed.txt",
    Format.PPROF: "pb.gz",
    Format.CSV: "csv",
    Format.PERFETTO: "perfetto.json",
    Format.PARQUET: "tables",
}
_VIEWERS = {
    Format.CALLGRIND: "callgrind_annotate {file}",
    Format.SPEEDSCOPE: "xdg-open https://www.speedscope.app  # and open {file} there",
    Format.COLLAPSED: "flamegraph.pl {file} > flame.svg",
    Format.PPROF: "go tool pprof -http=: {file}",
    Format.CSV: "head {file}",
    Format.PERFETTO: "xdg-open https://ui.perfetto.dev  # and open {file} there",
    Format.PARQUET: "ls {file}",
}


def command(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace that `abut record` wrote.")
    ],
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="callgrind, speedscope, collapsed, pprof: costs by call chain; csv: by context;"
            " perfetto: what lives over time; parquet: tables.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to [TRACE's name]; parquet: a folder."
        ),
    ] = None,
    figure: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="With collapsed: objects, bytes, accesses, 'L1 misses' [the last]."
        ),
    ] = "",
    machine: Annotated[
        str, typer.Option(metavar="PRESET|FILE.toml|this", help="Which caches to simulate.")
    ] = "modern",
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Write a run's costs by who allocated, for the viewers of other tools.

    Costs are objects, bytes, accesses, and misses of each simulated cache.

    Examples:

        abut export --format callgrind run.trace
        abut export --format collapsed --figure 'L3 misses' -o misses.txt run.trace
        abut export --format parquet -o tables run.trace
    """
    from abut.commands.console import warn_of_damage
    from abut.targets import check_target, written
    from abut.trace import Trace

    if format_ is not Format.COLLAPSED:
        refuse("only collapsed has one figure", "figure")
    if format_ is Format.PERFETTO:
        refuse("what lives over time is of no cache", "machine")
    path = output or Path(f"{trace.name.removesuffix('.trace')}.{_SUFFIXES[format_]}")
    check_target(path, [trace], force=force, folder=format_ is Format.PARQUET)
    opened = Trace(trace)
    # A folder is filled where it is: only a file takes another's place.
    with nullcontext(path) if format_ is Format.PARQUET else written(path) as unfinished:
        _write(opened, format_, unfinished, figure, machine)
    warn_of_damage(opened.path, [str(damage) for damage in opened.damages])
    print(f"next: {_VIEWERS[format_].format(file=shlex.quote(str(path)))}")


def _write(trace: "Trace", format_: Format, path: Path, figure: str, machine: str) -> None:
    from abut.reporters import exports
    from abut.reporters.pprof import pprof
    from abut.simulation.costs import costs_of
    from abut.simulation.presets import find_preset
    from abut.trace.names import read_rules

    if format_ is Format.PERFETTO:
        path.write_text(_live(trace))
        return
    costs = costs_of(trace, find_preset(machine))
    match format_:
        case Format.CALLGRIND:
            path.write_text(exports.callgrind(costs, trace.info))
        case Format.SPEEDSCOPE:
            path.write_text(exports.speedscope(costs, trace.info))
        case Format.COLLAPSED:
            path.write_text(exports.collapsed(costs, _figure(costs, figure)))
        case Format.PPROF:
            path.write_bytes(pprof(costs))
        case Format.CSV:
            path.write_text(exports.table(costs, read_rules()))
        case _:
            _write_tables(trace, costs, path)


def _live(trace: "Trace") -> str:
    from abut.reporters import exports
    from abut.simulation.live import live_over_time
    from abut.simulation.owners import owners_of

    owners = owners_of(trace, "context")
    names = owners.names(trace, range(1, len(owners.chains) + 1), owners.owner_of_context)
    return exports.perfetto(trace.info, live_over_time(trace, names))


def _figure(costs: "Costs", name: str) -> str:
    if not name:
        return costs.figures[-1]
    if name not in costs.figures:
        raise unknown("--figure", name, costs.figures)
    return name


def _write_tables(trace: "Trace", costs: "Costs", folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from abut.targets import written
    from abut.trace.convert import write_parquet

    write_parquet(trace, folder)
    columns = {name.replace(" ", "_"): costs.table[:, i] for i, name in enumerate(costs.figures)}
    table = pa.table({"context": range(len(costs.table)), **columns})
    with written(folder / "costs.parquet") as unfinished:
        pq.write_table(table, unfinished, compression="zstd")
