"""What to measure: one program as the user types it, or the benchmarks of a suite."""

import functools
from collections.abc import Sequence
from pathlib import Path

from abut.errors import AbutError
from abut.measure.inputs import workload_of
from abut.measure.session import Task
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.places import bench_places
from abut.program import find_program, preload_obstacle


def program_tasks(argv: Sequence[str], stdin: Path | None) -> list[Task]:
    """One program, run in the current folder.

    Raises AbutError when it is not to be found, or when no heap can be preloaded into it.
    """
    path = find_program(argv[0])
    if obstacle := preload_obstacle(path):
        raise AbutError(
            f"every heap would be the same: {obstacle}", fix="compare a program that is not so"
        )
    if stdin and not stdin.is_file():
        raise AbutError(
            f"{stdin}: standard input is to come from there, and it is no file",
            fix="name a file; without --stdin, the program reads nothing",
        )
    workload = Workload(
        name=path.name,
        about="",
        kind="program",
        argv=tuple(argv),
        folder=Path.cwd(),
        stdin=(stdin or Path("/dev/null")).absolute(),
    )
    return [Task(workload.name, lambda: workload)]


def suite_tasks(suite: str, only: Sequence[str]) -> list[Task]:
    """The benchmarks of `suite`, or those of them that `only` names."""
    places = bench_places()
    return [
        Task(benchmark.name, functools.partial(workload_of, benchmark, suite, places))
        for benchmark in choose(load_benchmarks(places.suites), suite, only)
    ]
