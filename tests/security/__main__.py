"""Commits faults of every kind and size under several heaps, and prints which are noticed.

PYTHONPATH=tests:python python -m security [--heaps glibc,mimalloc,abut,checked] [--json FILE]
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from abut.heaps import Heap, MissingHeap

from .faults import CAUGHT, SIZES, faults, heap_called, outcomes

_LETTERS = {CAUGHT: "c", "crashed": "x", "harmless": "-", "misled": "M"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="security", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--heaps", default="glibc,mimalloc,abut,checked")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all outcomes")
    chosen = parser.parse_args()
    named = [heap_called(name) for name in chosen.heaps.split(",")]
    heaps = [heap for heap in named if isinstance(heap, Heap)]
    missing = [heap for heap in named if isinstance(heap, MissingHeap)]
    found = {heap.name: outcomes(heap) for heap in heaps}
    table = Table("fault", *found)
    for kind in faults():
        row = ("".join(_LETTERS[one[kind, size]] for size in SIZES) for one in found.values())
        table.add_row(kind.replace("_", " "), *row)
    table.add_section()
    for name in _LETTERS:
        row = (str(Counter(one.values())[name]) for one in found.values())
        table.add_row(name, *row)
    console = Console(highlight=False)
    console.print(table)
    sizes = ", ".join(f"{size:,}" for size in SIZES)
    console.print(f"a letter for blocks of each of {sizes} bytes: c noticed and named, x ended by")
    console.print("the processor, - without consequence for the heap, M the heap hands out memory")
    console.print("twice, or memory that is not its own")
    for heap in missing:
        console.print(f"left out: {heap.name}: {heap.fix}")
    if chosen.json:
        rows = {name: {f"{k} {s}": v for (k, s), v in one.items()} for name, one in found.items()}
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n")


main()
