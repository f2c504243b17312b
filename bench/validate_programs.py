"""Whether predicted times rank heaps as measured times do, on the real programs of a suite.

Two constants, what computing and what waiting weigh, are fitted on every other program; the rest
shows what they are worth. User time, the least of shuffled rounds: on a machine that does nothing
else. Recordings are kept in a folder, and need not be made again.

usage: .venv/bin/python bench/validate_programs.py [--suite quick] [--machine zen5] [--keep FOLDER]
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.errors import AbutError
from abut.heaps import find_heaps
from abut.measure.measurement import Plan
from abut.measure.tasks import suite_tasks
from abut.simulation.presets import find_preset
from abut.simulation.times import HeapTime, Times, compare_times

_HEAPS = "glibc,jemalloc,mimalloc,tcmalloc,abut,abut+order=birth"


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


def main() -> int:
    """Measure, predict, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--only", default="", help="programs, by name")
    parser.add_argument("--heaps", default=_HEAPS)
    parser.add_argument("--machine", default="zen5")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--accesses", type=int, default=100_000_000)
    parser.add_argument("--keep", type=Path, help="a folder")
    chosen = parser.parse_args()
    heaps, _ = find_heaps(chosen.heaps.split(","))
    preset = find_preset(chosen.machine)
    if chosen.keep:
        chosen.keep.mkdir(exist_ok=True)
    found: list[Times] = []
    for task in suite_tasks(chosen.suite, [name for name in chosen.only.split(",") if name]):
        try:
            workload, plan = task.prepare(), Plan(chosen.runs, 1, 1)
            found.append(compare_times(workload, heaps, preset, plan, chosen.accesses, chosen.keep))
        except AbutError as error:
            print(f"{task.name}: left out: {error}", file=sys.stderr)
            continue
        print(json.dumps(dataclasses.asdict(found[-1])), flush=True)
    trained = found[::2]
    weights = fitted(trained)
    print(f"weights: computing {weights[0]:.2f}, waiting {weights[1]:.2f}")
    programs = [weighed(one, weights) for one in found]
    Console(width=110).print(table_of(programs, {one.program for one in trained}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
