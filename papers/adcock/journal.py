"""Runs of measuring programs, and a journal of them: a series that was broken off goes on from it.

A run at full size takes a minute, and there are hundreds: a line of JSON a run is kept in a file,
and what stands there is not measured again.
"""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from abut import json_lines
from abut.errors import AbutError

Answer = dict[str, Any]


class RunJournal:
    """What was measured, in the file at `path`; with `fresh`, what is there is measured again."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        entries = [] if fresh else json_lines.read(path)
        self._answers = {(one["command"], one["run"]): one["answer"] for one in entries}

    def answer(self, command: Sequence[str], run: int, measure: Callable[[], Answer]) -> Answer:
        """What a command answered in its n-th run, from the journal or from `measure`."""
        key = (" ".join(command), run)
        if key not in self._answers:
            self._answers[key] = measure()
            entry = {"command": key[0], "run": run, "answer": self._answers[key]}
            json_lines.add(self._path, entry)
        answer: Answer = self._answers[key]
        return answer


def answer_of(command: Sequence[str]) -> Answer:
    """What a program prints. Raises AbutError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AbutError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    answer: Answer = json.loads(done.stdout)
    return answer
