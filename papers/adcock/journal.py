"""Runs of measuring programs, and a journal of them: a series that was broken off goes on from it.

A run at full size takes a minute, and there are hundreds: a line of JSON a run is kept in a file,
and what stands there is not measured again.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abut import json_lines
from abut.errors import AbutError
from abut.heaps import MissingHeap, find_heap, preload

Answer = dict[str, Any]
_Key = tuple[str, int, str]


class TimeIsUpError(AbutError):
    """No time is left to begin another run."""


@dataclass(slots=True)
class RunJournal:
    """What was measured. Without a path it is forgotten at the end."""

    path: Path | None = None
    seconds: float = float("inf")  # after which no run is begun
    kept_only: bool = False  # nothing is run: what is not there, is missing
    _answers: dict[_Key, Answer] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        for entry in json_lines.read(self.path) if self.path else ():
            self._answers[entry["command"], entry["run"], entry["heap"]] = entry["answer"]

    def answer(
        self,
        command: Sequence[str],
        run: int,
        heap: str,
        measure: Callable[[], Answer],
    ) -> Answer:
        """What a command answered in its n-th run under a heap, from the journal or from `measure`.

        Raises TimeIsUpError where it has to be measured and time is up.
        """
        key = (" ".join([Path(command[0]).name, *command[1:]]), run, heap)
        if key in self._answers:
            return self._answers[key]
        if self.kept_only:
            return {"missing": True}
        if time.monotonic() - self._begun > self.seconds:
            raise TimeIsUpError(
                "time is up before all was measured", fix="go on with the same journal"
            )
        found = self._answers[key] = measure()
        if self.path is not None:
            entry = {"command": key[0], "run": run, "heap": heap, "answer": found}
            json_lines.add(self.path, entry)
        return found


def answer_of(command: Sequence[str], heap: str = "") -> Answer:
    """What a program prints, run under a heap by name or, with none, under the C library's."""
    environment = dict(os.environ)
    if heap:
        found = find_heap(heap)
        if isinstance(found, MissingHeap):
            return {"missing": True}
        environment.pop("LD_PRELOAD", None)
        if library := preload(found, ""):
            environment["LD_PRELOAD"] = library
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise AbutError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    answer: Answer = json.loads(done.stdout)
    return answer
