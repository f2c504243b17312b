"""Adcock: *Improving cache performance by runtime data movement*, Cambridge 2009 (UCAM-CL-TR-757).

Figures 3.1 to 3.9 and those of chapter 7 in the form that parameters of today allow: how layouts
degrade, and what an operation takes under each mover beside the thesis's value and the bound that
a new layout at no cost sets. DICT is a search tree in which nodes are looked up, deleted and
inserted; MLIST many linked lists. Beside them our containers, against others'.

Real time is processor time of the measured thread: runs of all movers interleaved, and the median.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Protocol

from rich.table import Table

from abut.errors import NO, AbutError, unknown
from abut.places import bench_places
from abut_papers.adcock.experiments import experiments
from abut_papers.adcock.journal import RunJournal, answer_of
from abut_papers.adcock.tables import draw, table
from abut_papers.adcock.variants import PRESETS, UPPER, Experiment, Row, Variant

if TYPE_CHECKING:
    from abut.trace.native import Array

ABOUT = "Movers of nodes (Adcock 2009): DICT, MLIST, and containers whose nodes move"
PROGRAMS = ("dict-node-1", "dict-fields-1", "mlist-7", "mlist-11", "mlist-15", "map", "list")
HEAPS = ("glibc",)
IGNORES = ("heaps", "recorded", "traces", "fresh")  # no heap is compared, and nothing recorded
_BUILD = "tools/build.sh release bench-move"
_answer = answer_of


class Request(Protocol):
    """What to measure: experiments by name, at the size that a suite's name stands for."""

    @property
    def programs(self) -> Sequence[str]:
        """Names out of `PROGRAMS`."""

    @property
    def suite(self) -> str:
        """`quick`, `daily` or `full`."""

    @property
    def progress(self) -> Callable[[str], None]:
        """Called with what is being done."""


@dataclass(frozen=True, slots=True)
class MoveResult:
    """All that was measured."""

    rows: Sequence[tuple[Experiment, Sequence[Row]]]

    def verdict(self) -> list[str]:
        """For each experiment, what was quickest, and how near the bound it came."""
        return [_verdict(experiment, rows) for experiment, rows in self.rows]

    def tables(self) -> list[Table]:
        """A table an experiment, a row a mover."""
        return [table(experiment, rows) for experiment, rows in self.rows]

    def document(self) -> dict[str, Any]:
        """All figures, in nanoseconds an operation, ms a batch, and cells a node."""
        return {
            experiment.name: {
                row.variant.label: row.figures
                | {"rounds": row.rounds}
                | ({"course_ns": row.course} if row.course else {})
                for row in rows
            }
            for experiment, rows in self.rows
        }

    def draw(self, path: Path) -> None:
        """A picture an experiment: bars of speedups, or lines over the run or a parameter."""
        draw(self.rows, path)


def run(
    programs: Sequence[str] = PROGRAMS,
    suite: str = "quick",
    runs: int = 3,
    progress: Callable[[str], None] = lambda _: None,
    journal: RunJournal | None = None,
    variants: Sequence[str] = (),
) -> MoveResult:
    """Measure experiments by name, `runs` times each, all variants in turn; or read the journal.

    With `variants`, only those whose names begin so, beside what they are compared with.
    """
    known = {experiment.name: experiment for experiment in experiments(suite)}
    if missing := [name for name in programs if name not in known]:
        raise unknown("--programs", missing[0], known)
    notes = journal or RunJournal()
    chosen = [known[name].only(variants) if variants else known[name] for name in programs]
    measured = [(one, _measure(one, runs, progress, notes)) for one in chosen]
    # Without the variant that all are compared with there is nothing to show.
    return MoveResult(
        [(one, rows) for one, rows in measured if rows and rows[0].variant == one.variants[0]]
    )


def measure(request: Request) -> MoveResult:
    """What `abut bench adcock` asks for."""
    return run(request.programs, request.suite, progress=request.progress)


