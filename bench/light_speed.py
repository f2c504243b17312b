"""What the light recorder costs: how much longer the programs of a suite take with it.

Each program runs under abut's heap, in turn with and without the recorder; a shell beside it takes
the time, so that what the recorder does before and after does not count.

usage: .venv/bin/python bench/light_speed.py [--suite NAME] [--runs N] [--only NAME]
"""

import argparse
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.errors import NotHere
from abut.inputs import workload_of
from abut.library import library_path
from abut.measure.workload import Workload
from abut.places import bench_places
from abut.suites import choose, load_benchmarks
from abut.trace import Trace

_TIMED = 'TIMEFORMAT="%R"; time "$@" >/dev/null 2>&1'


def seconds_of(workload: Workload, around: list[str], variables: Mapping[str, str]) -> float:
    """How long the program itself takes. Fails where it fails."""
    command = [*around, "bash", "-c", _TIMED, "bash", *workload.argv]
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
    return float(done.stderr.split()[-1])


def measure(workload: Workload, runs: int, folder: Path) -> tuple[list[str], float]:
    """The row of the table, and the median of the ratios."""
    record = [sys.executable, "-m", "abut", "record", "--recorder", "light", "--follow-children"]
    plain: list[float] = []
    recorded: list[float] = []
    for _ in range(runs):
        for trace in folder.iterdir():
            trace.unlink()
        recorded.append(
            seconds_of(workload, [*record, "-q", "-o", str(folder / "trace"), "--"], {})
        )
        plain.append(seconds_of(workload, [], {"LD_PRELOAD": str(library_path())}))
    ratios = [b / a for a, b in zip(plain, recorded, strict=True)]
    infos = [Trace(trace).info for trace in folder.iterdir()]
    totals = [info.totals or {} for info in infos]
    events = sum(info.events for info in infos)
    dropped = sum(total.get("dropped_events", 0) for total in totals)
    time = statistics.median(plain)
    change = (statistics.median(ratios) - 1) * 100
    row = [
        workload.name,
        f"{time:.2f} s",
        f"{statistics.median(recorded):.2f} s",
        f"{change:+.1f} %",
        f"{(events + dropped) / time / 1e6:.2f} M",
        f"{dropped / max(events + dropped, 1):.1%}",
    ]
    return row, statistics.median(ratios)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    chosen = parser.parse_args()
    places = bench_places()
    table = Table()
    for heading in ("program", "abut", "recorded", "longer", "events a second", "dropped"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    ratios = []
    for benchmark in choose(load_benchmarks(places.suites), chosen.suite, []):
        if chosen.only not in benchmark.name:
            continue
        try:
            workload = workload_of(benchmark, chosen.suite, places)
        except NotHere as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            row, ratio = measure(workload, chosen.runs, Path(folder))
        table.add_row(*row)
        print(*row, sep="  ", file=sys.stderr)
        ratios.append(ratio)
    if ratios:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        table.add_section()
        table.add_row("geometric mean", "", "", f"{(mean - 1) * 100:+.1f} %", "", "")
    Console(width=100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
