"""Whether real programs can be recorded: each is, then its trace is checked, and read.

For each program: what its trace holds, whether the program did what it does by itself, whether the
trace can be true, and which contexts allocated most. Names are as good as the symbols there are:
Debian's libraries have those of their interfaces, programs with debug symbols have files and lines.
What most of a program's contexts go through first is a wrapper, and left out.

usage: .venv/bin/python bench/record_programs.py [--only NAME] [--top N]
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.places import bench_places
from abut.trace import Trace
from abut.trace.sites import sums_by_context
from abut.trace.symbols import Place, Symboliser

_PLACES = bench_places()
_CALLERS = 3
_START_SECONDS = 60
_JSON = """import json
rows = [{"a": i, "b": str(i)} for i in range(5000)]
print(len(json.loads(json.dumps(rows))))"""
_PERL = "my %h; $h{$_ % 5000} .= 'x' for 1..100000; print scalar(keys %h)"
_LOAD = "set,get,lpush,rpop,sadd,hset,zadd"


@dataclass(frozen=True, slots=True)
class Case:
    """A program; and where it is a server, what is done with it while it runs."""

    name: str
    command: list[str]
    clients: list[list[str]] = field(default_factory=list)
    socket: Path | None = None
    variables: dict[str, str] = field(default_factory=dict)


def _input(script: str, target: Path, *options: str) -> Path:
    maker = _PLACES.bench / "inputs" / script
    subprocess.run([sys.executable, str(maker), *options, "--out", str(target)], check=True)
    return target


def _compiler(folder: Path) -> Case:
    asked = ["gcc", "-print-prog-name=cc1"]
    cc1 = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    source = _input("make_c.py", folder / "some.c", "--functions", "10")
    return Case("cc1 (gcc)", [cc1, "-quiet", "-O1", str(source), "-o", str(folder / "some.s")])


def _redis(folder: Path) -> Case:
    socket = folder / "redis.sock"
    server = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", ""]
    benchmark = ["redis-benchmark", "-s", str(socket), "-q", "-c", "8", "-n", "2000", "-t", _LOAD]
    clients = [benchmark, ["redis-cli", "-s", str(socket), "shutdown", "nosave"]]
    return Case("redis-server", [*server, "--dir", str(folder)], clients, socket)


def _xmllint(folder: Path) -> Case:
    xml = folder / "some.xml"
    rows = "".join(f'<b id="{i}"><c>text {i}</c><d/></b>' for i in range(5000))
    xml.write_text(f"<a>{rows}</a>")
    return Case("xmllint", ["xmllint", "--noout", str(xml)])


def _sqlite(folder: Path) -> Case:
    sql = folder / "rows.sql"
    rows = "".join(f"insert into t values({i},'row {i * 7 % 1000}');" for i in range(5000))
    query = "create index i on t(b);select count(*),sum(a) from t where b like 'row 1%';"
    sql.write_text(f"create table t(a integer primary key,b text);begin;{rows}commit;{query}")
    return Case("sqlite3", ["sqlite3", ":memory:", f".read {sql}"])


def _python(folder: Path) -> Case:
    # Its own pools would hide most of its objects.
    command = ["/usr/bin/python3", "-c", _JSON]
    return Case("python3", command, variables={"PYTHONMALLOC": "malloc"})


def _perl(folder: Path) -> Case:
    return Case("perl", ["perl", "-e", _PERL])


def _tree(folder: Path) -> Case:
    tree = str(_PLACES.programs / "tree")
    return Case("tree (ours)", [tree, "--keys", "20000", "--lookups", "20000"])


_CASES: tuple[Callable[[Path], Case], ...] = (
    _python,
    _perl,
    _compiler,
    _xmllint,
    _sqlite,
    _redis,
    _tree,
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of one program."""

    case: Case
    same_status: bool
    trace: Trace
    clean: bool
    contexts: list[tuple[int, int, list[Place]]]  # bytes, objects, call chain


