"""Programs with less memory than they want: a memory cgroup for each run.

Assumes Linux. Control groups of both versions serve; without one that may be written, or without
swap, into which the kernel could put what does not fit, there is nothing to be measured.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from abut.environment import untouched_environment
from abut.heaps import Heap, preload
from abut.measure.workload import Workload

_ROOT = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class _Version:
    folder: Path
    limit: str


def _version() -> _Version | None:
    for version in (
        _Version(_ROOT / "memory", "memory.limit_in_bytes"),
        _Version(_ROOT, "memory.max"),
    ):
        if os.access(version.folder / "cgroup.procs", os.W_OK):
            return version
    return None


def obstacle() -> str | None:
    """Why memory cannot be limited here; None where it can."""
    if _version() is None:
        return "no memory control group of this machine may be written"
    if len(Path("/proc/swaps").read_text().splitlines()) < 2:  # noqa: PLR2004 (a heading)
        return "this machine has no swap, so what does not fit would end the program"
    return None


@contextmanager
def limited(limit_bytes: int) -> Iterator[Path]:
    """A control group whose processes have `limit_bytes` of memory; the file that takes them in.

    Raises OSError where it cannot be made.
    """
    version = _version()
    if version is None:
        raise PermissionError("no memory control group may be written")
    group = version.folder / f"abut-{os.getpid()}-{time.monotonic_ns()}"
    group.mkdir()
    try:
        (group / version.limit).write_text(str(limit_bytes))
        yield group / "cgroup.procs"
    finally:
        group.rmdir()


def run_limited(workload: Workload, heap: Heap, limit_bytes: int, timeout_s: float) -> float | None:
    """Seconds that the program takes with so much memory; None where it fails or takes longer."""
    environment = {**untouched_environment(), **workload.environment, **heap.environment}
    if library := preload(heap, environment.get("LD_PRELOAD", "")):
        environment["LD_PRELOAD"] = library
    with limited(limit_bytes) as processes, workload.stdin.open("rb") as stdin:
        # The shell joins the group and becomes the program, so that nothing else is limited.
        shell = ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(processes), "/usr/bin/env"]
        settings = [f"{name}={value}" for name, value in environment.items()]
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [*shell, *settings, *workload.argv],
                cwd=workload.folder,
                env=untouched_environment(),
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        return time.monotonic() - begin if done.returncode == 0 else None
