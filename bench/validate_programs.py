"""Whether predicted times rank heaps as measured times do, on real programs.

The measured times are those of files that `abut compare --suite` wrote, of user time: the least of
each heap's runs in all. Those of `--aged` were measured with `_LITTER` in the environment, and
count as further heaps. Of the programs those are taken that are one process, and of which one heap
takes a tenth longer than another at least: what does not differ has no order. `--record` makes
recordings, in the folder --keep, of which those that are there are not made again: they are as good
under load as on a calm machine. Without it, what is recorded is predicted. What computing and
waiting weigh is fitted on every other program; the rest shows what the model is worth.

usage: .venv/bin/python bench/validate_programs.py --times FILES [--aged FILES] --keep FOLDER
           [--machine FILE] [--record]
"""

import argparse
import dataclasses
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.errors import AbutError
from abut.heaps import Heap, find_heaps
from abut.measure.session import Task
from abut.measure.tasks import suite_tasks
from abut.measure.workload import Workload
from abut.simulation.presets import Preset, find_preset
from abut.simulation.times import HeapTime, Recording, Times, is_recorded, predicted, recorded

_HEAPS = "glibc,mimalloc,abut"
_SPREAD = 1.1  # of the slowest heap to the fastest, at least
_LITTER = {
    "LITTER_MIB": "64",
    "LD_PRELOAD": str(Path(__file__).parents[1] / "build/release/bin/bench/litter.so"),
}
_OF_SEVERAL_PROCESSES = {"sh", "groff", "yosys"}

Measured = Mapping[str, tuple[float, float]]  # a heap's least and median seconds
Job = tuple[Recording, str, Preset, tuple[float, float]]  # what `predicted` takes


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
    """Of each program that is one process: each heap's least and median user time, in seconds."""
    found: dict[str, Measured] = {}
    for benchmark in (one for document in documents for one in document["benchmarks"]):
        name = benchmark["name"]
        if name in found or Path(benchmark["command"][0]).name in _OF_SEVERAL_PROCESSES:
            continue
        users = {heap: some for heap in heaps if (some := _user_times(documents, name, heap))}
        if users:
            found[name] = {heap: (min(some), median(some)) for heap, some in users.items()}
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


@dataclasses.dataclass(frozen=True)
class Condition:
    """Heaps that a program's times were measured under: fresh ones, or aged ones."""

    seconds: Mapping[str, Measured]  # of a program
    keep: Path
    aged: bool

    def workload(self, task: Task) -> Workload:
        """The program, which begins with the litter where heaps are aged."""
        workload = task.prepare()
        if not self.aged:
            return workload
        return dataclasses.replace(workload, environment={**workload.environment, **_LITTER})

    def record(self, task: Task, heap: Heap, accesses: int) -> None:
        """Make the recording, where it is missing."""
        if heap.name in self.seconds[task.name]:
            self.keep.mkdir(parents=True, exist_ok=True)
            recorded(self.workload(task), heap, accesses, self.keep)

    def job(self, task: Task, heap: Heap, preset: Preset) -> Job | None:
        """What `predicted` takes, of a heap that was measured and recorded."""
        measured = self.seconds[task.name].get(heap.name)
        workload = self.workload(task)
        if measured is None or not is_recorded(workload, heap, self.keep):
            return None
        name = f"{heap.name}, aged" if self.aged else heap.name
        return recorded(workload, heap, 1, self.keep), name, preset, measured


def conditions_of(chosen: argparse.Namespace, heaps: Sequence[Heap]) -> list[Condition]:
    """What was measured, of programs to be taken."""
    of_heaps = [heap.name for heap in heaps]
    read = [
        [json.loads(path.read_text()) for path in paths] for paths in (chosen.times, chosen.aged)
    ]
    fresh, aged = (measured_times(documents, of_heaps) for documents in read)
    names = taken(fresh, aged, chosen.only.split(",") if chosen.only else [])
    return [
        Condition({name: times.get(name, {}) for name in names}, folder, is_aged)
        for times, folder, is_aged in (
            (fresh, chosen.keep, False),
            (aged, chosen.keep / "aged", True),
        )
    ]


def taken(
    fresh: Mapping[str, Measured], aged: Mapping[str, Measured], only: Sequence[str]
) -> list[str]:
    """The programs of which one heap takes so much longer than another; of `only`, if any."""

    def spread(name: str) -> float:
        least = [one for times in (fresh, aged) for one, _ in times.get(name, {}).values()]
        return max(least, default=0.0) / min(least, default=1.0)

    return [name for name in only or dict.fromkeys([*fresh, *aged]) if spread(name) > _SPREAD]


def main() -> int:
    """Record, or predict and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--times", type=Path, nargs="+", required=True, help="what compare --output wrote"
    )
    parser.add_argument("--aged", type=Path, nargs="+", default=[], help="the same, of aged heaps")
    parser.add_argument("--only", default="", help="programs of it, by name")
    parser.add_argument("--heaps", default=_HEAPS)
    parser.add_argument("--machine", default="zen5")
    parser.add_argument("--accesses", type=int, default=50_000_000)
    parser.add_argument("--record", action="store_true", help="record what is missing, and stop")
    parser.add_argument("--keep", type=Path, required=True, help="a folder")
    chosen = parser.parse_args()
    heaps, _ = find_heaps(chosen.heaps.split(","))
    conditions = conditions_of(chosen, heaps)
    if not conditions[0].seconds:
        parser.error("no program's heaps differ enough")
    suite = json.loads(chosen.times[0].read_text())["settings"]["suite"]
    tasks = suite_tasks(suite, list(conditions[0].seconds))
    if chosen.record:
        for task, condition, heap in itertools.product(tasks, conditions, heaps):
            try:
                condition.record(task, heap, chosen.accesses)
            except AbutError as error:
                print(f"{task.name} under {heap.name}: left out: {error}", file=sys.stderr)
        return 0
    preset = find_preset(chosen.machine)
    jobs = {
        task.name: [
            job
            for condition, heap in itertools.product(conditions, heaps)
            if (job := condition.job(task, heap, preset))
        ]
        for task in tasks
    }
    found = predict(jobs)
    if found:
        show(found, chosen.keep)
    return 0


def predict(jobs: Mapping[str, Sequence[Job]]) -> list[Times]:
    """Each program's heaps, on all processors."""
    found = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        started = {
            name: [pool.submit(predicted, *job) for job in some] for name, some in jobs.items()
        }
        for name, some in started.items():
            try:
                times = [one.result() for one in some]
            except AbutError as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            if len(times) > 1:
                found.append(Times(name, _of_whole_runs(name, times)))
            print(f"{name}: {len(times)} heaps", file=sys.stderr, flush=True)
    return found


def show(found: list[Times], keep: Path) -> None:
    """What is fitted on every other program is worth for the rest."""
    rows = [dataclasses.asdict(one) for one in found]
    (keep / "times.json").write_text(json.dumps(rows, indent=1))
    trained = found[::2]
    weights = fitted(trained)
    print(f"weights: computing {weights[0]:.2f}, waiting {weights[1]:.2f}")
    programs = [weighed(one, weights) for one in found]
    Console(width=110).print(table_of(programs, {one.program for one in trained}))


if __name__ == "__main__":
    sys.exit(main())
