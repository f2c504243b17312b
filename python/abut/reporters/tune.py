"""What tuning found, as a table, words and a document."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from abut.measure.paired import Ratio
from abut.reporters.grid import grid
from abut.tuning.kept import others_of
from abut.tuning.race import Standing
from abut.tuning.runs import Input
from abut.tuning.tuning import Request, Tuning


def tuning_table(result: Tuning) -> Table:
    """A row a policy that was raced, those that are left first."""
    table = grid(
        f"{result.request.objective}, as a multiple of the default's",
        ["policy", "settings", "in the race", "rounds", "left it"],
        words=2,
    )
    for one in sorted(result.standings, key=lambda one: (bool(one.out), one.value)):
        settings = " ".join(
            f"{name}={Path(value).name}" for name, value in one.policy.settings.items()
        )
        ratio, rounds = str(one.ratio or "-"), str(len(one.logs))
        table.add_row(one.policy.name, settings, ratio, rounds, one.out or "-")
    return table


def tuning_words(result: Tuning) -> list[str]:
    """The verdict, how it does with the test's inputs, and what to type next."""
    request, confirmed = result.request, result.confirmed
    words = _left_running(result)
    if result.resumed:
        words.append(f"{result.resumed} runs were kept from before")
    if confirmed and request.test:
        words += [
            f"tested with {_shown(one)}: {confirmed.of_input(number)}"
            for number, one in enumerate(request.test)
            if confirmed.logs
        ]
    command = shlex.join(request.train[0].argv)
    if result.winner is None:
        return [*words, f"keep the default: {result.why}", f"next: abut run -- {command}"]
    path = request.output
    took = f"{result.gain} of the {request.objective} under the default"
    words.append(f"{path}: {result.winner.name}, {took}; {result.winner.why}")
    if others := others_of(result):
        words.append(f"besides: {others}")
    if confirmed is None:
        words.append(
            "interrupted before it was measured again; the same command with --force goes on"
        )
    elif not request.test:
        words.append("not proven for other inputs: name some with --train and --test")
    return [*words, f"next: abut run --profile {shlex.quote(str(path))} -- {command}"]


def check_words(result: Tuning, profile: Path, *, is_other: bool = False) -> list[str]:
    """Whether a kept profile still wins; `is_other` if it is another program's."""
    request = result.request
    command, quoted = shlex.join(request.train[0].argv), shlex.quote(str(profile))
    if result.winner:
        verdict = f"still wins: {result.gain} of the {request.objective} under the default"
        again = f"abut run --profile {quoted}"
    else:
        verdict = f"does not win: {result.why}"
        target = [] if is_other else ["--force -o", quoted]
        again = " ".join(["abut tune", *target, *_objective(request)])
    return [*_left_running(result), f"{profile} {verdict}", f"next: {again} -- {command}"]


def _objective(request: Request) -> list[str]:
    """The options that say what is tuned for."""
    if measure := request.train[0].measure:
        better = "higher" if request.objective.more_is_better else "lower"
        return ["--measure", shlex.quote(shlex.join(measure)), "--better", better]
    text = request.objective.text
    return ["--objective", shlex.quote(text)] if text != "user" else []


def _left_running(result: Tuning) -> list[str]:
    left = result.left_running
    return [f"note: a run leaves {left} processes running, which are not measured"] if left else []


def tuning_document(result: Tuning) -> dict[str, Any]:
    """The same as JSON has it. Ratios are of the default's figure: value, low and high end."""
    request, confirmed = result.request, result.confirmed
    return {
        "command": list(request.train[0].argv),
        "plan": str(request.output) if result.winner else None,
        "strategy": result.winner.name if result.winner else None,
        "settings": dict(result.winner.settings) if result.winner else {},
        "why": result.why,
        "objective": str(request.objective),
        "gain": _interval(result.gain),
        "others": {figure: _interval(ratio) for figure, ratio in result.others.items()},
        "runs": len(confirmed.logs) if confirmed else 0,
        "seconds": round(result.seconds, 1),
        "interrupted": result.interrupted,
        "candidates": [_candidate(one) for one in _with_confirmed(result)],
        "held_out": [
            {
                "command": list(one.measure or one.argv),
                "to_plain": _interval(confirmed.of_input(number)),
            }
            for number, one in enumerate(request.test)
            if confirmed and confirmed.logs
        ],
    }


def _with_confirmed(result: Tuning) -> Sequence[Standing]:
    """Those that were raced; the best as it was measured again."""
    confirmed = result.confirmed
    if confirmed is None or not confirmed.logs:
        return result.standings
    others = [one for one in result.standings if one.policy.name != confirmed.policy.name]
    return [confirmed, *others]


def _candidate(one: Standing) -> dict[str, Any]:
    return {
        "strategy": one.policy.name,
        "settings": dict(one.policy.settings),
        "to_plain": _interval(one.ratio),
        "rounds": len(one.logs),
        "left": one.out,
    }


def _interval(ratio: Ratio | None) -> list[float] | None:
    """None where too few rounds were run for an interval."""
    return [ratio.value, ratio.low, ratio.high] if ratio and ratio.low > 0 else None


def _shown(one: Input) -> str:
    return shlex.join(one.measure or one.argv)
