"""Runs that abut itself has recorded: `abut record`, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from abut.environment import untouched_environment
from abut.errors import AbutError


def record(
    path: Path,
    argv: Sequence[str],
    *options: str,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    stdin: Path = Path(os.devnull),
    limit: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Record a run in a trace, with these options of `abut record`. It is ended after `limit`
    seconds: what has been written by then is a trace of its beginning. How the program ended, and
    what it said on standard error. Raises AbutError where there is no trace.
    """
    words = ["record", "--force", "--quiet", *options, "--output", str(path), "--", *argv]
    with (
        stdin.open("rb") as given,
        subprocess.Popen(
            [sys.executable, "-m", "abut", *words],
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**untouched_environment(), **(variables or {})},
            cwd=folder,
            text=True,
            errors="replace",
        ) as recorder,
    ):
        try:
            _, said = recorder.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            recorder.terminate()
            _, said = recorder.communicate()
        except BaseException:
            recorder.terminate()
            raise
    if not path.is_file():
        problem = f"{argv[0]}: could not be recorded: {said.strip()}"
        raise AbutError(problem, fix="abut record -- program args")
    return subprocess.CompletedProcess(argv, recorder.returncode, stderr=said)
