"""Adcock: *Improving cache performance by runtime data movement*, Cambridge 2009 (UCAM-CL-TR-757).

Figures 3.7, 7.16, 7.26, 7.27 and 7.11 in the form that parameters of today allow: how much less
time an operation takes under each mover, once the layout has degraded, beside the thesis's value.
DICT is a search tree in which nodes are looked up, deleted and inserted; MLIST many linked lists.
Beside them our containers, against the standard library's.

Real time is processor time of the measured thread: runs of all movers interleaved, and the median.
Simulated misses belong in `Row`, once programs can be run in the simulator of caches.
"""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

from abut.errors import DIFFERENT, AbutError
from abut.move_experiments import Experiment, Way, experiments
from abut.places import bench_places

if TYPE_CHECKING:
    from rich.table import Table

ABOUT = "Movers of nodes (Adcock 2009): DICT, MLIST, and containers whose nodes move"
PROGRAMS = ("dict-node", "dict-fields", "mlist-7", "mlist-11", "mlist-15", "map", "list")
HEAPS = ("glibc",)
_BUILD = "tools/build.sh release bench-move"


class Request(Protocol):
    """What to measure: experiments by name, at the size that a suite's name stands for."""

    @property
    def programs(self) -> Sequence[str]:
        """Names out of `PROGRAMS`."""

    @property
    def suite(self) -> str:
        """`quick`, `daily` or `full`."""

    @property
    def tell(self) -> Callable[[str], None]:
        """Is told how it gets on."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one way took: medians of the runs, by the figure's name."""

    way: Way
    figures: dict[str, float]


@dataclass(frozen=True, slots=True)
class MoveResult:
    """All that was measured."""

    rows: Sequence[tuple[Experiment, Sequence[Row]]]

    def verdict(self) -> list[str]:
        """For each experiment, what was quickest."""
        return [_verdict(experiment, rows) for experiment, rows in self.rows]

    def tables(self) -> "list[Table]":
        """A table an experiment, a row a mover."""
        return [_table(experiment, rows) for experiment, rows in self.rows]

    def document(self) -> dict[str, Any]:
        """All figures, in nanoseconds an operation, ms a batch, and cells a node."""
        return {
            experiment.name: {row.way.name: row.figures for row in rows}
            for experiment, rows in self.rows
        }

    def draw(self, path: Path) -> None:
        """Bars of the speedups, an axis an experiment."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 2.2 * len(self.rows)), layout="constrained")
        axes = figure.subplots(len(self.rows), 1, squeeze=False)
        for axis, (experiment, rows) in zip(axes[:, 0], self.rows, strict=True):
            key = experiment.figures[0]
            axis.barh([row.way.name for row in rows], [_speedup(rows, row, key) for row in rows])
            axis.axvline(1, linewidth=1, color="black")
            axis.set_title(experiment.about, fontsize=9, loc="left")
            axis.invert_yaxis()
        figure.savefig(path)


def run(
    programs: Sequence[str] = PROGRAMS,
    suite: str = "quick",
    runs: int = 3,
    tell: Callable[[str], None] = lambda _: None,
) -> MoveResult:
    """Measure experiments by name, `runs` times each, all ways in turn."""
    known = {experiment.name: experiment for experiment in experiments(suite)}
    if unknown := [name for name in programs if name not in known]:
        raise AbutError(f"{unknown[0]}: no such experiment", fix=f"choose of {', '.join(known)}")
    return MoveResult([(known[name], _measure(known[name], runs, tell)) for name in programs])


def measure(request: Request) -> MoveResult:
    """What `abut bench move` asks for."""
    return run(request.programs, request.suite, tell=request.tell)


def _measure(experiment: Experiment, runs: int, tell: Callable[[str], None]) -> list[Row]:
    """All ways in turn, `runs` times: A B C A B C."""
    program = bench_places().programs / f"move_{experiment.program}"
    if not program.exists():
        raise AbutError(f"{program} is not there", fix=f"build it with {_BUILD}")
    measured: dict[str, list[dict[str, Any]]] = {way.name: [] for way in experiment.ways}
    for round_ in range(runs):
        for way in experiment.ways:
            tell(f"{experiment.name}: {way.name}, run {round_ + 1} of {runs}")
            answer = _answer([str(program), *experiment.arguments, *way.arguments])
            if answer.get("missing"):
                continue
            measured[way.name].append(answer)
    checksums = {answer["checksum"] for answers in measured.values() for answer in answers}
    if len(checksums) > 1:
        raise AbutError(f"{experiment.name}: movers change what is computed", exit_code=DIFFERENT)
    return [
        Row(way, {key: median(one[key] for one in answers) for key in experiment.figures})
        for way in experiment.ways
        if (answers := measured[way.name])
    ]


def _answer(command: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AbutError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _speedup(rows: Sequence[Row], row: Row, key: str) -> float:
    return rows[0].figures[key] / row.figures[key]


def _verdict(experiment: Experiment, rows: Sequence[Row]) -> str:
    key = experiment.figures[0]
    others = [row for row in rows[1:] if row.way.name != "upper bound"]
    best = min(others, key=lambda row: row.figures[key])
    return (
        f"{experiment.name}: {best.way.name} is quickest, "
        f"{_speedup(rows, best, key):.2f} times as fast as {rows[0].way.name}"
    )


def _table(experiment: Experiment, rows: Sequence[Row]) -> "Table":
    from rich.table import Table

    table = Table(title=experiment.about, title_justify="left")
    names = {"last_ns": "ns an operation", "slow_ms": "slow batch, ms", "m": "cells a node"}
    table.add_column("mover" if experiment.program != "containers" else "container")
    for key in experiment.figures:
        table.add_column(names.get(key, key.replace("_ns", ", ns")), justify="right")
    table.add_column("speedup", justify="right")
    reduces = experiment.program == "dict"
    if experiment.program != "containers":
        table.add_column("less time" if reduces else "", justify="right")
        table.add_column("thesis", justify="right")
    for row in rows:
        speedup = _speedup(rows, row, experiment.figures[0])
        cells = [row.way.name, *(f"{row.figures[key]:.3g}" for key in experiment.figures)]
        cells.append(f"{speedup:.2f}")
        if experiment.program != "containers":
            cells.append(f"{100 * (1 - 1 / speedup):.0f} %" if reduces else "")
            unit = " %" if reduces else " x"
            cells.append("" if row.way.thesis is None else f"{row.way.thesis:g}{unit}")
        table.add_row(*cells)
    return table


def main() -> int:
    """Measure from a shell: `python -m abut.papers.move [EXPERIMENT...]`."""
    import argparse
    import sys

    from abut.commands.console import console
    from abut.machine import describe, this_machine

    parser = argparse.ArgumentParser(prog="python -m abut.papers.move", description=ABOUT)
    parser.add_argument("programs", nargs="*", default=PROGRAMS, metavar="EXPERIMENT")
    parser.add_argument("--suite", choices=("quick", "daily", "full"), default="quick")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()

    def tell(line: str) -> None:
        if sys.stderr.isatty():
            print(line, file=sys.stderr)

    try:
        result = run(chosen.programs, chosen.suite, chosen.runs, tell)
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        return error.exit_code
    if chosen.json:
        print(json.dumps(result.document(), indent=1))
        return 0
    out = console()
    out.print(describe(this_machine()))
    for table in result.tables():
        out.print(table)
    for line in result.verdict():
        out.print(line, highlight=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
