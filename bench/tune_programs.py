"""What `abut tune` does for real programs: tuned on one input, measured on that and on another.

Each program is recorded and tuned as `abut tune --also` does it. Then it runs in turn under the
peers, plain abut, and abut with the plan, on the input that was recorded and on another one. Where
tuning keeps no plan, its best one is shown, and that it was not kept. `gain` is what the time is
less than the best peer's; `kept` is how much of what the plan gives over plain abut on its own
input it gives on the other.

Recordings and plans do not depend on how busy the machine is: `--prepare` makes them alone, in a
folder that `--prepared` takes up again, where what was measured of each program is kept, too.

usage: .venv/bin/python bench/tune_programs.py [--only NAME,...] [--budget SECONDS] [--runs N]
           [--prepare FOLDER | --prepared FOLDER]
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from plan_programs import add_only, chosen_programs
from rich.console import Console
from rich.table import Table

from abut.heaps import Heap, MissingHeap, find_heap
from abut.measure.counters import available
from abut.measure.measurement import Comparison
from abut.measure.measurement import Plan as Rounds
from abut.measure.session import compare
from abut.measure.statistics import Estimate, geometric_mean, median, ratio
from abut.measure.tasks import program_tasks
from abut.places import bench_places
from abut.reporters.tune import QuietWatcher
from abut.tuning.tune import Candidate, Request, Tuning, prepare
from abut.tuning.tune import measure as tune_prepared

_PLACES = bench_places()
_PEERS = ("glibc", "jemalloc", "mimalloc", "tcmalloc")
_PLAIN, _PLANNED = "abut", "planned"
_SCRIPTS = _PLACES.bench / "scripts"
_SETTINGS = {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0"}


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the arguments it is tuned on, and other ones."""

    name: str
    own: list[str]
    other: list[str]


@dataclass(frozen=True, slots=True)
class Row:
    """Times as multiples of the best peer's, and of plain abut's; own input first, then other."""

    case: Case
    tuning: Tuning
    shown: Candidate | None
    peers: list[str]
    plain: list[Estimate]
    planned: list[Estimate]
    to_plain: list[Estimate]


def made(folder: Path, kind: str, size: str, count: int, seed: int) -> str:
    """A generated input: the file."""
    path = folder / f"{kind}-{count}-{seed}"
    script = _PLACES.bench / "inputs" / f"make_{kind}.py"
    words = [f"--{size}", str(count), "--seed", str(seed), "--out", str(path)]
    subprocess.run([str(_PLACES.python), str(script), *words], check=True)
    return str(path)


def cases(folder: Path) -> list[Case]:
    """Six programs; the other input is of another size, and of other contents where it is made."""
    python = [str(_PLACES.python), str(_SCRIPTS / "objects.py"), "--orders"]
    lua = ["lua5.4", str(_SCRIPTS / "tables.lua")]
    perl = ["perl", str(_SCRIPTS / "hashes.pl")]
    jq = ["jq", "-f", str(_SCRIPTS / "group.jq")]
    records = [
        made(folder, "xml", "records", count, seed) for count, seed in ((40000, 1), (60000, 2))
    ]
    events = [made(folder, "json", "events", count, seed) for count, seed in ((6000, 1), (9000, 2))]
    sales = [made(folder, "sql", "sales", count, seed) for count, seed in ((30000, 1), (45000, 2))]
    path = "count(//record[@kind='cedar']/tags/tag[@weight>50])"
    xml = ["xmllint", "--xpath", path]
    return [
        Case("lua-tables", [*lua, "100000", "12", "index"], [*lua, "150000", "12", "index"]),
        Case("perl-hashes", [*perl, "20000", "3"], [*perl, "30000", "3"]),
        Case("python-objects", [*python, "40000"], [*python, "60000"]),
        Case("xmllint-xpath", [*xml, records[0]], [*xml, records[1]]),
        Case("jq", [*jq, events[0]], [*jq, events[1]]),
        Case(
            "sqlite",
            ["sqlite3", ":memory:", f".read {sales[0]}"],
            ["sqlite3", ":memory:", f".read {sales[1]}"],
        ),
    ]


def heaps(plan: Path | None) -> list[Heap]:
    """The peers that are installed, plain abut, and abut with the plan."""
    found = [find_heap(name) for name in (*_PEERS, _PLAIN)]
    there = [heap for heap in found if not isinstance(heap, MissingHeap)]
    plain = there[-1]
    if plan is not None:
        there.append(Heap(_PLANNED, plain.about, plain.library, "", {"ABUT_PLAN": str(plan)}))
    return there


def times(argv: list[str], plan: Path | None, runs: int) -> dict[str, Estimate]:
    """Medians of the wall time by heap."""
    comparison = Comparison(Rounds(runs, 1, 1), heaps(plan), [], available())
    compare(comparison, program_tasks(argv, None), QuietWatcher())
    if comparison.interrupted:
        raise KeyboardInterrupt
    measurement = comparison.measurements[0]
    if measurement.differences:
        sys.exit(f"{argv[0]}: {measurement.differences[0].problem}")
    return {
        heap: median([sample.wall_s for sample in samples], 1)
        for heap, samples in measurement.samples.items()
    }


