"""What recording costs: how much longer programs run, and how many bytes an access takes on disk.

Each program runs natively and recorded in turn, and the medians are compared. Their inputs keep
them busy for about half a second: Valgrind takes as long to start, and to translate code that runs
once, however much comes after. With --keep, the measurement goes on where an earlier one ended.

usage: .venv/bin/python bench/record_speed.py [--runs N] [--only NAME] [--keep FILE]
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.places import bench_places
from abut.trace import Trace

_PLACES = bench_places()
_PYTHON = "/usr/bin/python3"
_JSON = """import json
rows = [{"a": i, "b": str(i)} for i in range(400000)]
print(len(json.loads(json.dumps(rows))))"""
_LUA = """local rows, sum = {}, 0
for i = 1, 500000 do rows[i] = {i, tostring(i)} end
for round = 1, 4 do for i = 1, #rows do sum = sum + rows[i][1] end end
print(sum)"""
_PERL = "my %h; $h{$_ % 5000} .= 'x' for 1..6000000; print scalar(keys %h)"


@dataclass(frozen=True, slots=True)
class Case:
    """A program, and the kind that the aims are set for."""

    name: str
    kind: str
    command: list[str]
    recorder: str = "valgrind"
    compiled: list[str] | None = None  # what is recorded, where that is another program


def cases(folder: Path) -> list[Case]:
    """The programs; what they read is made in `folder`."""
    xml = folder / "big.xml"
    rows = "".join(f'<b id="{i}"><c>text {i}</c><d/></b>' for i in range(500_000))
    xml.write_text(f"<a>{rows}</a>")
    sql = folder / "rows.sql"
    inserts = "".join(f"insert into t values({i},'row {i * 7 % 1000}');" for i in range(160_000))
    query = "create index i on t(b);select count(*),sum(a) from t where b like 'row 1%';"
    sql.write_text(f"create table t(a integer primary key,b text);begin;{inserts}commit;{query}")
    own = _PLACES.programs
    lists = [str(own / "lists"), "--nodes", "2000000", "--lists", "128", "--walks"]
    return [
        Case("lists, built and walked", "chasing", [*lists, "8"]),
        Case("tree", "chasing", [str(own / "tree"), "--keys", "300000", "--lookups", "500000"]),
        Case("xmllint", "parser", ["xmllint", "--noout", str(xml)]),
        Case("sqlite3", "database", ["sqlite3", ":memory:", f".read {sql}"]),
        Case("python3", "interpreter", [_PYTHON, "-c", _JSON]),
        Case("lua5.4", "interpreter", ["lua5.4", "-e", _LUA]),
        Case("perl", "interpreter", ["perl", "-e", _PERL]),
    ]


def compiled_cases(folder: Path) -> list[Case]:
    """Those of our own programs again, compiled for it, with the recorder for such."""
    own = [case for case in cases(folder) if Path(case.command[0]).parent == _PLACES.programs]
    sources = _PLACES.bench / "programs"
    found = []
    for case in own:
        name = Path(case.command[0]).name
        words = ["-O2", "-DNDEBUG", "-std=c++20", "-o", str(folder / name)]
        words += [f"-I{sources}", f"-I{_PLACES.bench.parent / 'include'}"]
        files = [str(sources / f"{name}.cpp"), str(sources / "common" / "options.cpp")]
        subprocess.run([sys.executable, "-m", "abut", "c++", *words, *files], check=True)
        command = [str(folder / name), *case.command[1:]]
        found.append(Case(f"{case.name}, compiled", case.kind, case.command, "compiled", command))
    return found


def seconds_of(command: list[str]) -> float:
    """How long the command takes. Fails where it fails."""
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def measure(case: Case, runs: int, folder: Path) -> list[str]:
    """The row of the table."""
    trace = folder / "trace"
    words = ["-q", "--force", "--recorder", case.recorder, "-o", str(trace), "--"]
    record = [sys.executable, "-m", "abut", "record", *words]
    recorded_command = case.compiled or case.command
    native: list[float] = []
    recorded: list[float] = []
    for _ in range(runs):
        native.append(seconds_of(case.command))
        recorded.append(seconds_of([*record, *recorded_command]))
    ratios = [b / a for a, b in zip(native, recorded, strict=True)]
    info = Trace(trace).info
    return [
        case.name,
        case.kind,
        f"{statistics.median(native):.2f} s",
        f"{statistics.median(recorded):.1f} s",
        f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})",
        f"{info.accesses / 1e6:.0f} M",
        f"{info.bytes_per_access or 0:.2f}",
    ]


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--keep", type=Path, help="where rows are kept that were measured")
    chosen = parser.parse_args()
    kept: dict[str, list[str]] = {}
    if chosen.keep is not None and chosen.keep.exists():
        kept = json.loads(chosen.keep.read_text())
    table = Table(title=f"medians of {chosen.runs} runs", title_justify="left")
    for heading in ("program", "kind", "native", "recorded", "times", "accesses", "bytes each"):
        table.add_column(heading)
    with tempfile.TemporaryDirectory() as folder:
        for case in [*cases(Path(folder)), *compiled_cases(Path(folder))]:
            if chosen.only not in case.name:
                continue
            if shutil.which(case.command[0]) is None:
                print(f"{case.command[0]}: not there, left out", file=sys.stderr)
                continue
            if case.name not in kept:
                kept[case.name] = measure(case, chosen.runs, Path(folder))
            if chosen.keep is not None:
                chosen.keep.write_text(json.dumps(kept))
            table.add_row(*kept[case.name])
    Console(width=110).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
