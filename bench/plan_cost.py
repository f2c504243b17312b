"""What a plan costs: one that matches nothing, in programs that allocate much, and one that is met.

The first plan is for the program, and holds one piece of code that never allocates; all other
layers of the heap are off. Each program runs in turn without and with it, and the least time of the
processor (user and system) counts, since whatever else runs can only add to it.

The second gives a loop that allocates blocks of 32 bytes and frees them the same places each
time; it is timed inside the program, 256 calls at a time, of which the median counts. The calls of
the kernel that a plan adds are counted, too, where strace is installed.

usage: .venv/bin/python bench/plan_cost.py [--runs N] [--only NAME,...]
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from plan_programs import add_only, chosen_programs
from rich.console import Console
from rich.table import Table

from abut.heaps import Heap, MissingHeap, find_heap
from abut.library import library_path
from abut.measure.counters import available
from abut.measure.measurement import Comparison
from abut.measure.measurement import Plan as Rounds
from abut.measure.session import compare
from abut.measure.tasks import program_tasks
from abut.places import bench_places
from abut.tuning.plan import PAGE, SLOT, Plan, PlannedContext, write_plan
from abut.tuning.program import program_build_id

_PLACES = bench_places()
_OTHERS_OFF = {"ABUT_PLACE": "off"}
_LOOPS = 4_000_000
_BATCH = 256  # blocks
_LOOP = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { BATCH = 256 };
static void *blocks[BATCH];
__attribute__((noipa)) static void *make(void) {
  void *block = malloc(32);
  __asm__ volatile("call_ended:" ::: "memory");
  return block;
}
extern char call_ended[], __executable_start[];
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}
static int by_value(const void *one, const void *other) {
  const float a = *(const float *)one, b = *(const float *)other;
  return a < b ? -1 : a > b;
}
static double median(float *times, long count) {
  qsort(times, count, sizeof *times, by_value);
  return times[count / 2] / BATCH;
}
int main(int argc, char **argv) {
  if (argc < 2) return printf("%td\\n", call_ended - __executable_start), 0;
  const long count = atol(argv[1]) / BATCH;
  static float made[1 << 16], freed[1 << 16];
  for (long batch = 0; batch < count; ++batch) {
    const double begin = now();
    for (int i = 0; i < BATCH; ++i) blocks[i] = make();
    const double between = now();
    for (int i = 0; i < BATCH; ++i) free(blocks[i]);
    made[batch] = between - begin;
    freed[batch] = now() - between;
  }
  printf("%.3f %.3f\\n", median(made, count), median(freed, count));
}
"""


def programs(folder: Path) -> dict[str, list[str]]:
    """Programs that spend much of their time in the heap; what they read is put into the folder."""
    own, scripts = _PLACES.programs, _PLACES.bench / "scripts"
    pascal, make = folder / "long.pas", _PLACES.bench / "inputs" / "make_pascal.py"
    subprocess.run([sys.executable, make, "--routines", "4000", "--out", pascal], check=True)
    return {
        "churn": [str(own / "churn")],
        "strings": [str(own / "strings")],
        "translate": [str(own / "translate"), "--file", str(pascal)],
        "hash": [str(own / "hash")],
        "tree": [str(own / "tree")],
        "lua-closures": ["lua5.4", str(scripts / "closures.lua"), "20000"],
        "perl-hashes": ["perl", str(scripts / "hashes.pl"), "20000", "3"],
    }