def best_of(tuning: Tuning) -> Candidate | None:
    """The plan that was kept, else the fastest that was measured."""
    measured = [one for one in tuning.candidates if one.wall is not None]
    best = min(measured, key=lambda one: one.wall.value if one.wall else 0.0, default=None)
    return tuning.winner or best


def prepared(case: Case, budget: float, runs: int, folder: Path) -> Tuning:
    """Its recording and plans, made in the folder if they are not there yet."""
    work = folder / case.name
    kept = work / "tuning.pickle"
    if kept.is_file():
        return cast("Tuning", pickle.loads(kept.read_bytes()))
    work.mkdir(exist_ok=True)
    request = Request(
        argv=case.own,
        also=[case.other],
        budget=budget,
        runs=runs,
        output=work / "kept.plan",
        cache="modern",
        folder=work,
        progress=_nothing,
    )
    tuning = prepare(request)
    (work / "run.trace").unlink()
    kept.write_bytes(pickle.dumps(tuning))
    return tuning


def _nothing(what: str) -> None:
    """Whoever waits for a benchmark does not read along."""


def measured(case: Case, budget: float, runs: int, folder: Path) -> Row:
    """Tune it, and run it on both inputs."""
    tuning = prepared(case, budget, runs, folder)
    if tuning.candidates:
        tune_prepared(tuning, QuietWatcher())
    shown = best_of(tuning)
    plan = shown.path if shown else None
    peers, plain, planned, to_plain = [], [], [], []
    for argv in (case.own, case.other):
        found = times(argv, plan, runs)
        peer = min((name for name in found if name in _PEERS), key=lambda name: found[name].value)
        mine = found.get(_PLANNED, found[_PLAIN])
        peers.append(peer)
        plain.append(_multiple(found[_PLAIN], found[peer]))
        planned.append(_multiple(mine, found[peer]))
        to_plain.append(_multiple(mine, found[_PLAIN]))
    return Row(case, tuning, shown, peers, plain, planned, to_plain)


def row_of(case: Case, budget: float, runs: int, folder: Path) -> Row:
    """What was measured of it, now or before."""
    kept = folder / case.name / "row.pickle"
    if kept.is_file():
        return cast("Row", pickle.loads(kept.read_bytes()))
    row = measured(case, budget, runs, folder)
    kept.write_bytes(pickle.dumps(row))
    return row


def _multiple(one: Estimate, other: Estimate) -> Estimate:
    found = ratio(one, other)
    assert found is not None, "programs take time"
    return found


def _gain(multiple: Estimate) -> str:
    half = (multiple.high - multiple.low) / 2
    return f"{1 - multiple.value:+.1%} ±{half:.1%}"


def _kept(row: Row) -> str:
    own, other = (1 - one.value for one in row.to_plain)
    if row.to_plain[0].high >= 1:
        return "no gain"
    return f"{other / own:.0%}"


def report(rows: list[Row]) -> None:
    """Print the table, and what it comes to."""
    table = Table()
    table.add_column("program")
    table.add_column("plan")
    for name in (
        "best peer",
        "abut's gain",
        "with plan",
        "other: peer",
        "abut's",
        "with plan",
        "kept",
    ):
        table.add_column(name, justify="right")
    for row in rows:
        plan = row.shown.strategy if row.shown else "none"
        verdict = plan if row.tuning.winner else f"({plan})"
        cells = [
            cell
            for side in (0, 1)
            for cell in (row.peers[side], _gain(row.plain[side]), _gain(row.planned[side]))
        ]
        table.add_row(row.case.name, verdict, *cells, _kept(row))
    Console(width=118).print(table)
    print("a plan in brackets was the best that was measured, and not kept:")
    for row in rows:
        if not row.tuning.winner:
            print(f"  {row.case.name}: {row.tuning.why}")
    # What somebody gets who tunes: the plan where one was kept, else plain abut.
    got = [row.planned[0] if row.tuning.winner else row.plain[0] for row in rows]
    won = sum(one.high < 1 for one in got)
    mean = geometric_mean(got)
    print(
        f"after tuning, {won} of {len(rows)} programs are faster than under their best peer; "
        f"the mean gain over it is {_gain(mean) if mean else 'none'}"
    )


def main() -> int:
    """Tune and measure them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_only(parser)
    parser.add_argument("--budget", type=float, default=120, help="seconds to tune each")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--prepare", type=Path, help="a folder: make recordings and plans alone")
    parser.add_argument("--prepared", type=Path, help="that folder")
    chosen = parser.parse_args()
    os.environ.update(_SETTINGS)
    with tempfile.TemporaryDirectory(prefix="abut-tune-") as scratch:
        folder: Path = chosen.prepare or chosen.prepared or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        all_cases = {case.name: case for case in cases(folder.absolute())}
        commands = {name: case.own for name, case in all_cases.items()}
        names = [name for name, _ in chosen_programs(commands, chosen.only)]
        settings = (chosen.budget, chosen.runs, folder.absolute())
        if chosen.prepare:
            for name in names:
                prepared(all_cases[name], *settings)
            return 0
        report([row_of(all_cases[name], *settings) for name in names])
    return 0


if __name__ == "__main__":
    sys.exit(main())
