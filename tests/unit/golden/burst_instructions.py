"""Compares the instructions of a pair of malloc and free, over bursts of them, with golden numbers.

golden_instructions.py counts the hot path alone. Here counts what comes now and then, too: the
next blocks of a page, the next page, the page that is empty. Or blocks of a live set are replaced
at random, so that holes are few and far between. Callgrind counts inside malloc and free. Some of
the cases tell of most changes; with --all, all are counted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SKIPPED = 77
UPDATE = "cmake --build build/release --target update-golden"
TOLERANCE = 2.0  # how often the heap looks at the clock depends on the clock
HEADER = f"""\
# Instructions of a pair of malloc and free, over bursts of so many blocks that are freed in some
# order; fresh: over the first burst, by the plain heap; replaced: one of so many live blocks, taken
# at random. Compiler, instructions, which. Written by `{UPDATE}`.
"""


@dataclass(frozen=True)
class Case:
    """Blocks of `size` bytes, `burst` at a time, freed in an order, by an ABUT_ORDER."""

    size: int
    burst: int
    frees: str
    order: str

    @property
    def is_fresh(self) -> bool:
        """Whether nothing was freed before."""
        return self.frees == "fresh"

    @property
    def name(self) -> str:
        """As in the file of golden numbers."""
        return f"{self.size} bytes, {self.burst} at a time, {self.frees}, order {self.order}"


FREES = {
    1: ["forward"],
    100: ["forward", "reverse", "shuffled"],
    5_000: ["forward", "reverse", "shuffled"],
    200_000: ["forward", "reverse", "shuffled", "fresh"],
}
ALL_CASES = [
    Case(size, burst, frees, order)
    for order in ("size", "birth")
    for burst in FREES
    for frees in FREES[burst]
    for size in (16, 24, 48, 64, 128, 256, 512)
]
REPLACED = [
    Case(size, live, "replaced", "size")
    for live in (20, 300, 5_000)
    for size in (16, 48, 128, 512, 1_000, 2_000, 8_000, 20_000)
]
REPLACED += [
    Case(size, live, "replaced", "size") for live in (20, 300) for size in (40_000, 150_000)
]
ALL_CASES += REPLACED
SOME_CASES = [
    case
    for case in ALL_CASES
    if (case.size in (16, 48, 512) and (case.burst == 1 or case.frees == "shuffled"))
    or (case.size in (48, 2_000, 40_000) and case.frees == "replaced")
]


def count(program: Path, library: Path, case: Case, pairs: int) -> int:
    """Instructions inside malloc and free, in all."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        command = [
            "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}",
            "--collect-atstart=no", "--toggle-collect=malloc", "--toggle-collect=free",
            str(program), "--size", str(case.size), "--burst", str(case.burst),
            "--pairs", str(pairs), "--order", "forward" if case.is_fresh else case.frees,
        ]  # fmt: skip
        setting = {"LD_PRELOAD": str(library), "ABUT_ORDER": case.order}
        if case.is_fresh:  # a growing heap is searched for friends now and then
            setting["ABUT_PLACE"] = "off"
        subprocess.run(command, env=os.environ | setting, check=True, capture_output=True)
        text = out.read_text()
    return int(text.rpartition("totals: ")[2])


def pair(program: Path, library: Path, case: Case) -> float:
    """Instructions a pair, without those of the program's start."""
    pairs = max(100_000 // case.burst * case.burst, case.burst)
    all_times = (0, 1) if case.is_fresh else (1, 2)
    some, more = (count(program, library, case, times * pairs) for times in all_times)
    return (more - some) / pairs


def read_golden(path: Path, compiler: str) -> dict[str, float]:
    """The golden numbers of one compiler, by case."""
    lines = path.read_text().splitlines() if path.exists() else []
    parts = (line.split(maxsplit=2) for line in lines if line.startswith(compiler + " "))
    return {name: float(number) for _, number, name in parts}


def update(path: Path, compiler: str, now: dict[str, float]) -> None:
    """Replace the golden numbers of one compiler."""
    old = path.read_text().splitlines(keepends=True) if path.exists() else []
    kept = [line for line in old if not line.startswith(("#", compiler + " "))]
    path.write_text(HEADER + "".join(kept) + "".join(
        f"{compiler:10} {number:6.1f} {name}\n" for name, number in now.items()
    ))  # fmt: skip


def compare(golden: dict[str, float], now: dict[str, float]) -> int:
    """Print the table; return the number of cases that take more than their golden number."""
    slower = 0
    for name, number in now.items():
        more = number > golden.get(name, 0) + TOLERANCE
        slower += more
        print(f"{number:6.1f} {name:52} golden: {golden.get(name)} {'MORE' if more else ''}")
    return slower


def main() -> int:
    """Count, then compare or update."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("library", "program", "golden"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--compiler", required=True, help="such as GNU-12: whose golden numbers")
    parser.add_argument("--all", action="store_true", help="all cases, not some")
    parser.add_argument("--update", action="store_true", help="write the numbers and do no more")
    arguments = parser.parse_args()
    golden = read_golden(arguments.golden, arguments.compiler)
    if not golden and not arguments.update:
        print(f"skipped: no golden numbers for {arguments.compiler} yet; write them: {UPDATE}")
        return SKIPPED
    cases = ALL_CASES if arguments.all or arguments.update else SOME_CASES
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        counted = workers.map(lambda case: pair(arguments.program, arguments.library, case), cases)
        now = {case.name: round(number, 1) for case, number in zip(cases, counted, strict=True)}
    if arguments.update:
        update(arguments.golden, arguments.compiler, now)
        return 0
    return 1 if compare(golden, now) else 0


if __name__ == "__main__":
    sys.exit(main())
