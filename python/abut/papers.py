"""What `abut paper` asks of a paper, and what a paper's module offers.

A paper is a module that an entry point of the group `abut.papers` names. It has `ABOUT`, one line;
`PROGRAMS` and `HEAPS`, what it is measured on if nothing else is asked for; `QUICK`, the fields of
a request that `--quick` replaces; and `measure(request)`, which returns a `Result`. `IGNORES`, if
it has it, names options of `abut paper` that it has no use for. Beside it lies `rows.toml`: each
system, figure and table of the paper, with the command that repeats it, or the reason why not.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from abut.errors import AbutError, unknown
from abut.plugins import entries, load

if TYPE_CHECKING:
    from rich.table import Table

    from abut.reporters.charts import Chart

_T = TypeVar("_T")
_GROUP = "abut.papers"
_NOT = "not, because "
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: benchmarks of a suite by name, under heaps by name.

    What was measured is kept in `traces` and used again, unless `fresh`. With `quick`, fewer runs
    are made; the result is that of all rounds but number `without`, from 0. `progress` shows what
    is done. `left_out` fills with what failed, and why: the rest of a table is of use without it.
    `made` fills with the numbers of rounds in which something was measured.
    """

    programs: Sequence[str]
    heaps: Sequence[str]
    suite: str
    traces: Path
    fresh: bool
    progress: Callable[[str], None]
    quick: bool = False
    without: int | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)

    def leave_out(self, what: str, why: str) -> None:
        """Go on without it; it is reported now, and again with the result."""
        self.left_out[what] = why
        self.progress(f"{what} is left out: {why}")

    def counting(self, rounds: Sequence[_T]) -> list[_T]:
        """The rounds that are not left out; of a single one, it."""
        self.made.add(len(rounds))
        return [one for number, one in enumerate(rounds) if number != self.without] or [*rounds]


class Claim(NamedTuple):
    """What a paper found, and what is found here; `why`: where they may differ, the reason."""

    what: str
    paper: str
    ours: str
    why: str = ""


class Result(Protocol):
    """A paper's figures, measured again."""

    def claims(self) -> list[Claim]:
        """The paper's main figures, beside ours."""

    def tables(self) -> "list[Table]":
        """The figures as tables."""

    def document(self) -> dict[str, Any]:
        """The figures as JSON has them."""

    def charts(self) -> "list[Chart]":
        """The figures as charts."""


class Paper(Protocol):
    """A paper's module."""

    __package__: str
    ABOUT: str
    PROGRAMS: tuple[str, ...]
    HEAPS: tuple[str, ...]
    QUICK: Mapping[str, Any]

    @staticmethod
    def measure(request: Request) -> Result:
        """Measure what the request asks for."""


@dataclass(frozen=True, slots=True)
class Row:
    """A system, figure or table: its place in the paper, and the command that repeats it, or the
    reason why none does.
    """

    place: str
    what: str
    command: str
    because: str = ""


def papers() -> list[str]:
    """Their names; none where no package brings any."""
    return sorted(entries(_GROUP))


def find_paper(name: str) -> Paper:
    """The paper of that name. Raises AbutError where there is none."""
    known = entries(_GROUP)
    if name not in known:
        if not known:
            problem = f"{name}: no papers are installed"
            raise AbutError(problem, fix="install abut with its papers")
        raise unknown("paper", name, known)
    return cast("Paper", load(known[name]))


def with_ranges(paper: Paper, request: Request, claims: Sequence[Claim]) -> list[Claim]:
    """The claims, ours with the range that it has where any one of the rounds is left out.

    What is counted or simulated is the same in each of them, and has no range.
    """
    ours: dict[str, list[str]] = {claim.what: [] for claim in claims}
    most = max(request.made, default=1)
    for number in range(most if most > 1 else 0):
        # Everything is there: nothing is measured, or reported, again.
        one = replace(request, without=number, fresh=False, progress=lambda _: None, left_out={})
        for claim in paper.measure(one).claims():
            ours.get(claim.what, []).append(claim.ours)
    return [claim._replace(ours=_with_range(claim.ours, ours[claim.what])) for claim in claims]


def _with_range(text: str, others: Sequence[str]) -> str:
    found = (_NUMBER.search(one) for one in (text, *others))
    numbers = sorted((number[0] for number in found if number), key=float)
    return f"{text} ({numbers[0]} to {numbers[-1]})" if len(set(numbers)) > 1 else text


def rows_of(paper: Paper) -> list[Row]:
    """What the paper has, in its own order."""
    text = (files(paper.__package__) / "rows.toml").read_text()
    return [
        Row(place, what, "", how.removeprefix(_NOT))
        if how.startswith(_NOT)
        else Row(place, what, how)
        for place, what, how in tomllib.loads(text)["rows"]
    ]
