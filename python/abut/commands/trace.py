"""`abut trace`: looking into a recorded run, one verb a question."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abut.errors import NO, unknown
from abut.verb import Verb, Verbs

if TYPE_CHECKING:
    from abut.trace import Trace

_HELP = """Look into a recorded run.

Examples:

    abut trace info run.trace
    abut trace contexts --by accesses run.trace
    abut trace convert --to parquet -o tables run.trace
"""
app = typer.Typer(cls=Verbs, help=_HELP, no_args_is_help=True, rich_markup_mode="markdown")

_File = Annotated[Path, typer.Argument(metavar="FILE", help="A trace that `abut record` wrote.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
_Top = Annotated[int, typer.Option(min=1, help="How many to show.")]
_FORMATS = ("text", "din", "parquet")
_OBJECT_ORDERS = ("bytes", "accesses")


@app.command(cls=Verb)
def info(file: _File, json: _Json = False) -> None:
    """Say what was recorded, where, by what, and how much of it there is.

    Example:

        abut trace info run.trace
    """
    from abut.reporters import trace as report

    trace = _open(file)
    if json:
        print(report.info_json(trace.info, trace.damages))
        return
    _print(report.info_table(trace.info))
    _finish(trace, f"abut trace check {_quoted(file)}")


@app.command(cls=Verb)
def check(file: _File, json: _Json = False) -> None:
    """Read all of it, and check what must hold; exit with 1 where something does not.

    Every free, resize and hint has its object, every object is freed once, times of a thread never
    go back, numbers are in their tables, and counts are as the trace says. What programs may do,
    as reading a little past an object's end, is counted.

    Example:

        abut trace check run.trace
    """
    from abut.commands.console import warn
    from abut.reporters import trace as report

    found = _open(file).check()
    if json:
        print(report.check_json(found))
    else:
        _print(report.check_table(found))
        for problem in report.check_problems(found):
            warn(problem)
        print("clean" if found.clean else "not clean: what is named above")
        print(f"next: abut trace contexts {_quoted(file)}")
    raise typer.Exit(0 if found.clean else NO)


@app.command(cls=Verb)
def objects(
    file: _File,
    by: Annotated[str, typer.Option(metavar="FIGURE", help="bytes or accesses.")] = "bytes",
    top: _Top = 10,
    json: _Json = False,
) -> None:
    """List the largest objects, or the most used.

    Example:

        abut trace objects --by accesses --top 20 run.trace
    """
    from abut.reporters import trace as report
    from abut.trace.sites import largest_objects

    _check_choice("--by", by, _OBJECT_ORDERS)
    trace = _open(file)
    rows = largest_objects(trace.objects(), by, top)
    if json:
        print(report.document(objects=rows))
        _warn_of_damage(trace)
        return
    _print(report.objects_table(rows))
    _finish(trace, f"abut trace contexts {_quoted(file)}")


@app.command(cls=Verb)
def contexts(
    file: _File,
    by: Annotated[
        str, typer.Option(metavar="FIGURE", help="bytes, objects, accesses or live.")
    ] = "bytes",
    top: _Top = 10,
    json: _Json = False,
) -> None:
    """List who allocates most: function, file and line, and who called them.

    Names come from the modules as they are now, and from their debug files where there are any.

    Example:

        abut trace contexts --by accesses run.trace
    """
    from abut.reporters import trace as report
    from abut.trace.sites import ORDERS, sums_by_context
    from abut.trace.symbols import Symboliser

    _check_choice("--by", by, ORDERS)
    trace = _open(file)
    sums = sums_by_context(trace.objects(), by, top)
    chains = trace.contexts()
    shown = {row.context: chains[row.context - 1] for row in sums if 0 < row.context <= len(chains)}
    symboliser = Symboliser.of(trace)
    symboliser.learn(shown.values())
    places = {number: symboliser.chain(chain) for number, chain in shown.items()}
    if json:
        print(report.contexts_json(sums, places))
        _warn_of_damage(trace)
        return
    _print(report.contexts_table(sums, places))
    for note in symboliser.notes:
        print(f"note: {note}")
    _finish(trace, f"abut trace objects --by accesses {_quoted(file)}")


@app.command(cls=Verb)
def head(
    file: _File,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many steps.")] = 20,
    skip: Annotated[int, typer.Option(min=0, help="Begin at this access.")] = 0,
    json: _Json = False,
) -> None:
    """Show the first steps: accesses and events in their order.

    Example:

        abut trace head --skip 1000000 -n 5 run.trace
    """
    from itertools import islice

    from abut.reporters import trace as report
    from abut.trace.steps import AccessStep, steps, text_of

    trace = _open(file)
    shown = list(islice(steps(trace, skip), count))
    if json:
        print(report.steps_json(shown))
        _warn_of_damage(trace)
        return
    for step in shown:
        print(text_of(step))
    accesses = [step.number for step in shown if isinstance(step, AccessStep)]
    further = f"--skip {accesses[-1] + 1}" if accesses else f"--skip {skip} -n {10 * count}"
    following = f"head {further}" if shown else "info"
    _finish(trace, f"abut trace {following} {_quoted(file)}")


@app.command(cls=Verb)
def convert(
    file: _File,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="text, din or parquet.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to (parquet: a folder).")
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Write the trace in another format.

    text: a line a step. din: a line an access, as Dinero and its kin read them, with the addresses
    as recorded. parquet: the tables of objects, contexts, modules and events, for pandas, polars
    and DuckDB.

    Examples:

        abut trace convert --to din -o run.din run.trace
        abut trace convert --to parquet -o tables run.trace
    """
    from abut.targets import check_target, utf8, written
    from abut.trace import convert as formats

    _check_choice("--to", to, _FORMATS)
    check_target(output, [file], force=force, folder=to == "parquet")
    utf8(output)
    trace = _open(file)
    if to == "parquet":
        formats.write_parquet(trace, output)
    else:
        from abut.reporters.progress import share_done

        with written(output) as unfinished, share_done(f"writing {output}") as done:
            formats.write_lines(trace, to, unfinished, done)
    _finish(trace, f"head {_quoted(output)}" if to != "parquet" else f"ls {_quoted(output)}")


