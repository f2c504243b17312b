"""What finding friends and groups costs, program by program, in shares of the program's time.

A program's time varies by more from run to run than this is. So the time is sampled: how much more
of it is spent inside the library, where friends and groups are found and every object is left where
it would be without (`forwarded`), than where nobody looks. What the kernel does meanwhile is told,
too; it varies more.

Needs perf, which Debian has in linux-perf, and the right to sample what one starts.

usage: .venv/bin/python bench/finding_cost.py [--suite NAME] [--seconds S] [--only NAME,...]
"""

import argparse
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.environment import untouched_environment
from abut.errors import AbutError
from abut.heaps import Heap, preload, require_heap
from abut.measure.inputs import workload_of
from abut.measure.statistics import REPLICATES, Estimate, geometric_mean
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.places import bench_places

WITHOUT = "abut+friends=off"
FORWARDED = "abut+groups=on+group_pools=forwarded+friends=forwarded"
_HERTZ = "4000"
_SEED = 1  # of what the intervals are drawn by
_PARTS = ("library", "kernel")
_ENOUGH = 0.0075  # half of an interval
_FEWEST = 5  # pairs that an interval is made of
_OURS = ("libabut.so", "libZydis")  # the library, and what decodes instructions for it


def sampled(workload: Workload, heap: Heap, folder: Path) -> Counter[str]:
    """Run a program once: samples in the `library`, in the `kernel`, and in `all`."""
    told = {**heap.environment, "LD_PRELOAD": preload(heap, "")}
    data = folder / "perf.data"
    # perf itself does not run under the heap.
    program = ["env", *(f"{name}={value}" for name, value in told.items()), *workload.argv]
    with workload.stdin.open("rb") as stdin:
        subprocess.run(
            ["perf", "record", "-q", "-F", _HERTZ, "-o", str(data), "--", *program],
            stdin=stdin,
            capture_output=True,
            cwd=workload.folder,
            env={**untouched_environment(), **workload.environment},
            check=True,
        )
    report = ["perf", "report", "-i", str(data), "--stdio", "--no-children", "-n", "-s", "dso"]
    lines = subprocess.run(report, capture_output=True, text=True, check=True).stdout.splitlines()
    found: Counter[str] = Counter()
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        _, count, name = line.split(maxsplit=2)
        found["all"] += int(count)
        if name.startswith(_OURS):
            found["library"] += int(count)
        elif "kernel" in name:
            found["kernel"] += int(count)
    return found


@dataclass(frozen=True)
class Row:
    """A program's pairs of runs; and shares of the time without, of all pairs together."""

    pairs: int
    library: Estimate
    library_more: Estimate
    kernel_more: Estimate


def row_of(pairs: list[tuple[Counter[str], Counter[str]]]) -> Row:
    """What pairs of runs, without and forwarded, tell together."""
    drawn = np.random.default_rng(_SEED).integers(len(pairs), size=(REPLICATES, len(pairs)))
    whole = np.array([without["all"] for without, _ in pairs], dtype=np.float64)

    def share(samples: list[int]) -> Estimate:
        part = np.array(samples, dtype=np.float64)
        return Estimate(
            part.sum() / whole.sum(), part[drawn].sum(axis=1) / whole[drawn].sum(axis=1)
        )

    library = share([without["library"] for without, _ in pairs])
    more = (share([there[part] - here[part] for here, there in pairs]) for part in _PARTS)
    return Row(len(pairs), library, *more)


def row(workload: Workload, heaps: list[Heap], seconds: float) -> Row:
    """Run a program in pairs for so long, and up to four times as long for a narrower interval."""
    pairs: list[tuple[Counter[str], Counter[str]]] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="abut-cost-") as folder:
        while True:
            without, forwarded = (sampled(workload, heap, Path(folder)) for heap in heaps)
            pairs.append((without, forwarded))
            found, took = row_of(pairs), time.monotonic() - begin
            enough = len(pairs) >= _FEWEST and half(found.library_more) < _ENOUGH
            if took > 4 * seconds or (took > seconds and enough):
                return found


def half(estimate: Estimate) -> float:
    """Half of the 95 % interval."""
    return (estimate.high - estimate.low) / 2


def with_interval(share: Estimate) -> str:
    """A share in per cent, with half of its 95 % interval."""
    return f"{share.value:+.2%} ±{half(share):.2%}"


def less_one(factor: Estimate) -> Estimate:
    """What a factor adds."""
    return Estimate(factor.value - 1, factor.replicates - 1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="daily")
    parser.add_argument("--seconds", type=float, default=20, help="for each program at least (20)")
    parser.add_argument("--only", default="", help="programs, with commas between them")
    asked = parser.parse_args()
    if which("perf") is None:
        raise SystemExit("finding_cost: perf: not installed; apt install linux-perf")
    try:
        heaps = [require_heap(name) for name in (WITHOUT, FORWARDED)]
        places = bench_places()
        names = asked.only.split(",") if asked.only else []
        benchmarks = choose(load_benchmarks(places.suites), asked.suite, names)
    except AbutError as error:
        raise SystemExit(f"finding_cost: {error}") from None
    table = Table(title="shares of the time without", title_justify="left")
    table.add_column("program")
    for column in ("pairs of runs", "in the library", "library, more", "kernel, more"):
        table.add_column(column, justify="right")
    factors: dict[str, Estimate] = {}
    for benchmark in benchmarks:
        workload = workload_of(benchmark, asked.suite, places)
        found = row(workload, heaps, asked.seconds)
        more = found.library_more
        factors[benchmark.name] = Estimate(1 + more.value, 1 + more.replicates)
        shares = f"{found.library.value:.1%}", with_interval(more), with_interval(found.kernel_more)
        table.add_row(benchmark.name, f"{found.pairs}", *shares)
    worst = max(factors, key=lambda name: factors[name].value)
    mean = geometric_mean(list(factors.values()))
    assert mean is not None
    Console(width=100).print(table)
    print(
        f"the library takes {with_interval(less_one(mean))} of the time more in the mean of "
        f"{len(factors)}, and {with_interval(less_one(factors[worst]))} at worst, with {worst}"
    )


if __name__ == "__main__":
    main()