def record(case: Case, output: Path) -> int:
    """Record the program, with its clients where it has some. Its exit code."""
    words = ["-m", "abut", "record", "-q", "--force", "-o", str(output), "--", *case.command]
    return run(case, [sys.executable, *words])


def run(case: Case, command: list[str]) -> int:
    """Run `command`, which is the program or records it. The exit code."""
    set_ = [f"{name}={value}" for name, value in case.variables.items()]
    program = subprocess.Popen(["env", *set_, *command], stdout=subprocess.DEVNULL)
    end = time.monotonic() + _START_SECONDS
    while case.socket and not case.socket.exists() and time.monotonic() < end:
        time.sleep(0.05)
    for client in case.clients:
        subprocess.run(client, stdout=subprocess.DEVNULL, check=True)
    return program.wait()


def look_at(case: Case, folder: Path, top: int) -> Recorded:
    """Run the program alone, record it, and read the trace."""
    output = folder / "trace"
    same_status = run(case, case.command) == record(case, output)
    trace = Trace(output)
    found = trace.check()
    sums = sums_by_context(trace.objects(), "bytes", top)
    chains = trace.contexts()
    symbols = Symboliser.of(trace)
    shown = [chains[row.context - 1] if row.context else [] for row in sums]
    symbols.learn(shown)
    contexts = [
        (row.bytes, row.objects, symbols.chain(chain))
        for row, chain in zip(sums, shown, strict=True)
    ]
    return Recorded(case, same_status, trace, not (found.violations or found.damages), contexts)


def _counts(all_of_them: list[Recorded]) -> Table:
    table = Table()
    table.add_column("program")
    for heading in ("accesses", "objects", "unmatched frees"):
        table.add_column(heading, justify="right")
    table.add_column("exit code as alone")
    table.add_column("check")
    for recorded in all_of_them:
        info = recorded.trace.info
        totals = info.totals or {}
        table.add_row(
            recorded.case.name,
            f"{info.accesses:,}",
            f"{totals.get('objects', 0):,}",
            f"{totals.get('unmatched_frees', 0):,}",
            "yes" if recorded.same_status else "no",
            "clean" if recorded.clean else "not clean",
        )
    return table


def _most_common(names: Iterable[str]) -> tuple[str, int]:
    return next(iter(Counter(names).most_common(1)), ("", 0))


def without_wrappers(chains: list[list[Place]]) -> list[list[Place]]:
    """The chains from where they differ: first places that most of them share are left out."""
    while True:
        first, times = _most_common(str(chain[0]) for chain in chains if len(chain) > 1)
        if 2 * times <= len(chains):
            return chains
        chains = [c[1:] if len(c) > 1 and str(c[0]) == first else c for c in chains]


def _contexts(recorded: Recorded) -> Table:
    table = Table(title=f"{recorded.case.name}: who allocates most", title_justify="left")
    table.add_column("bytes", justify="right")
    table.add_column("objects", justify="right")
    table.add_column("allocated in, called by …")
    chains = without_wrappers([chain for _, _, chain in recorded.contexts])
    for (size, objects, _), chain in zip(recorded.contexts, chains, strict=True):
        callers = " < ".join(map(str, chain[:_CALLERS])) or "unknown"
        table.add_row(f"{size:,}", f"{objects:,}", callers)
    return table


def main() -> int:
    """Record, and print the tables. 1 where a trace is not clean, or a program ends otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--top", type=int, default=10, help="contexts of each program")
    chosen = parser.parse_args()
    console = Console(width=110)
    done: list[Recorded] = []
    with tempfile.TemporaryDirectory() as folder:
        for make in _CASES:
            case = make(Path(folder))
            if chosen.only not in case.name:
                continue
            if shutil.which(case.command[0]) is None:
                print(f"{case.command[0]}: not there, left out", file=sys.stderr)
                continue
            done.append(look_at(case, Path(folder), chosen.top))
    console.print(_counts(done))
    for recorded in done:
        console.print(_contexts(recorded))
    return 0 if all(recorded.clean and recorded.same_status for recorded in done) else 1


if __name__ == "__main__":
    sys.exit(main())
