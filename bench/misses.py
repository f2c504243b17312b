"""How often the data of each real benchmark misses the cache, under the default heap.

A layout can only gain where a program waits for memory. Cachegrind counts the misses of a small
cache, 256 KiB, with an eighth of the input, which stands for the whole input and one of 2 MiB, and
takes minutes instead of hours. It counts the same on any machine.

usage: .venv/bin/python bench/misses.py [--only NAME,...] [--suites SUITE,...] [--file FILE]
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from abut import json_lines
from abut.errors import NotHere
from abut.measure.inputs import workload_of
from abut.measure.instructions import counts_in
from abut.measure.suites import Benchmark, load_benchmarks
from abut.measure.workload import Workload
from abut.places import bench_places, library_candidate

_CACHES = ("--cache-sim=yes", "--D1=49152,12,64", "--LL=262144,16,64")
_PART = 8
_EVENTS = {"Ir": 0, "DLmr": 5, "DLmw": 8}  # where they stand among all that are counted


def a_part_of(benchmark: Benchmark, suite: str) -> Benchmark:
    """The benchmark with an eighth of each of its sizes."""
    sizes = {name: str(max(1, int(size) // _PART)) for name, size in benchmark.sizes[suite].items()}
    return dataclasses.replace(benchmark, sizes={suite: sizes})


def counted(workload: Workload) -> dict[str, int]:
    """Instructions and misses of the last level, of the program and all that it starts."""
    total = dict.fromkeys(_EVENTS, 0)
    with tempfile.TemporaryDirectory() as scratch, workload.stdin.open("rb") as stdin:
        valgrind = ("valgrind", "-q", "--tool=cachegrind", "--trace-children=yes", *_CACHES)
        subprocess.run(
            [*valgrind, f"--cachegrind-out-file={scratch}/%p", *workload.argv],
            env={**os.environ, **workload.environment, "LD_PRELOAD": str(library_candidate())},
            cwd=workload.folder,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        for counts in counts_in(Path(scratch)):
            for event, at in _EVENTS.items():
                total[event] += counts[at] if at < len(counts) else 0
    return total


def main() -> int:
    """Count, and print the list, most misses first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of benchmarks, with commas")
    parser.add_argument("--suites", default="programs,daily", help="a benchmark's first size here")
    parser.add_argument("--file", type=Path, default=Path("build/misses.jsonl"))
    chosen = parser.parse_args()
    places = bench_places()
    known = {row["program"] for row in json_lines.read(chosen.file)}
    for benchmark in load_benchmarks(places.suites):
        suite = next((one for one in chosen.suites.split(",") if one in benchmark.sizes), "")
        asked = not chosen.only or benchmark.name in chosen.only.split(",")
        if benchmark.kind != "real" or not suite or not asked or benchmark.name in known:
            continue
        try:
            counts = counted(workload_of(a_part_of(benchmark, suite), suite, places))
        except NotHere as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        json_lines.add(chosen.file, {"program": benchmark.name, **counts})
    rows = [
        ((row["DLmr"] + row["DLmw"]) / row["Ir"] * 1000, row["program"], row["Ir"])
        for row in json_lines.read(chosen.file)
        if row["Ir"]
    ]
    for rate, name, instructions in sorted(rows, reverse=True):
        print(f"{rate:6.2f} misses in 1000 instructions  {instructions / 1e9:6.2f} G  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
