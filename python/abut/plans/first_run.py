"""The runs before a plan is made: one that is timed, one that is recorded."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from abut.environment import untouched_environment
from abut.errors import AbutError
from abut.measure.tasks import program_tasks

_RECORDING_COSTS = 50.0  # times the program's own time, at the most
_WINDOW = "20M/400M"


def time_once(argv: Sequence[str]) -> float:
    """Seconds of one run. Raises AbutError where the program cannot be run, or fails."""
    program_tasks(argv, None)  # says where no heap can be preloaded
    begun = time.monotonic()
    done = subprocess.run(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=untouched_environment(),
        check=False,
    )
    if done.returncode != 0:
        raise AbutError(
            f"{argv[0]}: exits with {done.returncode}, so nothing it does can be compared",
            fix="give it the arguments with which it succeeds, after --",
        )
    return time.monotonic() - begun


def record(
    argv: Sequence[str], seconds: float, limit: float, folder: Path, tell: Callable[[str], None]
) -> Path:
    """Record a run, or parts of it where that would take longer than `limit` seconds; `seconds` is
    what it takes by itself. Raises AbutError where it cannot be recorded.
    """
    path = folder / "run.trace"
    long = seconds * _RECORDING_COSTS > limit
    window = ["--window", _WINDOW] if long else []
    tell(f"recording {'parts of ' if long else ''}a run")
    command = ["record", "--force", "--quiet", *window, "--output", str(path), "--"]
    with subprocess.Popen(
        [sys.executable, "-m", "abut", *command, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=untouched_environment(),
        text=True,
        errors="replace",
    ) as recorder:
        try:
            _, said = recorder.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # What has been written so far is a trace of the beginning.
            recorder.terminate()
            _, said = recorder.communicate()
    if not path.is_file():
        raise AbutError(
            f"{argv[0]}: could not be recorded: {said.strip()}",
            fix="abut record -- program args",
        )
    return path
