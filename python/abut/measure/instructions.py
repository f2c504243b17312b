"""Counting instructions with Valgrind's cachegrind: exact on any machine, under any load.

Children are counted too. A run takes some thirty times as long as it does otherwise.
"""

import dataclasses
import shutil
from pathlib import Path

from abut.environment import copying_in_vectors
from abut.errors import AbutError, NotHere
from abut.measure.spawn import Launch

_SUMMARY = b"summary: "


def check_counter() -> None:
    """Raises NotHere where Valgrind is not installed."""
    if shutil.which("valgrind") is None:
        raise NotHere(
            "--figure instructions: valgrind not found in PATH", fix="apt install valgrind"
        )


def counting(launch: Launch, folder: Path) -> Launch:
    """The same start, counted: each process leaves its count in a file in `folder`."""
    counter = (
        "valgrind", "-q", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes",
        "--log-file=/dev/null", f"--cachegrind-out-file={folder}/%p",
    )  # fmt: skip
    environment = copying_in_vectors(launch.environment)
    return dataclasses.replace(
        launch, argv=(*counter, *launch.argv), environment=environment, events=()
    )


def take_count(folder: Path) -> int:
    """The sum of the counts in `folder`, which is emptied."""
    total = sum(counts[0] for counts in counts_in(folder))
    for file in folder.iterdir():
        file.unlink()
    return total


def counts_in(folder: Path) -> list[list[int]]:
    """What was counted in each process, instructions first: the program's own before those that it
    started.
    """
    # Process ids go up; where they begin again in between, a child is taken for the program.
    files = sorted(folder.iterdir(), key=lambda file: int(file.name))
    if not files:
        raise AbutError("cachegrind counted nothing", fix="see if `valgrind true` works here")
    return [_counts_in(file) for file in files]


def _counts_in(file: Path) -> list[int]:
    with file.open("rb") as lines:
        for line in lines:
            if line.startswith(_SUMMARY):
                return [int(count) for count in line.removeprefix(_SUMMARY).split()]
    return [0]  # a process that was killed wrote no summary