def _measure(
    experiment: Experiment, runs: int, progress: Callable[[str], None], journal: RunJournal
) -> list[Row]:
    """All variants in turn, `runs` times: A B C A B C."""
    program = bench_places().programs / f"move_{experiment.program}"
    if not program.exists() and not journal.kept_only:
        raise AbutError(f"{program} is not there", fix=f"build it with {_BUILD}")
    measured: dict[str, list[dict[str, Any]]] = {
        variant.label: [] for variant in experiment.variants
    }
    for round_ in range(runs):
        for variant in experiment.variants:
            progress(f"{experiment.name}: {variant.label}, run {round_ + 1} of {runs}")
            command = [str(program), *experiment.arguments, *variant.arguments]
            answer = journal.answer(
                command, round_, variant.heap, partial(_answer_of, experiment, variant, command)
            )
            if answer.get("missing"):
                continue
            measured[variant.label].append(answer)
    _check_same_work(experiment, measured)
    return [
        Row(
            variant,
            {
                key: median(_figure(variant, key, one) for one in answers)
                for key in experiment.figures
            },
            tuple(
                median(tenth)
                for tenth in zip(*(one.get("course_ns", ()) for one in answers), strict=True)
            ),
            tuple(_figure(variant, experiment.figures[0], one) for one in answers),
        )
        for variant in experiment.variants
        if (answers := measured[variant.label])
    ]


def _figure(variant: Variant, key: str, answer: Mapping[str, Any]) -> float:
    """A figure of a run; the time is that of all tenths from one pass to the next."""
    if key != "last_ns" or variant.tenths == 1:
        return float(answer[key])
    course = answer["course_ns"]
    end = len(course) // variant.tenths * variant.tenths
    return fmean(course[end - variant.tenths : end])


def _answer_of(experiment: Experiment, variant: Variant, command: list[str]) -> dict[str, Any]:
    return _simulated(command) if experiment.kind == "misses" else _answer(command, variant.heap)


def _simulated(command: list[str]) -> dict[str, Any]:
    """The answer, and what its look-ups miss in the last cache and TLB of each preset."""
    from tempfile import TemporaryDirectory

    import numpy as np

    with TemporaryDirectory() as folder:
        path = Path(folder) / "visits"
        answer = _answer([*command, "--visits", str(path)])
        visits = np.fromfile(path, np.uint64)
    return answer | misses_of(visits, int(answer["looked_up"]))


def misses_of(visits: "Array", look_ups: int) -> dict[str, float]:
    """Misses of a look-up, by preset: of lines beyond the last cache, of pages in the last TLB."""
    from abut.simulation.caches import Caches
    from abut.simulation.presets import find_preset

    found: dict[str, float] = {}
    for name in PRESETS:
        preset = find_preset(name)
        for part, levels in (("lines", preset.levels), ("pages", preset.tlb)):
            caches = Caches(levels).take(visits)
            found[f"{name} {part}"] = caches.counts()[-1].total_misses / look_ups
    return found


def _check_same_work(experiment: Experiment, measured: dict[str, list[dict[str, Any]]]) -> None:
    """Ways with the same arguments, the mover aside, compute the same."""
    seen: dict[tuple[str, ...], set[str]] = {}
    for variant in experiment.variants:
        work = (
            variant.arguments[: variant.arguments.index("--mover")]
            if experiment.kind == "course"
            else ()
        )
        seen.setdefault(work, set()).update(one["checksum"] for one in measured[variant.label])
    if any(len(checksums) > 1 for checksums in seen.values()):
        raise AbutError(f"{experiment.name}: movers change what is computed", exit_code=NO)


def _verdict(experiment: Experiment, rows: Sequence[Row]) -> str:
    key = experiment.figures[0]
    if experiment.kind == "course":
        worst = max(rows, key=lambda row: row.course[-1] / row.course[0])
        times = worst.course[-1] / worst.course[0]
        return f"{experiment.name}: {worst.variant.label}: {times:.2f} times as slow at the end"
    bound = next((row for row in rows if row.variant.name == UPPER), None)
    others = [row for row in rows[1:] if row is not bound] or [rows[0]]
    best = min(others, key=lambda row: row.figures[key])
    if experiment.kind == "misses":
        times = rows[0].figures[key] / best.figures[key]
        return (
            f"{experiment.name}: {best.variant.label} misses fewest lines, {times:.2f} times fewer"
        )
    speedup = rows[0].figures[key] / best.figures[key]
    text = (
        f"{experiment.name}: {best.variant.label} is quickest, "
        f"{speedup:.2f} times as fast as {rows[0].variant.label}"
    )
    if bound is not None:
        text += f", {best.figures[key] / bound.figures[key]:.2f} times the bound's time"
    if "change_ns" in best.figures:
        change = best.figures["change_ns"] / rows[0].figures["change_ns"]
        text += f"; a change takes {change:.2f} times as long"
    short = [
        row.figures["worst_ms"]
        for row in others
        if not row.variant.stops and "worst_ms" in row.figures
    ]
    if short and experiment.kind == "variants":
        longest = max(short) / rows[0].figures["worst_ms"]
        text += f"; movers without long pauses make the longest batch {longest:.2f} times as long"
    return text
