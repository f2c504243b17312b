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
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from abut import json_lines
from abut.errors import USAGE, AbutError
from abut.simulation.jobs import connect

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


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best setting, and how much each option matters."""

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
    progress: Callable[[int, float], None] = lambda _count, _best: None,
) -> Tuned:
    """Search a space.

    `workers` runs go side by side (as many as there are cores), or those of a dask cluster at the
    address `cluster`. `progress` gets the count of measured settings, and the best figure.
    """
    figures = {tuple(one["command"]): float(one["figure"]) for one in json_lines.read(journal)}

    def measure(settings: Iterable[Setting]) -> dict[Setting, float]:
        """Their figures, from the journal or by running them."""
        commands = {setting: tuple(space.arguments(setting)) for setting in settings}
        missing = [one for one in commands.values() if one not in figures]
        runs = executor.map(_run, missing, [space.figure] * len(missing))
        for command, figure in zip(missing, runs, strict=True):
            figures[command] = figure
            json_lines.add(journal, {"command": command, "figure": figure})
        found = {setting: figures[command] for setting, command in commands.items()}
        measured.update(found)
        return found

    draw = random.Random(seed)
    measured: dict[Setting, float] = {}
    with _executor(workers or os.cpu_count() or 1, cluster) as executor:
        for _ in range(starts):
            here = tuple((option, draw.choice(values)) for option, values in space.options.items())
            best = measure([here])[here]
            while True:
                around = list(_neighbours(space, here))
                near = measure(around)
                progress(len(measured), min(measured.values()))
                better = min(around, key=lambda setting: near[setting])
                if near[better] >= best:
                    break
                here, best = better, near[better]
    winner = min(measured, key=lambda setting: measured[setting])
    if measured[winner] == FAILED:
        raise AbutError(f"{space.command[0]}: every setting failed", fix="run it by hand")
    return Tuned(winner, measured[winner], measured)


def _neighbours(space: Space, setting: Setting) -> Iterator[Setting]:
    for index, (option, now) in enumerate(setting):
        for value in space.options[option]:
            if value != now:
                yield (*setting[:index], (option, value), *setting[index + 1 :])


def _run(command: Sequence[str], figure: str) -> float:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        return FAILED
    answer: dict[str, Any] = json.loads(done.stdout)
    return float(answer[figure])


def main(
    command: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="The program and its other arguments.")
    ],
    option: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE,...",
            help="An option, and its values; none leaves it out, 'yes' is a bare option.",
        ),
    ],
    figure: Annotated[str, typer.Option(help="What is to be small.")] = "last_ns",
    journal: Annotated[Path, typer.Option(help="Where runs are kept.")] = Path("tuning.jsonl"),
    starts: Annotated[int, typer.Option(help="From how many settings.")] = 3,
    workers: Annotated[int | None, typer.Option(help="Runs side by side [one a core].")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A dask scheduler.")
    ] = None,
) -> None:
    """Search the options of a program that prints a JSON object with a figure."""
    options = {
        name: values.split(",") for name, _, values in (one.partition("=") for one in option)
    }

    def progress(count: int, best: float) -> None:
        print(f"{count} settings measured, best {best:g}", file=sys.stderr)

    try:
        tuned = tune(
            Space(tuple(command), options, figure),
            journal,
            starts=starts,
            workers=workers,
            cluster=cluster,
            progress=progress,
        )
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        raise typer.Exit(error.exit_code or USAGE) from error
    print(f"best {figure} {tuned.figure:g}:", *Space((), options).arguments(tuned.best))
    for name, ratio in tuned.importance():
        print(f"{name}: {ratio:.2f} times the best with its worst value")


@contextmanager
def _executor(workers: int, cluster: str | None) -> Iterator[Executor]:
    if cluster is None:
        with ThreadPoolExecutor(workers) as executor:
            yield executor
        return
    with connect(cluster) as client:
        yield cast("Executor", client.get_executor())


if __name__ == "__main__":
    typer.run(main)
