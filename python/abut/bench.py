"""What `abut bench` asks of a paper, and what a paper's module offers.

A paper is a module that an entry point of the group `abut.benches` names. It has `ABOUT`, one line;
`PROGRAMS` and `HEAPS`, what it is measured on if nothing else is asked for; and `measure(request)`,
which returns a `Result`. `IGNORES`, where it has it, names options of `abut bench` that it has no
use for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from abut.errors import USAGE, AbutError, unknown
from abut.plugins import entries, load

if TYPE_CHECKING:
    from rich.table import Table

_GROUP = "abut.benches"


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: benchmarks of a suite by name, under heaps by name.

    What takes a recording takes the benchmarks as `recorded_suite` sizes them, or as `suite` does.
    Traces are kept in `traces` and used again, unless `fresh`. `progress` shows what is done.
    `left_out` fills with what failed, and why: the rest of a table is of use without it.
    """

    programs: Sequence[str]
    heaps: Sequence[str]
    suite: str
    traces: Path
    fresh: bool
    progress: Callable[[str], None]
    recorded_suite: str = ""
    left_out: dict[str, str] = field(default_factory=dict)

    def leave_out(self, what: str, why: str) -> None:
        """Go on without it; it is reported now, and again with the result."""
        self.left_out[what] = why
        self.progress(f"{what} is left out: {why}")


class Result(Protocol):
    """A paper's figures, measured again."""

    def verdict(self) -> list[str]:
        """What was found, in sentences."""

    def tables(self) -> "list[Table]":
        """The figures as tables."""

    def document(self) -> dict[str, Any]:
        """The figures as JSON has them."""

    def draw(self, path: Path) -> None:
        """Write the figures as one picture, PNG or SVG by its suffix."""


class Paper(Protocol):
    """A paper's module."""

    ABOUT: str
    PROGRAMS: tuple[str, ...]
    HEAPS: tuple[str, ...]

    @staticmethod
    def measure(request: Request) -> Result:
        """Measure what the request asks for."""


def papers() -> list[str]:
    """Their names; none where no package brings any."""
    return sorted(entries(_GROUP))


def find_paper(name: str) -> Paper:
    """The paper of that name. Raises AbutError where there is none."""
    known = entries(_GROUP)
    if name not in known:
        if not known:
            problem = f"{name}: no papers are installed"
            raise AbutError(problem, fix="install abut with its papers", exit_code=USAGE)
        raise unknown("paper", name, known)
    return cast("Paper", load(known[name]))
