"""Static tuning of movers: a search over sites, movers and parameters (Adcock 2009, 2.3.3 and 7.5).

Each setting is a run of a measuring program. Runs go side by side, on this machine's cores or on a
cluster through dask.distributed (`pip install abut[cluster]`); what has been measured is in a
journal, a JSON object a line, so that a search that was broken off goes on where it was. The search
goes from setting to setting, one parameter at a time, from several starts, for there are local
optima (7.1.1.2): it measures some hundred settings of thousands.
"""

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from abut.errors import AbutError

Setting = tuple[tuple[str, str], ...]  # option and value; a value of "" leaves the option out
FAILED = float("inf")


@dataclass(frozen=True, slots=True)
class Space:
    """What is searched: a command, and the values that each of its options may have."""

    command: tuple[str, ...]
    options: Mapping[str, Sequence[str]]
    figure: str = "last_ns"  # of the program's JSON; lower is better

    def arguments(self, setting: Setting) -> list[str]:
        """The whole command line of a setting. A value of "yes" is a bare option."""
        shown = (
            (f"--{option}",) if value == "yes" else (f"--{option}", value)
            for option, value in setting
            if value
        )
        return [*self.command, *(word for words in shown for word in words)]


@dataclass(slots=True)
class Journal:
    """What has been measured, in a file that survives."""

    path: Path
    figures: dict[tuple[str, ...], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                    self.figures[tuple(entry["command"])] = float(entry["figure"])
                except (ValueError, KeyError, TypeError):
                    continue  # the line at which the last search was broken off

    def note(self, command: Sequence[str], figure: float) -> None:
        """Write down a figure."""
        self.figures[tuple(command)] = figure
        with self.path.open("a") as file:
            file.write(json.dumps({"command": list(command), "figure": figure}) + "\n")


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best setting, and what each option's values were worth."""

    best: Setting
    figure: float
    measured: Mapping[Setting, float]

    def importance(self) -> list[tuple[str, float]]:
        """How much worse the best is with an option's worst value than with its best one.

        A ratio for each option, the one that matters most first.
        """
        ratios = [(option, self._spread(option)) for option, _ in self.best]
        return sorted(ratios, key=lambda pair: -pair[1])

    def _spread(self, option: str) -> float:
        best: dict[str, float] = {}
        for setting, figure in self.measured.items():
            value = dict(setting)[option]
            best[value] = min(best.get(value, FAILED), figure)
        known = [figure for figure in best.values() if figure != FAILED]
        return max(known) / min(known) if known else 1.0


def tune(
    space: Space,
    journal: Path,
    *,
    starts: int = 3,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 1,
    tell: Callable[[int, float], None] = lambda _count, _best: None,
) -> Tuned:
    """Search a space.

    `workers` runs go side by side (as many as there are cores), or those of a dask cluster at the
    address `cluster`. `tell` hears after each batch how many settings are measured, and the best.
    """
    notes = Journal(journal)
    draw = random.Random(seed)
    measured: dict[Setting, float] = {}
    with _executor(workers or os.cpu_count() or 1, cluster) as executor:
        for _ in range(starts):
            here = tuple((option, draw.choice(values)) for option, values in space.options.items())
            best = _measure(space, [here], notes, executor, measured)[here]
            while True:
                around = list(_neighbours(space, here))
                figures = _measure(space, around, notes, executor, measured)
                tell(len(measured), min(measured.values()))
                better = min(around, key=lambda setting: figures[setting])
                if figures[better] >= best:
                    break
                here, best = better, figures[better]
    winner = min(measured, key=lambda setting: measured[setting])
    if measured[winner] == FAILED:
        raise AbutError(f"{space.command[0]}: every setting failed", fix="run it by hand")
    return Tuned(winner, measured[winner], measured)


def _neighbours(space: Space, setting: Setting) -> Iterator[Setting]:
    for index, (option, now) in enumerate(setting):
        for value in space.options[option]:
            if value != now:
                yield (*setting[:index], (option, value), *setting[index + 1 :])


def _measure(
    space: Space,
    settings: Iterable[Setting],
    notes: Journal,
    executor: Executor,
    measured: dict[Setting, float],
) -> dict[Setting, float]:
    """The settings' figures, from the journal or by running them."""
    commands = {setting: space.arguments(setting) for setting in settings}
    missing = [one for one in commands.values() if tuple(one) not in notes.figures]
    for command, figure in zip(
        missing, executor.map(_run, missing, [space.figure] * len(missing)), strict=True
    ):
        notes.note(command, figure)
    figures = {setting: notes.figures[tuple(command)] for setting, command in commands.items()}
    measured.update(figures)
    return figures


def _run(command: Sequence[str], figure: str) -> float:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return FAILED
    answer: dict[str, Any] = json.loads(done.stdout)
    return float(answer[figure])


def main() -> int:
    """Tune from a shell: `python -m abut.tuning.move --option rate=10,50 -- PROGRAM ARGUMENTS`."""
    import argparse
    import sys

    parser = argparse.ArgumentParser(
        prog="python -m abut.tuning.move",
        description="Search the options of a program that prints a JSON object with a figure.",
    )
    parser.add_argument(
        "--option",
        action="append",
        required=True,
        metavar="NAME=VALUE,...",
        help="an option, and the values it may have; none leaves it out, 'yes' is a bare option",
    )
    parser.add_argument("--figure", default="last_ns", help="what is to be small [last_ns]")
    parser.add_argument("--journal", type=Path, default=Path("tuning.jsonl"))
    parser.add_argument("--starts", type=int, default=3, help="from how many settings [3]")
    parser.add_argument("--workers", type=int, help="runs side by side [as many as cores]")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a dask scheduler")
    parser.add_argument("command", nargs="+", help="the program and its other arguments")
    chosen = parser.parse_args()
    named = (option.partition("=") for option in chosen.option)
    options = {name: values.split(",") for name, _, values in named}

    def tell(count: int, best: float) -> None:
        print(f"{count} settings measured, best {best:g}", file=sys.stderr)

    try:
        tuned = tune(
            Space(tuple(chosen.command), options, chosen.figure),
            chosen.journal,
            starts=chosen.starts,
            workers=chosen.workers,
            cluster=chosen.cluster,
            tell=tell,
        )
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        return error.exit_code
    print(f"best {chosen.figure} {tuned.figure:g}:", *Space((), options).arguments(tuned.best))
    for option, ratio in tuned.importance():
        print(f"{option}: {ratio:.2f} times the best with its worst value")
    return 0


@contextmanager
def _executor(workers: int, cluster: str | None) -> Iterator[Executor]:
    if cluster is None:
        with ThreadPoolExecutor(workers) as executor:
            yield executor
        return
    try:
        from importlib import import_module

        distributed = import_module("distributed")
    except ImportError as error:
        raise AbutError(
            "a cluster needs dask.distributed", fix="pip install 'abut[cluster]'"
        ) from error
    with distributed.Client(cluster) as client:
        yield cast("Executor", client.get_executor())


if __name__ == "__main__":
    raise SystemExit(main())