def plan_of(program: Path, offset: int, slots: int, path: Path) -> None:
    """A plan with one piece of code, whose objects of 32 bytes take some places by turns."""
    build_id = program_build_id(program)
    if not build_id:
        sys.exit(f"{program}: has no build-id")
    rows = np.zeros(slots, SLOT)
    rows["requested"] = rows["kept"] = 2
    rows["offset"] = np.arange(slots) % _BATCH * 2
    context = PlannedContext(((build_id, offset),), rows)
    write_plan(Plan(build_id, "cost", 1, _BATCH * 32 // PAGE * PAGE, [context]), path)


def heaps(plan: Path) -> list[Heap]:
    """abut with all other layers off, without and with the plan."""
    plain = find_heap("abut")
    assert not isinstance(plain, MissingHeap)
    planned = {**_OTHERS_OFF, "ABUT_PLAN": str(plan)}
    return [
        Heap("without", plain.about, plain.library, "", _OTHERS_OFF),
        Heap("with", plain.about, plain.library, "", planned),
    ]


def cost_of_nothing(name: str, argv: list[str], runs: int, folder: Path) -> tuple[float, float]:
    """The seconds without and with a plan that matches nothing."""
    plan = folder / f"{name}.plan"
    plan_of(Path(shutil.which(argv[0]) or argv[0]).resolve(), 1, 1, plan)
    comparison = Comparison(Rounds(runs, 1, 1), heaps(plan), [], available())
    compare(comparison, program_tasks(argv, None), lambda program, heap: None)
    samples = comparison.measurements[0].samples
    without, with_plan = (
        min(one.user_s + one.system_s for one in samples[heap]) for heap in ("without", "with")
    )
    return without, with_plan


def compiled_loop(folder: Path) -> tuple[Path, Path]:
    """The loop, and a plan for it."""
    program, plan = folder / "loop", folder / "loop.plan"
    words = ["gcc", "-O2", "-fno-builtin", "-Wl,--build-id", "-x", "c", "-o", str(program), "-"]
    subprocess.run(words, input=_LOOP, text=True, check=True)
    plan_of(program, call_of(program), _LOOPS, plan)
    return program, plan


def call_of(program: Path) -> int:
    """Where the loop's call of malloc ends, in its file."""
    return int(subprocess.run([program], capture_output=True, text=True, check=True).stdout) - 1


def nanoseconds(program: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Of an allocation and of a release in the loop."""
    done = subprocess.run(
        [str(program), str(_LOOPS)],
        env={**os.environ, "LD_PRELOAD": str(library_path()), **_OTHERS_OFF, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    made, freed = done.stdout.split()
    return float(made), float(freed)


def followed(runs: int, folder: Path) -> None:
    """Print what the loop's calls take without a plan and with one."""
    program, plan = compiled_loop(folder)
    rounds = [
        (*nanoseconds(program, {}), *nanoseconds(program, {"ABUT_PLAN": str(plan)}))
        for _ in range(runs)
    ]
    made, freed, placed, given_back = (statistics.median(one) for one in zip(*rounds, strict=True))
    for call, without, with_plan in (("malloc(32)", made, placed), ("free", freed, given_back)):
        print(
            f"{call}: {without:.1f} ns in the heap, {with_plan:.1f} ns in a plan's place: "
            f"{with_plan - without:+.1f} ns (medians of {runs})"
        )
    short = folder / "short.plan"
    plan_of(program, call_of(program), _BATCH, short)
    with short.open("rb") as file:
        handed_over = f"@{file.fileno()}"
        calls = [
            kernel_calls(program, extra, file.fileno())
            for extra in ({}, {"ABUT_PLAN": str(short)}, {"ABUT_PLAN": handed_over})
        ]
    if None not in calls:
        print(
            f"calls of the kernel, start to end: {calls[0]} without a plan, {calls[1]} with one by "
            f"its name, {calls[2]} with one handed over"
        )


def kernel_calls(program: Path, environment: dict[str, str], handed_over: int) -> int | None:
    """All that a run of a hundred rounds makes; None without strace."""
    if shutil.which("strace") is None:
        return None
    settings = {"LD_PRELOAD": str(library_path()), **_OTHERS_OFF, **environment}
    words = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
    command = ["strace", "-c", *words, str(program), str(100 * _BATCH)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, pass_fds=[handed_over]
    )
    found = re.search(r"^100\.00\s+\S+\s+\S*\s*(\d+)\s+(?:\d+\s+)?total$", done.stderr, re.M)
    return int(found[1]) if found else None


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    add_only(parser)
    chosen = parser.parse_args()
    table = Table()
    table.add_column("program")
    for name in ("without", "with a plan that matches nothing", "costs"):
        table.add_column(name, justify="right")
    found = []
    with tempfile.TemporaryDirectory(prefix="abut-cost-") as folder:
        for name, argv in chosen_programs(programs(Path(folder)), chosen.only):
            without, with_plan = cost_of_nothing(name, argv, chosen.runs, Path(folder))
            found.append(with_plan / without)
            table.add_row(name, f"{without:.3f} s", f"{with_plan:.3f} s", f"{found[-1] - 1:+.1%}")
        if found:
            table.add_row("mean", "", "", f"{statistics.geometric_mean(found) - 1:+.1%}")
        Console(width=100).print(table)
        followed(chosen.runs, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
