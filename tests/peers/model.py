"""What a suite is made of: tests, what came of each, and what was not run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar


class NotRunError(Exception):
    """A suite, or one test, says nothing, for a reason that the table shows."""


@dataclass(frozen=True)
class Outcome:
    """What one run of a test came to. `detail` explains it, and is not compared."""

    status: str
    output: str = ""
    detail: str = field(default="", compare=False)


Run = Callable[[Path | None], Outcome]
"""Runs a test once: under the library named, or under the heap that it has anyway."""


@dataclass(frozen=True)
class Test:
    __test__: ClassVar = False  # of pytest's
    name: str
    run: Run


@dataclass(frozen=True)
class Prepared:
    """A suite that is ready: its tests, those left out and why, and what was run exactly."""

    tests: list[Test]
    left_out: dict[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Suite:
    name: str
    prepare: Callable[[], Prepared]
    """Fetches and builds what the tests need. Raises NotRunError when it cannot."""
