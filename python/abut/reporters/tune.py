"""What tuning found, as words, a table and a document."""

import shlex
from typing import Any

from rich.table import Table

from abut.measure.statistics import Estimate
from abut.reporters.grid import grid
from abut.reporters.plan import plan_document
from abut.tuning.tune import PLAIN, SYSTEM, Tuning


class QuietWatcher:
    """Shows nothing: the caller says what is being done."""

    def on_program(self, name: str) -> None:
        """Nothing to show."""

    def on_run(self, program: str, heap: str) -> None:
        """Nothing to show."""


def tuning_table(result: Tuning) -> Table:
    """A row a candidate: predicted beside measured."""
    table = grid(
        "predicted and measured",
        ["plan by", "AMAT, cycles", "predicted", "wall time", f"of {PLAIN}'s", f"of {SYSTEM}'s"],
    )
    base = result.recorded_cycles
    for candidate in result.candidates:
        table.add_row(
            candidate.strategy,
            f"{candidate.predicted:.2f}",
            f"{candidate.predicted / base:.2f}" if base else "-",
            _seconds(candidate.wall),
            _multiple(candidate.to_plain),
            _multiple(candidate.to_system),
        )
    table.add_row(f"none: {PLAIN}", f"{base:.2f}", "1.00", _seconds(result.plain), "1", "")
    table.add_row(f"none: {SYSTEM}", "", "", _seconds(result.system), "", "1")
    return table


def tuning_words(result: Tuning) -> list[str]:
    """The verdict, how other inputs fared, and how to see it again."""
    command = shlex.join(result.request.argv)
    words = [
        f"another input, {shlex.join(other.argv)}: {_multiple(other.to_plain)} of {PLAIN}'s time, "
        f"{_multiple(other.to_system)} of {SYSTEM}'s"
        for other in result.held_out
    ]
    if result.winner is None:
        return [
            *words,
            f"nothing here beats the default: {result.why}",
            f"next: abut run -- {command}",
        ]
    path = result.request.output
    return [
        *words,
        f"{path}: by {result.winner.strategy}, {_multiple(result.winner.to_plain)} of {PLAIN}'s "
        f"time and {_multiple(result.winner.to_system)} of {SYSTEM}'s",
        f"see it again: abut compare --heaps {SYSTEM},{PLAIN},{PLAIN}+plan={path} "
        f"--runs {result.runs} -- {command}",
        f"next: abut run --plan {path} -- {command}",
    ]


def tuning_document(result: Tuning) -> dict[str, Any]:
    """The same as JSON has it."""
    return {
        "command": list(result.request.argv),
        "plan": str(result.request.output) if result.winner else None,
        "strategy": result.winner.strategy if result.winner else None,
        "why": result.why,
        "runs": result.runs,
        "recorded_cycles": result.recorded_cycles,
        "seconds": {PLAIN: _interval(result.plain), SYSTEM: _interval(result.system)},
        "candidates": [
            {
                "strategy": one.strategy,
                "predicted_cycles": one.predicted,
                "seconds": _interval(one.wall),
                "to_plain": _interval(one.to_plain),
                "to_system": _interval(one.to_system),
                **plan_document(one.plan),
            }
            for one in result.candidates
        ],
        "held_out": [
            {
                "command": list(other.argv),
                "to_plain": _interval(other.to_plain),
                "to_system": _interval(other.to_system),
            }
            for other in result.held_out
        ],
    }


def _interval(estimate: Estimate | None) -> list[float] | None:
    return [estimate.value, estimate.low, estimate.high] if estimate else None


def _seconds(estimate: Estimate | None) -> str:
    return f"{estimate.value:.3f} s" if estimate else "-"


def _multiple(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
