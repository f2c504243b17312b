"""Traces whose pages can be counted by hand."""

from pathlib import Path

from abut.simulation.jobs import Job
from abut.trace import TraceWriter

PAGE = 4096
OBJECTS = 1600


def loop(path: Path, apart: int) -> Path:
    """Objects that are used in turn, three times, so far apart."""
    with TraceWriter(path) as trace:
        items = [trace.allocate(64, address=0x100000 + apart * i) for i in range(OBJECTS)]
        for _ in range(3):
            for item in items:
                trace.access(item, 0)
    return path


def jobs_of(paths: list[Path], *layouts: str) -> list[Job]:
    return [Job(str(path), layout=name) for path in paths for name in layouts or ("recorded",)]
