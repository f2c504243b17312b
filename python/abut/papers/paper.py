"""What `abut bench` asks of a paper, and what a paper's module offers.

A module of this package is a paper if it has `ABOUT`, one line; `PROGRAMS` and `HEAPS`, what it is
measured on if nothing else is asked for; and `measure(request)`, which answers with a `Result`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol, cast

from abut.errors import USAGE, AbutError

if TYPE_CHECKING:
    from rich.table import Table

_PARTS = ("cyll_figures", "figures", "kept", "paper", "program_runs", "recordings")


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: benchmarks of a suite by name, under heaps by name.

    What takes a recording takes the benchmarks as `recorded_suite` sizes them, or as `suite` does.
    Traces are kept in `traces` and used again, unless `fresh`. `tell` is told how it gets on.
    `left_out` fills with what failed, and why: the rest of a table is worth having without it.
    """

    programs: Sequence[str]
    heaps: Sequence[str]
    suite: str
    traces: Path
    fresh: bool
    tell: Callable[[str], None]
    recorded_suite: str = ""
    left_out: dict[str, str] = field(default_factory=dict)

    def leave_out(self, what: str, why: str) -> None:
        """Go on without it; it is told now, and again with the result."""
        self.left_out[what] = why
        self.tell(f"{what} is left out: {why}")


class Result(Protocol):
    """A paper's figures, measured anew."""

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
    """Their names."""
    folder = [str(Path(__file__).parent)]
    return sorted(module.name for module in iter_modules(folder) if module.name not in _PARTS)


def find_paper(name: str) -> Paper:
    """The paper of that name. Raises AbutError where there is none."""
    if name not in papers():
        raise AbutError(
            f"{name}: no such paper", fix=f"choose of {', '.join(papers())}", exit_code=USAGE
        )
    return cast("Paper", import_module(f"abut.papers.{name}"))
