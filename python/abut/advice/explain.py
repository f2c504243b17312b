"""Why two heaps differ: the program is recorded under each, and a report compares the two runs."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from abut.preloading import file_name_of

_LIMIT_S = 60.0  # to record a run; of longer ones, parts


@dataclass(frozen=True, slots=True)
class Side:
    """What the program is run under, as `abut record --heap` and the environment have it."""

    label: str
    heap: str
    variables: Mapping[str, str] = field(default_factory=dict)


def trace_of(page: Path, label: str) -> Path:
    """Where a run is recorded: beside the page."""
    return page.with_name(f"{page.stem}-{file_name_of(label)}.trace")


def files_of(page: Path, labels: Sequence[str]) -> list[Path]:
    """What is written for these runs: the page, and their traces."""
    return [page, *(trace_of(page, label) for label in labels)]


def explain(
    page: Path,
    argv: Sequence[str],
    sides: Sequence[Side],
    seconds: float,
    *,
    results: Sequence[Path] = (),
    stdin: Path | None = None,
    quiet: bool = False,
) -> None:
    """Record the program, which takes `seconds`, once a side, and write the report of these runs
    and of the `results` that were measured. Unless quiet, says what the report says; what to type
    next is for the caller to say.
    """
    from abut.tuning.first_run import record

    traces = [trace_of(page, side.label) for side in sides]
    for trace, side in zip(traces, sides, strict=True):
        _show(f"{side.label}: a run of about {seconds:.1f} s")
        record(argv, seconds, _LIMIT_S, trace, _show,
               heap=side.heap, variables=side.variables, stdin=stdin)  # fmt: skip
    words = ["report", "--force", "-o", str(page), *map(str, [*traces, *results])]
    done = subprocess.run(
        [sys.executable, "-m", "abut", *words], stdout=subprocess.PIPE, text=True, check=True
    )
    if not quiet:
        print(done.stdout.rpartition("next: ")[0], end="")


def _show(what: str) -> None:
    if sys.stderr.isatty():
        print(f"abut: {what}", file=sys.stderr)
