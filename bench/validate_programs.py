"""Whether predicted times rank heaps as measured times do, on real programs.

The measured times are those of files that `abut compare --suite` wrote, of user time: the least of
each heap's runs in all. Of their programs those are taken that are one process, and of which one
heap takes a tenth longer than another at least: what does not differ has no order. `--record` makes
recordings, in the folder --keep, of which those that are there are not made again: they are as good
under load as on a calm machine. Without it, what is recorded is predicted. What computing and
waiting weigh is fitted on every other program; the rest shows what the model is worth.

usage: .venv/bin/python bench/validate_programs.py --times TIMES.json... --keep FOLDER --record
       .venv/bin/python bench/validate_programs.py --times TIMES.json... --keep FOLDER [--machine F]
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.errors import AbutError
from abut.heaps import find_heaps
from abut.measure.tasks import suite_tasks
from abut.simulation.presets import find_preset
from abut.simulation.times import HeapTime, Times, is_recorded, predicted, recorded

_HEAPS = "glibc,mimalloc,abut"
_SPREAD = 1.1  # of the slowest heap to the fastest, at least
_OF_SEVERAL_PROCESSES = {"sh", "groff", "yosys"}

Measured = dict[str, tuple[float, float]]  # a heap's least and median seconds


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


def measured_times(
    documents: Sequence[Mapping[str, Any]], heaps: Sequence[str]
) -> dict[str, Measured]:
    """Of the programs to be taken: each heap's least and median user time, in seconds."""
    found: dict[str, Measured] = {}
    for benchmark in (one for document in documents for one in document["benchmarks"]):
        name = benchmark["name"]
        if name in found or Path(benchmark["command"][0]).name in _OF_SEVERAL_PROCESSES:
            continue
        users = {heap: some for heap in heaps if (some := _user_times(documents, name, heap))}
        times = {heap: (min(some), median(some)) for heap, some in users.items()}
        least = [one for one, _ in times.values()]
        if len(least) > 1 and max(least) > _SPREAD * min(least):
            found[name] = times
    return found


def _user_times(documents: Sequence[Mapping[str, Any]], name: str, heap: str) -> list[float]:
    """Of all runs of a program under a heap; none where it fails there."""
    times: list[float] = []
    for benchmark in (one for document in documents for one in document["benchmarks"]):
        if benchmark["name"] != name:
            continue
        if heap in {difference["heap"] for difference in benchmark["differences"]}:
            return []
        times += [one["user_s"] for one in benchmark["samples"].get(heap, ())]
    return times


def _of_whole_runs(program: str, times: list[HeapTime]) -> list[HeapTime]:
    """Without the heaps under which the program ends early: not every one serves every program."""
    most = max(one.instructions for one in times)
    whole = [one for one in times if one.instructions > most / 3]
    for one in times:
        if one not in whole:
            print(f"{program} under {one.heap}: left out: it ended early", file=sys.stderr)
    return whole


def main() -> int:
    """Record, measure, predict, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--times", type=Path, nargs="+", required=True, help="what compare --output wrote"
    )
    parser.add_argument("--only", default="", help="programs of it, by name")
    parser.add_argument("--heaps", default=_HEAPS)
    parser.add_argument("--machine", default="zen5")
    parser.add_argument("--accesses", type=int, default=50_000_000)
    parser.add_argument("--record", action="store_true", help="record what is missing, and stop")
    parser.add_argument("--keep", type=Path, required=True, help="a folder")
    chosen = parser.parse_args()
    heaps, _ = find_heaps(chosen.heaps.split(","))
    preset = find_preset(chosen.machine)
    chosen.keep.mkdir(exist_ok=True)
    documents = [json.loads(path.read_text()) for path in chosen.times]
    seconds = measured_times(documents, [heap.name for heap in heaps])
    names = chosen.only.split(",") if chosen.only else list(seconds)
    found: list[Times] = []
    for task in suite_tasks(documents[0]["settings"]["suite"], names):
        times = []
        try:
            workload = task.prepare()
            for heap in (heap for heap in heaps if heap.name in seconds[task.name]):
                if chosen.record:
                    recorded(workload, heap, chosen.accesses, chosen.keep)
                elif is_recorded(workload, heap, chosen.keep):
                    recording = recorded(workload, heap, chosen.accesses, chosen.keep)
                    measured = seconds[task.name][heap.name]
                    times.append(predicted(recording, heap.name, preset, measured))
        except AbutError as error:
            print(f"{task.name}: left out: {error}", file=sys.stderr)
            continue
        if len(times) > 1:
            found.append(Times(task.name, _of_whole_runs(task.name, times)))
        print(f"{task.name}: {len(times)} heaps", file=sys.stderr, flush=True)
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
