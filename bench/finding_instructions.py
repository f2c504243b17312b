"""How many more instructions a program executes where friends and groups are found.

As finding_cost.py has it, every object is left where it would be without (`forwarded`).
Instructions do not vary as times do: where a time cannot be told from chance, they tell whether
there is anything to pay for. What they cost is another matter, most of all in programs that wait
for memory.

Needs valgrind.

usage: .venv/bin/python bench/finding_instructions.py [--suite NAME] [--only NAME,...]
"""

import argparse
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from shutil import which
from statistics import geometric_mean

from finding_cost import FORWARDED, WITHOUT
from rich.console import Console
from rich.table import Table

from abut.environment import untouched_environment
from abut.errors import AbutError
from abut.heaps import Heap, preload, require_heap
from abut.measure.inputs import workload_of
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.places import bench_places


def executed(workload: Workload, heap: Heap) -> int:
    """The instructions of one run, of all its processes."""
    with tempfile.TemporaryDirectory(prefix="abut-count-") as folder:
        counted = ["--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
        command = ["valgrind", "-q", *counted, f"--cachegrind-out-file={folder}/%p", *workload.argv]
        with workload.stdin.open("rb") as stdin:
            subprocess.run(
                command,
                stdin=stdin,
                capture_output=True,
                cwd=workload.folder,
                env={
                    **untouched_environment(),
                    **workload.environment,
                    **heap.environment,
                    "LD_PRELOAD": preload(heap, ""),
                },
                check=True,
            )
        return sum(total(path) for path in Path(folder).iterdir())


def total(path: Path) -> int:
    """What a file of cachegrind's says of a process."""
    lines = path.read_text(errors="replace").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("summary:"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--only", default="", help="programs, with commas between them")
    asked = parser.parse_args()
    if which("valgrind") is None:
        raise SystemExit("finding_instructions: valgrind: not installed; apt install valgrind")
    try:
        heaps = [require_heap(name) for name in (WITHOUT, FORWARDED)]
        places = bench_places()
        names = asked.only.split(",") if asked.only else []
        benchmarks = choose(load_benchmarks(places.suites), asked.suite, names)
    except AbutError as error:
        raise SystemExit(f"finding_instructions: {error}") from None
    workloads = [workload_of(benchmark, asked.suite, places) for benchmark in benchmarks]
    table = Table(title="millions of instructions", title_justify="left")
    table.add_column("program")
    for column in ("without", "more"):
        table.add_column(column, justify="right")
    factors: dict[str, float] = {}
    with ThreadPoolExecutor(cpu_count()) as pool:
        runs = [[pool.submit(executed, one, heap) for heap in heaps] for one in workloads]
        for workload, pair in zip(workloads, runs, strict=True):
            without, forwarded = (run.result() for run in pair)
            factors[workload.name] = forwarded / without
            more = f"{forwarded / without - 1:+.2%}"
            table.add_row(workload.name, f"{without / 1e6:,.0f}", more)
    worst = max(factors, key=lambda name: factors[name])
    Console(width=100).print(table)
    print(
        f"{geometric_mean(factors.values()) - 1:+.2%} in the mean of {len(factors)}, "
        f"and {factors[worst] - 1:+.2%} at worst, with {worst}"
    )


if __name__ == "__main__":
    main()
