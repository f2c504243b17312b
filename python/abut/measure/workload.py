"""What is run under each heap: a program, its arguments and what it is started with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


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
    stdin: Path = Path("/dev/null")
    environment: Mapping[str, str] = field(default_factory=dict)
    compare_output: bool = True
