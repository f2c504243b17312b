"""What the light recorder costs: how much longer the programs of a suite take with it.

Each program runs under abut's heap with and without the recorder, in pairs that begin with one and
with the other by turns: what counts is the median of the pairs' ratios (± half of its 95 %
interval), and beside it, as the noise of a shared machine only adds, the ratio of the best runs. A
program beside it, which no heap serves, takes the time, so that what the recorder does before and
after does not count. The same of the processors' time: the program's own, and all that the recorder
takes beside it, as shares of what the program takes without.

usage: .venv/bin/python bench/light_speed.py [--suite NAME] [--runs N] [--only NAME] [--keep FILE]
"""

import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.errors import NotHere
from abut.library import library_path
from abut.measure.inputs import workload_of
from abut.measure.statistics import Estimate, exact, geometric_mean, median
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.places import bench_places
from abut.trace import Trace

# As printed, and what each pair took by the clock, without and with the recorder.
Row = tuple[list[str], list[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Seconds:
    """What a run took: by the clock, and of processors' time, the program's and all others'."""

    elapsed: float
    own: float
    beside: float


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds_of(workload: Workload, around: list[str], variables: Mapping[str, str]) -> Seconds:
    """How long the program itself takes. Fails where it fails."""
    command = [*around, str(bench_places().programs / "stopwatch"), *workload.argv]
    before = _processor_time()
    with workload.stdin.open("rb") as stdin:
        done = subprocess.run(
            command,
            stdin=stdin,
            capture_output=True,
            text=True,
            cwd=workload.folder,
            env={**os.environ, **workload.environment, **variables},
            check=False,
        )
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stderr}")
    elapsed, user, system = (float(word) for word in done.stderr.split()[-3:])
    own = user + system
    return Seconds(elapsed, own, max(_processor_time() - before - own, 0))


def median_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Of the second to the first of each pair."""
    return statistics.median(second / first for first, second in pairs)


def best_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Of the least second to the least first: what else goes on takes time, and gives none back."""
    return min(second for _, second in pairs) / min(first for first, _ in pairs)


def measure(workload: Workload, runs: int, folder: Path) -> Row:
    """The row of the table, and what each pair took by the clock."""
    record = [sys.executable, "-m", "abut", "record", "--recorder", "light", "--follow-children"]

    def plain() -> Seconds:
        return seconds_of(workload, [], {"LD_PRELOAD": str(library_path())})

    def recorded() -> Seconds:
        for trace in folder.iterdir():
            trace.unlink()
        return seconds_of(workload, [*record, "-q", "-o", str(folder / "trace"), "--"], {})

    pairs = []
    for run in range(runs):
        if run % 2:
            pairs.append((plain(), recorded()))
        else:
            after = recorded()
            pairs.append((plain(), after))
    elapsed = [(without.elapsed, with_it.elapsed) for without, with_it in pairs]
    own = median_ratio([(without.own, with_it.own) for without, with_it in pairs])
    beside = statistics.median(
        (with_it.beside - without.beside) / without.own for without, with_it in pairs
    )
    without, with_it = (statistics.median(times) for times in zip(*elapsed, strict=True))
    infos = [Trace(trace).info for trace in folder.iterdir()]
    totals = [info.totals or {} for info in infos]
    events = sum(info.events for info in infos)
    dropped = sum(total.get("dropped_events", 0) for total in totals)
    row = [
        workload.name,
        f"{without:.2f} s",
        f"{with_it:.2f} s",
        _longer(median([with_it / without for without, with_it in elapsed], seed=1)),
        f"{(best_ratio(elapsed) - 1) * 100:+.1f} %",
        f"{(own - 1) * 100:+.1f} %",
        f"{beside * 100:.0f} %",
        f"{(events + dropped) / without / 1e6:.2f} M",
        f"{dropped / max(events + dropped, 1):.1%}",
    ]
    return row, elapsed


def _longer(ratio: Estimate) -> str:
    spread = f" ±{half * 100:.1f}" if (half := ratio.half_width) is not None else ""
    return f"{(ratio.value - 1) * 100:+.1f}{spread} %"


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--keep", type=Path, help="where rows are kept that were measured")
    chosen = parser.parse_args()
    kept: dict[str, Row] = {}
    if chosen.keep is not None and chosen.keep.exists():
        kept = json.loads(chosen.keep.read_text())
    places = bench_places()
    table = Table(title=f"{chosen.runs} pairs of runs of each program", title_justify="left")
    headings = ("program", "abut", "recorded", "longer", "best", "own", "beside", "events a second")
    for heading in (*headings, "dropped"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    measured: list[list[tuple[float, float]]] = []
    for benchmark in choose(load_benchmarks(places.suites), chosen.suite, []):
        if chosen.only not in benchmark.name:
            continue
        try:
            workload = workload_of(benchmark, chosen.suite, places)
        except NotHere as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        if workload.name not in kept:
            with tempfile.TemporaryDirectory() as folder:
                kept[workload.name] = measure(workload, chosen.runs, Path(folder))
        if chosen.keep is not None:
            chosen.keep.write_text(json.dumps(kept))
        row, pairs = kept[workload.name]
        table.add_row(*row)
        if sys.stderr.isatty():
            print(*row, sep="  ", file=sys.stderr)
        measured.append(pairs)
    if measured:
        # Each with a seed of its own: programs are not measured in rounds.
        ratios = [[with_it / without for without, with_it in pairs] for pairs in measured]
        mean = geometric_mean([median(each, seed) for seed, each in enumerate(ratios)])
        least = geometric_mean([exact(best_ratio(pairs)) for pairs in measured])
        assert mean is not None
        assert least is not None
        best = f"{(least.value - 1) * 100:+.1f} %"
        table.add_section()
        table.add_row("geometric mean", "", "", _longer(mean), best, "", "", "", "")
    Console(width=108).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