@app.command("import", cls=Verb)
def import_(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What another tool wrote; - reads it as it comes.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The trace.")],
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="din, lackey or drmemtrace [by its begin]."),
    ] = None,
    sites: Annotated[
        bool, typer.Option("--sites", help="Keep which instruction made each access, too.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Make a trace of another tool's text.

    din: Dinero's, plain or extended. lackey: valgrind's, with --trace-mem=yes. drmemtrace: what
    DynamoRIO's view tool prints. Such text has no objects: each access stands for itself.

    Examples:

        abut trace import -o run.trace run.din
        valgrind --tool=lackey --trace-mem=yes --log-file=run.txt prog
        abut trace import --from lackey -o run.trace run.txt
    """
    from abut.trace.imports import FORMATS, import_text

    if from_ is not None:
        _check_choice("--from", from_, FORMATS)
    read = import_text(text, output, format_name=from_, sites=sites, overwrite=force)
    print(f"{output}: {read.accesses:,} accesses, from {read.lines:,} lines of {read.format}")
    print(f"left out: {read.fetches:,} fetches of instructions, {read.others:,} others")
    print(f"next: abut trace head {_quoted(output)}")


def _open(file: Path) -> "Trace":
    from abut.trace import Trace

    return Trace(file)


def _check_choice(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise unknown(option, value, known)


def _print(table: object) -> None:
    from abut.commands.console import console

    console().print(table)


def _finish(trace: "Trace", command: str) -> None:
    _warn_of_damage(trace)
    print(f"next: {command}")


def _warn_of_damage(trace: "Trace") -> None:
    from abut.commands.console import warn_of_damage

    warn_of_damage(trace.path, [str(damage) for damage in trace.damages])


def _quoted(file: Path) -> str:
    return shlex.quote(str(file))
