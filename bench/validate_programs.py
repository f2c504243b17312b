"""Whether predicted times rank heaps as measured times do, on real programs.

`--record` makes recordings, in the folder --keep, of which those that are there are not made again:
they are as good under load as on a calm machine. Without it, each program that has three recordings
or more is measured (user time, the least of shuffled rounds: on a machine that does nothing else;
times in the folder are not measured again), and predicted. What computing and waiting weigh is
fitted on every other program; the rest shows what the model is worth.

usage: .venv/bin/python bench/validate_programs.py --keep FOLDER --record
       .venv/bin/python bench/validate_programs.py --keep FOLDER [--machine mine.toml]
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.errors import AbutError
from abut.heaps import Heap, find_heaps
from abut.measure.measurement import Plan
from abut.measure.tasks import suite_tasks
from abut.measure.workload import Workload
from abut.simulation.presets import find_preset
from abut.simulation.times import HeapTime, Times, is_recorded, measured, predicted, recorded
from abut.trace.reader import Trace

_HEAPS = "glibc,jemalloc,mimalloc,abut,abut+place=off,abut+order=birth"
_LEAST_HEAPS = 3
# Programs of one process, of many kinds.
_PROGRAMS = {
    "quick": "lua-tables,lua-tables-birth,lua-closures,python-objects,python-json,perl-hashes,"
    "perl-text,xmllint-parse,sqlite,cc1,jq",
    "programs": "ruby-inventory,php-orders,jim-lists,ledger,xsltproc,cppcheck,dot",
}


def fitted(programs: list[Times]) -> tuple[float, float]:
    """What computing and waiting weigh, both at least 0, with the least relative error."""
    heaps = [heap for program in programs for heap in program.heaps]
    rows = np.array([[h.computing_s, h.predicted_s - h.computing_s] for h in heaps])
    rows /= np.array([[h.measured_s] for h in heaps])
    computing, waiting = np.linalg.lstsq(rows, np.ones(len(heaps)), rcond=None)[0]
    if min(computing, waiting) < 0:
        both = rows.sum(axis=1)
        computing = waiting = both.sum() / (both @ both)
    return float(computing), float(waiting)


def weighed(program: Times, weights: tuple[float, float]) -> Times:
    """The program with predictions by these weights."""

    def heap(one: HeapTime) -> HeapTime:
        waiting = (one.predicted_s - one.computing_s) * weights[1]
        computing = one.computing_s * weights[0]
        return dataclasses.replace(one, predicted_s=computing + waiting, computing_s=computing)

    return Times(program.program, [heap(one) for one in program.heaps])


def table_of(programs: list[Times], trained: set[str]) -> Table:
    """A row a program, and one for those that were not trained on."""
    table = Table("program", "constants")
    for column in ("rank correlation", "signs right", "of pairs > 5 %", "error", "error, unscaled"):
        table.add_column(column, justify="right")
    others = [one for one in programs if one.program not in trained]
    for title, some in [(one.program, [one]) for one in programs] + [
        *([("all others", others)] if others else []),
        ("all", programs),
    ]:
        off = [abs(heap.predicted_s / heap.measured_s - 1) for one in some for heap in one.heaps]
        right, pairs = (sum(values) for values in zip(*(one.signs for one in some), strict=True))
        table.add_row(
            title,
            "fitted on" if title in trained else "",
            f"{fmean(one.rank_correlation for one in some):.2f}",
            str(right),
            str(pairs),
            f"{fmean(one.error for one in some):.1%}",
            f"{fmean(off):.1%}",
        )
    return table


def _workloads(programs: dict[str, str]) -> Iterator[Workload]:
    for suite, names in programs.items():
        for task in suite_tasks(suite, [name for name in names.split(",") if name]):
            try:
                yield task.prepare()
            except AbutError as error:
                print(f"{task.name}: left out: {error}", file=sys.stderr)


def _of_whole_runs(program: str, times: list[HeapTime]) -> list[HeapTime]:
    """Without the heaps under which the program ends early: not every one serves every program."""
    most = max(one.instructions for one in times)
    whole = [one for one in times if one.instructions > most / 3]
    for one in times:
        if one not in whole:
            print(f"{program} under {one.heap}: left out: it ended early", file=sys.stderr)
    return whole


def _seconds(
    workload: Workload, heaps: Sequence[Heap], runs: int, keep: Path
) -> dict[str, tuple[float, float]]:
    """The user times in the folder, which are measured where it lacks one."""
    path = keep / f"{workload.name}.seconds.json"
    found: dict[str, list[float]] = json.loads(path.read_text()) if path.is_file() else {}
    if {heap.name for heap in heaps} - set(found):
        times = measured(workload, heaps, Plan(runs, 1, 1))
        path.write_text(json.dumps(times))
        return times
    return {name: (least, middle) for name, (least, middle) in found.items()}


def main() -> int:
    """Record, measure, predict, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", help="a suite [programs of one process of two suites]")
    parser.add_argument("--only", default="", help="programs of the suite, by name")
    parser.add_argument("--heaps", default=_HEAPS)
    parser.add_argument("--machine", default="zen5")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--accesses", type=int, default=50_000_000)
    parser.add_argument("--record", action="store_true", help="record what is missing, and stop")
    parser.add_argument("--keep", type=Path, required=True, help="a folder")
    chosen = parser.parse_args()
    heaps, _ = find_heaps(chosen.heaps.split(","))
    preset = find_preset(chosen.machine)
    chosen.keep.mkdir(exist_ok=True)
    found: list[Times] = []
    for workload in _workloads({chosen.suite: chosen.only} if chosen.suite else _PROGRAMS):
        try:
            if chosen.record:
                for heap in heaps:
                    recorded(workload, heap, chosen.accesses, chosen.keep)
                continue
            some = [heap for heap in heaps if is_recorded(workload, heap, chosen.keep)]
            if len(some) < _LEAST_HEAPS:
                print(f"{workload.name}: left out: {len(some)} recordings", file=sys.stderr)
                continue
            seconds = _seconds(workload, some, chosen.runs, chosen.keep)
            times = []
            for heap in some:
                path, count = recorded(workload, heap, chosen.accesses, chosen.keep)
                times.append(predicted(Trace(path), heap.name, count, preset, seconds[heap.name]))
        except AbutError as error:
            print(f"{workload.name}: left out: {error}", file=sys.stderr)
            continue
        found.append(Times(workload.name, _of_whole_runs(workload.name, times)))
        print(f"{workload.name}: {len(some)} heaps", file=sys.stderr, flush=True)
    if not found:
        return 0
    rows = [dataclasses.asdict(one) for one in found]
    (chosen.keep / "times.json").write_text(json.dumps(rows, indent=1))
    trained = found[::2]
    weights = fitted(trained)
    print(f"weights: computing {weights[0]:.2f}, waiting {weights[1]:.2f}")
    programs = [weighed(one, weights) for one in found]
    Console(width=110).print(table_of(programs, {one.program for one in trained}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
