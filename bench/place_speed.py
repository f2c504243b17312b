"""What strategies take for many objects: time and memory of each, on a made-up run.

Objects of 16 to 256 bytes, of 64 pieces of code, half of which die; each is used some times, mostly
after the one that it was used after before. A strategy runs in a process of its own, whose peak of
resident memory is what is shown: the objects and their edges are in it.

usage: .venv/bin/python bench/place_speed.py [--objects N] [--only NAME,...]
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.tuning.objects import Edges, Objects
from abut.tuning.strategies import find_strategy, strategy_names

_CONTEXTS = 64
_NEVER = (1 << 32) - 1


def made_up(count: int) -> Objects:
    """The objects; the same for the same number of them."""
    random = np.random.default_rng(1)
    rows = np.arange(count, dtype=np.int64)
    size = (random.integers(1, 17, count, np.uint32) * 16).astype(np.uint32)
    dies = random.random(count) < 1 / 2
    died = rows + 1 + random.geometric(1 / 2000, count)
    nothing = np.zeros(count, np.uint32)
    return Objects(
        size=size,
        most=size,
        align=nothing,
        context=random.integers(1, _CONTEXTS + 1, count, np.uint32),
        thread=nothing + 1,
        died=np.where(dies & (died < count), died, _NEVER).astype(np.uint32),
        heat=random.integers(0, 200, count).astype(np.uint64),
        address=rows * 256,
        friends=_edges(random, count, count),
        usage=_edges(random, count, 2 * count),
        arrivals=_edges(random, count, 2 * count),
        contexts=_edges(random, _CONTEXTS, 500, first=1),
    )


def _edges(random: np.random.Generator, ends: int, count: int, first: int = 0) -> Edges:
    """Between near ones as often as between any two."""
    origin = np.sort(random.integers(0, ends, count))
    far = random.integers(0, ends, count)
    near = (origin + random.integers(1, 40, count)) % ends
    to = np.where(random.random(count) < 1 / 2, near, far)
    apart = origin != to
    weight = random.integers(1, 100, count)
    return Edges(
        (origin[apart] + first).astype(np.uint32),
        (to[apart] + first).astype(np.uint32),
        weight[apart].astype(np.uint32),
    )


def run_one(name: str, count: int) -> int:
    """In a process of its own: print seconds, MiB at the peak, MiB of the plan's memory."""
    objects = made_up(count)
    begin = time.perf_counter()
    layout = find_strategy(name).place(objects)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, peak, layout.bytes / 2**20)
    return 0


def main() -> int:
    """Measure each, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000_000)
    parser.add_argument("--only", default="", help="names of strategies, with commas")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        return run_one(chosen.one, chosen.objects)
    table = Table(title=f"{chosen.objects:,} objects", title_justify="left")
    table.add_column("strategy")
    for name in ("time", "peak RSS", "the plan's memory"):
        table.add_column(name, justify="right")
    for name in chosen.only.split(",") if chosen.only else strategy_names():
        command = [sys.executable, __file__, "--objects", str(chosen.objects), "--one", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        seconds, peak, memory = (float(word) for word in done.stdout.split())
        table.add_row(name, f"{seconds:.1f} s", f"{peak / 1024:.2f} GiB", f"{memory:,.0f} MiB")
    Console(width=90).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
