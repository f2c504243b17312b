"""Whether predicted times rank heaps as measured times do, on real programs.

Each program of the suite that is one process runs under each heap, fresh and aged: begun in one of
which 64 MiB were allocated, and three quarters freed. `--measure` adds runs, all of a program's in
shuffled rounds, to the folder's `seconds.json`: what counts is the user time of the quickest, and
only programs of which one takes a tenth longer than another: what does not differ has no order.
`--record` makes the recordings that are missing: they are as good under load as on a calm machine.
Without either, what is measured and recorded is predicted. What computing and waiting weigh is
fitted on every other program; the rest shows what the model is worth.

usage: .venv/bin/python bench/validate_programs.py FOLDER --measure 20
       .venv/bin/python bench/validate_programs.py FOLDER --record
       .venv/bin/python bench/validate_programs.py FOLDER --machine mine.toml
"""

import argparse
import dataclasses
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.errors import AbutError
from abut.heaps import Heap, find_heaps
from abut.measure.interleave import Interleaver
from abut.measure.measurement import Measurement, Plan
from abut.measure.session import Task
from abut.measure.tasks import suite_tasks
from abut.simulation.presets import Preset, find_preset
from abut.simulation.times import HeapTime, Recording, Times, is_recorded, predicted, recorded

_SUITE = "programs"
_HEAPS = "glibc,mimalloc,abut"
_SPREAD = 1.1  # of the slowest heap to the fastest, at least
_LITTER = {
    "LITTER_MIB": "64",
    "LD_PRELOAD": str(Path(__file__).parents[1] / "build/release/bin/bench/litter.so"),
}
_OF_SEVERAL_PROCESSES = {"sh", "groff", "yosys"}

Seconds = dict[str, dict[str, list[float]]]  # user time, of a program, in a condition
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
    """A heap, fresh or aged."""

    heap: Heap
    aged: bool

    @property
    def name(self) -> str:
        """As times are shown."""
        return f"{self.heap.name}, aged" if self.aged else self.heap.name

    def as_heap(self) -> Heap:
        """To be measured beside the others."""
        litter = _LITTER if self.aged else {}
        return dataclasses.replace(
            self.heap, name=self.name, environment={**self.heap.environment, **litter}
        )

    def recording(self, task: Task, keep: Path, accesses: int) -> Recording | None:
        """The folder's. Of no accesses: None where it is missing, else made."""
        workload = task.prepare()
        if self.aged:
            workload = dataclasses.replace(
                workload, environment={**workload.environment, **_LITTER}
            )
            keep = keep / "aged"
        if not accesses and not is_recorded(workload, self.heap, keep):
            return None
        keep.mkdir(parents=True, exist_ok=True)
        return recorded(workload, self.heap, accesses, keep)


def measure(
    tasks: Sequence[Task], conditions: Sequence[Condition], runs: int, seconds: Seconds
) -> Iterator[str]:
    """Add runs of each program in each condition; yields the programs that are done."""
    heaps = [condition.as_heap() for condition in conditions]
    for task in tasks:
        of_program = seconds.setdefault(task.name, {})
        seed = max(map(len, of_program.values()), default=0)
        try:
            workload = task.prepare()
            if Path(workload.argv[0]).name in _OF_SEVERAL_PROCESSES:
                continue
            measurement = Measurement(workload)
            Interleaver(heaps, Plan(runs, 0, seed), (), heaps[0].name).measure(
                measurement, lambda _: None
            )
        except AbutError as error:
            _leave_out(task.name, error)
            continue
        failed = {difference.heap for difference in measurement.differences}
        for heap in heaps:
            if heap.name not in failed:
                some = [sample.user_s for sample in measurement.samples[heap.name]]
                of_program.setdefault(heap.name, []).extend(some)
        yield task.name


def _leave_out(what: str, error: AbutError) -> None:
    print(f"{what}: left out: {error}", file=sys.stderr)


def differ(of_program: Mapping[str, Sequence[float]]) -> bool:
    """Whether one condition takes so much longer than another."""
    least = [min(some) for some in of_program.values()]
    return len(least) > 1 and max(least) > _SPREAD * min(least)


def main() -> int:
    """Measure, record, or predict and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keep", type=Path, help="a folder, for seconds.json and recordings")
    parser.add_argument("--suite", default=_SUITE)
    parser.add_argument("--only", default="", help="programs, by name")
    parser.add_argument("--heaps", default=_HEAPS)
    parser.add_argument("--machine", default="zen5")
    parser.add_argument("--accesses", type=int, default=200_000_000, help="of a recording")
    parser.add_argument("--measure", type=int, default=0, help="so many rounds")
    parser.add_argument("--record", action="store_true", help="record what is missing")
    chosen = parser.parse_args()
    conditions = [
        Condition(heap, aged)
        for aged in (False, True)
        for heap in find_heaps(chosen.heaps.split(","))[0]
    ]
    tasks = suite_tasks(chosen.suite, chosen.only.split(",") if chosen.only else [])
    file = chosen.keep / "seconds.json"
    seconds: Seconds = json.loads(file.read_text()) if file.is_file() else {}
    if chosen.measure:
        chosen.keep.mkdir(parents=True, exist_ok=True)
        for name in measure(tasks, conditions, chosen.measure, seconds):
            file.write_text(json.dumps(seconds))
            print(f"{name}: measured", file=sys.stderr, flush=True)
        return 0
    tasks = [task for task in tasks if differ(seconds.get(task.name, {}))]
    if not tasks:
        parser.error("no program's heaps differ enough; begin with --measure")
    accesses = chosen.accesses if chosen.record else 0
    recordings = []
    for task, condition in itertools.product(tasks, conditions):
        if condition.name not in seconds[task.name]:
            continue
        try:
            one = condition.recording(task, chosen.keep, accesses)
        except AbutError as error:
            _leave_out(f"{task.name} under {condition.name}", error)
            continue
        recordings.append((task.name, condition.name, one))
    if chosen.record:
        return 0
    found = predict(jobs_of(recordings, seconds, find_preset(chosen.machine)))
    if not found:
        parser.error("nothing is recorded; go on with --record")
    show(found, chosen.keep)
    return 0


def jobs_of(
    recordings: Sequence[tuple[str, str, Recording | None]], seconds: Seconds, preset: Preset
) -> dict[str, list[Job]]:
    """What `predicted` takes, by program."""
    jobs: dict[str, list[Job]] = {}
    for program, condition, recording in recordings:
        if recording:
            some = seconds[program][condition]
            job = recording, condition, preset, (min(some), median(some))
            jobs.setdefault(program, []).append(job)
    return jobs


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
                _leave_out(name, error)
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
