"""What is run under each heap: a program, its arguments and what it is started with."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from abut.environment import untouched_environment
from abut.heaps import Heap, preload
from abut.measure.counters import Event
from abut.measure.spawn import Launch

_NOWHERE = Path(os.devnull)


@dataclass(frozen=True, slots=True)
class Workload:
    """A program to compare heaps on. `environment` is added to the caller's.

    With `compare_output`, its standard output must be the same bytes under every heap.
    """

    name: str
    about: str
    kind: str
    argv: tuple[str, ...]
    folder: Path
    stdin: Path = _NOWHERE
    environment: Mapping[str, str] = field(default_factory=dict)
    compare_output: bool = True

    def launch(
        self,
        heap: Heap,
        stdout: Path = _NOWHERE,
        stderr: Path = _NOWHERE,
        events: tuple[Event, ...] = (),
    ) -> Launch:
        """How it is started under a heap."""
        environment = {**untouched_environment(), **self.environment, **heap.environment}
        library = preload(heap, environment.get("LD_PRELOAD", ""))
        folder, stdin = self.folder, self.stdin
        return Launch(self.argv, environment, folder, stdout, stderr, stdin, library, events)
