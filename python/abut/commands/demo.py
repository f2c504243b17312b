"""`abut demo`: the whole way once: record, tune and compare a Lua program, and report."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from abut.errors import NO, AbutError
from abut.targets import check_targets

_TABLES, _WALKS = 8_000, 4  # of the recorded run: a few seconds under Valgrind
_MEASURED = 200_000  # tables of the runs that are compared: a second each


def command(
    folder: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where the files go; made if need be."
        ),
    ] = Path("abut-demo"),
    runs: Annotated[int, typer.Option(min=1, help="Runs under each heap.")] = 3,
    tune: Annotated[
        bool, typer.Option("--tune/--no-tune", help="Tune the heap, too: half a minute more.")
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Record, tune and compare a Lua program, and name the page that says what came of it.

    The recorded run is a small one. Everything is left in a folder: the trace, what was measured,
    and report.html.

    Example:

        abut demo
    """
    from abut.places import bench_places

    script = bench_places().bench / "scripts" / "tables.lua"
    if shutil.which("lua5.4") is None or not script.is_file():
        raise AbutError("the demonstration is a Lua script", fix="sudo apt install lua5.4")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbutError(f"{folder}: {error.strerror}", fix="name another folder: -o") from error
    program = ["lua5.4", os.path.relpath(script)]
    small = [*program, str(_TABLES), str(_WALKS)]
    trace, tuned = folder / "tables.trace", folder / "tune.json"
    compared, page = folder / "compare.json", folder / "report.html"
    profile, table, said = folder / "tables.profile", folder / "compare.txt", folder / "report.txt"
    of_tuning = (tuned, profile, profile.with_suffix(".plan")) if tune else ()
    check_targets(trace, compared, page, table, said, *of_tuning, force=force)
    found = [trace, compared]
    _say("recording a small run")
    recorded = _abut("record", "--force", "--quiet", "--sites", "-o", str(trace), "--", *small)
    if not recorded:
        # A machine without Valgrind still has something to show.
        _say("it could not be recorded; going on without a trace")
        found.remove(trace)
    if tune:
        _say("tuning: racing settings of the heap")
        options = ["--force", "-o", str(profile), "--time-budget", "20s", "--json"]
        if _abut("tune", *options, "--", *small, into=tuned):
            found.append(tuned)
    _say("comparing heaps")
    options = ["--runs", str(runs), "--output", str(compared), "--force"]
    if not _abut("compare", *options, "--", *program, str(_MEASURED), into=table):
        raise AbutError("the comparison failed")
    _say("writing the report")
    if not _abut("report", "--force", "-o", str(page), *map(str, found), into=said):
        raise AbutError("the report could not be written")
    print(said.read_text(), end="")
    print(f"the report: {shlex.quote(str(page.absolute()))}")
    print(table.read_text(), end="")
    if open_:
        import webbrowser

        webbrowser.open(page.absolute().as_uri())


def _say(what: str) -> None:
    print(f"abut demo: {what}", file=sys.stderr, flush=True)


def _abut(*arguments: str, into: Path | None = None) -> bool:
    """Run a verb, its output into a file or away; whether it gave an answer."""
    with (into or Path(os.devnull)).open("w") as out:
        command = [sys.executable, "-m", "abut", *arguments]
        return subprocess.run(command, stdout=out, check=False).returncode in (0, NO)
