"""What `abut tune` does for real programs: tuned with one input, measured with another.

Each program of the list is tuned with its input for training, and what wins must win with that for
the test. A profile that is kept is then measured against the untuned default with runs of
their own, a fixed number of rounds; where none is kept, the program is as it was.

With `--trials`, nothing is tuned: a policy that changes nothing is confirmed as if it had won a
race, so many times for each program, with a small input. What it wins, chance has won.

What was measured is kept in the folder, and an interrupted run goes on there.

There are two lists: tune_programs.toml has programs of many kinds, and tune_waiting.toml such as
wait for memory.

usage: .venv/bin/python bench/tune_programs.py [--list FILE] [--only NAME,...] [--budget SECONDS]
           [--rounds N] [--trials N] [--folder FOLDER]
"""

import argparse
import dataclasses
import math
import statistics
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from abut import json_lines
from abut.errors import NotHere
from abut.machine import describe, this_machine
from abut.measure.inputs import workload_of
from abut.measure.paired import Ratio, ratio_of
from abut.measure.suites import Benchmark, load_benchmarks
from abut.measure.versions import package_version
from abut.places import bench_places
from abut.reporters.grid import grid
from abut.tuning.objective import Objective, objective_of
from abut.tuning.policies import Policy, declared_axes
from abut.tuning.profile import policy_of, read_profile
from abut.tuning.race import Race, Standing, is_gain
from abut.tuning.runs import CONFIRM, Input, Runs
from abut.tuning.tune import tune
from abut.tuning.tuning import Request

_PLACES = bench_places()
_OBJECTIVE: Objective = objective_of("user")
_SEEDS = {"train": "1", "test": "2"}
_PART_TO_TRY = 8


def _say(progress: str) -> None:
    if sys.stderr.isatty():
        print(progress, file=sys.stderr)


def input_of(
    benchmark: Benchmark, sizes: Mapping[str, Mapping[str, int]], kind: str, part: int = 1
) -> Input:
    """The command with one of its inputs, made if need be; or with one of a part of its size."""
    seeded = ("--seed", _SEEDS[kind]) if benchmark.prepare else ()
    texts = {name: str(max(1, size // part)) for name, size in sizes[kind].items()}
    sized = dataclasses.replace(
        benchmark, sizes={kind: texts}, prepare=(*benchmark.prepare, *seeded)
    )
    workload = workload_of(sized, kind, _PLACES)
    settings = [f"{name}={value}" for name, value in workload.environment.items()]
    return Input((*(("env", *settings) if settings else ()), *workload.argv))


def measured(command: Input, policy: Policy, salt: str, rounds: int = 0) -> Standing:
    """A policy against the default: in so many rounds, or until it is decided."""
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs([command], [], Path(scratch), salt)
        runs.warm_up()
        standing = Standing(policy)
        race = Race(runs, _OBJECTIVE, lambda phase, standings: None)
        if rounds:
            race.measure(CONFIRM, standing, rounds)
        else:
            race.confirm(CONFIRM, standing, math.inf)
        runs.forget()
    return standing


def row_of(name: str, train: Input, test: Input, chosen: argparse.Namespace) -> dict[str, Any]:
    """Tune a program, and measure what was kept."""
    profile = chosen.folder / f"{name}.profile"
    request = Request(
        [train],
        [test],
        declared_axes(_OBJECTIVE.weights),
        _OBJECTIVE,
        chosen.budget,
        profile,
        lambda said: _say(f"{name}: {said}"),
    )
    result = tune(request)
    if result.interrupted:
        raise KeyboardInterrupt
    logs: list[float] = []
    if result.winner:
        policy = policy_of(profile, read_profile(profile))
        logs = [log for (log,) in measured(test, policy, "measured", chosen.rounds).logs]
    return {
        "program": name,
        "kept": result.winner.name if result.winner else "",
        "why": result.why,
        "logs": logs,
        "seconds": result.seconds,
    }


def try_chance(name: str, command: Input, trials: Path, wanted: int) -> None:
    """Confirm that the default is faster than itself, so many times; none should be kept."""
    done = sum(one["program"] == name for one in json_lines.read(trials))
    for number in range(done, wanted):
        standing = measured(command, Policy("same"), f"trial {number}")
        json_lines.add(trials, {"program": name, "won": is_gain(standing.ratio)})
        _say(f"{name}: trial {number + 1}: {standing.ratio}")


def version_of(benchmark: Benchmark) -> str:
    """The Debian package that the program is of, with its version."""
    package = benchmark.needs[0].package
    return f"{package} {package_version(package) or ''}"


def report(rows: list[dict[str, Any]], about: Mapping[str, str]) -> None:
    """Print the table, and what it comes to."""
    table = grid(
        "user time with another input, as a multiple of the untuned default's",
        ["program", "package", "kept", "with it", "tuned in"],
        words=3,
    )
    ratios: list[Ratio] = []
    for row in rows:
        # Without a profile nothing is different, so nothing was measured.
        ratio = ratio_of(row["logs"]) if row["logs"] else Ratio(1.0, 1.0, 1.0, 0)
        ratios.append(ratio)
        shown = str(ratio) if row["logs"] else "1"
        kept = row["kept"] or "the default"
        table.add_row(row["program"], about[row["program"]], kept, shown, f"{row['seconds']:.0f} s")
    Console(width=118).print(table)
    mean = statistics.geometric_mean(ratio.value for ratio in ratios)
    worst = max(zip(ratios, rows, strict=True), key=lambda pair: pair[0].value)
    print(
        f"{describe(this_machine())}: {len(rows)} programs, mean {mean:.3f}, "
        f"worst {worst[1]['program']} {worst[0]}, "
        f"{sum(ratio.low > 1.01 for ratio in ratios)} surely above 1.01; "
        f"tuned in {sum(row['seconds'] for row in rows) / 60:.0f} minutes of runs"
    )


def main() -> int:
    """Tune and measure them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", type=Path, default=Path(__file__).with_suffix(".toml"))
    parser.add_argument("--only", default="", help="names of programs, with commas")
    parser.add_argument("--budget", type=float, default=300, help="seconds to tune each")
    parser.add_argument("--rounds", type=int, default=20, help="to measure each profile")
    parser.add_argument(
        "--trials", type=int, default=0, help="of chance, of each program, and no tuning"
    )
    parser.add_argument("--folder", type=Path, default=Path("build/tuned"))
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    benchmarks = {one.name: one for one in load_benchmarks(_PLACES.suites)}
    declared = tomllib.loads(chosen.list.read_text())
    names = [name for name in declared if not chosen.only or name in chosen.only.split(",")]
    results, trials = chosen.folder / "programs.jsonl", chosen.folder / "trials.jsonl"
    for name in names:
        sizes, benchmark = declared[name], benchmarks[name]
        try:
            if chosen.trials:
                small = input_of(benchmark, sizes, "train", _PART_TO_TRY)
                try_chance(name, small, trials, chosen.trials)
            elif not any(row["program"] == name for row in json_lines.read(results)):
                train, test = (input_of(benchmark, sizes, kind) for kind in _SEEDS)
                json_lines.add(results, row_of(name, train, test, chosen))
        except NotHere as error:
            print(f"left out: {error}", file=sys.stderr)
    if chosen.trials:
        won = [bool(one["won"]) for one in json_lines.read(trials) if one["program"] in names]
        print(f"of {len(won)} times that the default raced itself, it won {sum(won)}")
        return 0
    rows = [row for row in json_lines.read(results) if row["program"] in names]
    report(rows, {name: version_of(benchmarks[name]) for name in names})
    return 0


if __name__ == "__main__":
    sys.exit(main())
