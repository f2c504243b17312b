"""Programs with less memory than they need: a memory cgroup for each run.

Assumes Linux. Control groups of both versions serve; without one that may be written, or without
swap, into which the kernel could put what does not fit, there is nothing to be measured.
"""

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from abut.environment import untouched_environment
from abut.heaps import Heap, preload
from abut.measure.workload import Workload

_ROOT = Path("/sys/fs/cgroup")
_PATIENCE = "memory.oom_control"
_LOOK_S, _HELP_BYTES = 0.002, 1 << 20


@dataclass(frozen=True, slots=True)
class LimitedRun:
    """A run that got through: seconds by the clock and of the processor, and page faults for which
    something had to be read from swap or disk.
    """

    seconds: float
    processor_s: float
    major_faults: int


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


def _has_swap() -> bool:
    return len(Path("/proc/swaps").read_text().splitlines()) > 1  # below a heading


def obstacle() -> str | None:
    """Why memory cannot be limited here; None where it can."""
    if _version() is None:
        return "no memory control group of this machine may be written"
    if not _has_swap():
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
        limit = group / version.limit
        limit.write_text(str(limit_bytes))
        if (group / _PATIENCE).exists() and _has_swap():
            with _helped(group / _PATIENCE, limit, limit_bytes):
                yield group / "cgroup.procs"
        else:
            yield group / "cgroup.procs"
    finally:
        group.rmdir()


@contextmanager
def _helped(patience: Path, limit: Path, limit_bytes: int) -> Iterator[None]:
    """Groups of version 1: no process is ended while there is swap.

    The kernel takes a small group whose pages are all in use for one that is out of memory, though
    every page could be swapped. So its processes are let wait then, and the limit is raised and
    lowered again, which swaps.
    """
    patience.write_text("1")
    done = Event()

    def help_along() -> None:
        while not done.wait(_LOOK_S):
            if "under_oom 1" in patience.read_text():
                limit.write_text(str(limit_bytes + _HELP_BYTES))
            if int(limit.read_text()) > limit_bytes:
                with suppress(OSError):  # not enough could be swapped yet
                    limit.write_text(str(limit_bytes))

    helper = Thread(target=help_along, daemon=True)
    helper.start()
    try:
        yield
    finally:
        done.set()
        helper.join()


def run_limited(
    workload: Workload, heap: Heap, limit_bytes: int, timeout_s: float
) -> LimitedRun | None:
    """What the program takes with so much memory; None where it fails or takes longer.

    No other child of this process may end meanwhile.
    """
    environment = {**untouched_environment(), **workload.environment, **heap.environment}
    if library := preload(heap, environment.get("LD_PRELOAD", "")):
        environment["LD_PRELOAD"] = library
    with limited(limit_bytes) as processes, workload.stdin.open("rb") as stdin:
        # The shell joins the group and becomes the program, so that nothing else is limited.
        shell = ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(processes), "/usr/bin/env"]
        settings = [f"{name}={value}" for name, value in environment.items()]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
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
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return LimitedRun(seconds, processor_s, after.ru_majflt - before.ru_majflt)
