"""What took long to measure, kept as JSON beside the traces until it is asked for again."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from typing import Any

from abut.heaps import Heap
from abut.measure.workload import Workload
from abut.papers import Request
from abut.preloading import file_name_of
from abut.targets import check_target, write


def kept(request: Request, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is in the file of that name, or what is measured for it now."""
    path = request.traces.absolute() / f"{file_name_of(name)}.json"
    if path.is_file() and not request.fresh:
        return dict(json.loads(path.read_text()))
    path.parent.mkdir(parents=True, exist_ok=True)
    check_target(path, force=True)  # before it is measured
    measured = measure()
    write(path, json.dumps(measured))
    return measured


def fingerprint(workload: Workload, chosen: Sequence[Heap], *settings: object) -> str:
    """Changes with the program, its command and input, the heaps, their libraries and settings.

    `settings`: whatever else the measurement depends on.
    """
    state = hashlib.sha256(repr((workload.argv, workload.stdin, *settings)).encode())
    for heap in chosen:
        state.update(repr((heap.name, heap.environment)).encode())
    libraries = sorted({heap.library for heap in chosen if heap.library})
    for file in (Path(which(workload.argv[0]) or ""), workload.stdin, *libraries):
        state.update(file.read_bytes() if file.is_file() else b"")
    return state.hexdigest()[:12]
