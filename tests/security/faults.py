"""The program that commits faults: built, and run once a kind and size."""

import os
import signal
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

from abut.checking import checked_heap
from abut.heaps import Heap, MissingHeap, find_heap, preload, require_heap

SIZES = (24, 200, 1000, 5000, 40000, 1 << 20, 8 << 20)
CAUGHT, CRASHED, HARMLESS, MISLED = "caught", "crashed", "harmless", "misled"
CHECKED = "checked"
_ROOT = Path(__file__).resolve().parents[2]
_EXITS = {0: HARMLESS, 3: MISLED, -signal.SIGABRT: CAUGHT}
_SECONDS = 30

Fault = tuple[str, int]


@cache
def program() -> Path:
    """The program, built where its source is newer."""
    source, target = Path(__file__).with_name("faults.c"), _ROOT / "build" / "faults"
    if not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(exist_ok=True)
        options = ["-O1", "-w", "-fno-builtin", "-pthread"]
        subprocess.run(["cc", *options, str(source), "-o", str(target)], check=True)
    return target


@cache
def faults() -> list[str]:
    """The kinds that there are."""
    command = [str(program()), "--list"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def outcomes(heap: Heap, sizes: Iterable[int] = SIZES) -> dict[Fault, str]:
    """What came of each fault under the heap."""
    every = [(kind, size) for size in sizes for kind in faults()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(every, pool.map(lambda fault: outcome(heap, fault), every), strict=True))


def heap_called(name: str) -> Heap | MissingHeap:
    """The heap of that name, or `checked`, which `abut run --check` puts under a program."""
    if name != CHECKED:
        return find_heap(name)
    return replace(checked_heap(require_heap("abut"), "tail,quarantine"), name=CHECKED)


def outcome(heap: Heap, fault: Fault) -> str:
    """What came of one fault. What hangs has crashed."""
    kind, size = fault
    chosen = preload(heap, "")
    variables = {**os.environ, **heap.environment, **({"LD_PRELOAD": chosen} if chosen else {})}
    try:
        done = subprocess.run(
            [str(program()), kind, str(size)],
            capture_output=True,
            env=variables,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return CRASHED
    # An access that the processor refuses is noticed where the heap says whose block it was.
    if done.returncode == -signal.SIGSEGV and done.stderr.startswith(b"abut: access("):
        return CAUGHT
    if done.returncode == -signal.SIGABRT and heap.name in ("abut", CHECKED):
        return CAUGHT if done.stderr.startswith(b"abut: ") else CRASHED
    return _EXITS.get(done.returncode, CRASHED)
