"""Many traces, layouts and machines: each found once, kept at once, and never asked for again.

A piece of work is one trace under one layout; all machines share its pass. What a piece finds is
appended to a file as soon as it is there, so that a sweep that was stopped, or lost its workers,
goes on where it was. A worker that dies takes its piece with it, which another one begins again; a
piece that three workers died of is given up, and named.
"""

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from abut import json_lines
from abut.errors import AbutError
from abut.simulation.jobs import (
    Job,
    Result,
    average_cycles,
    connect,
    replay_of,
    simulate_together,
)
from abut.simulation.presets import Preset
from abut.workers import process_pool

TRIES = 3
Row = dict[str, Any]
Piece = list[Job]


@dataclass(frozen=True, slots=True)
class Failed:
    """A piece that no worker could finish."""

    trace: str
    layout: str
    problem: str


_KEY = ("trace", "bytes", "layout", "side", "seed", "machine", "content")


def key_of(row: Row) -> tuple[str, ...]:
    """What a row is of."""
    return tuple(str(row.get(name)) for name in _KEY)


def rows_of(results: Iterable[Result]) -> list[Row]:
    """What is kept: misses by level, mean cycles of an access, and predicted cycles of a core."""
    return [
        {
            **named(result.job),
            "command": result.command,
            "references": result.total_references,
            "instructions": result.instructions,
            "misses": {level.name: level.total_misses for level in (*result.levels, *result.tlb)},
            "cycles_of_an_access": average_cycles(result),
            "cycles": result.time.total if result.time else None,
            "damages": result.damages,
        }
        for result in results
    ]


def named(job: Job) -> Row:
    """What a job is of, as a row names it."""
    return {
        "trace": str(Path(job.trace).resolve()),
        "bytes": Path(job.trace).stat().st_size,  # another run may have been recorded there
        "layout": job.layout,
        "side": job.side,
        "seed": job.seed,
        "machine": job.preset.name,
        "content": _content_of(job.preset, job.layout),
    }


@cache
def _content_of(preset: Preset, layout: str) -> str:
    """What a machine's file and a plan say: under the same name it may be something else."""
    plan = Path(layout).read_bytes() if Path(layout).is_file() else b""
    return hashlib.sha256(repr(preset).encode() + plan).hexdigest()[:16]


def left_of(jobs: Sequence[Job], kept: Path) -> list[Piece]:
    """The pieces of which something is not in the file, without what is."""
    done = {key_of(row) for row in json_lines.read(kept)}
    wanted = [job for job in jobs if key_of(named(job)) not in done]
    grouped = itertools.groupby(wanted, key=replay_of)
    return [list(piece) for _, piece in grouped]


def sweep(
    pieces: Sequence[Piece], kept: Path, processes: int = 1, scheduler: str = ""
) -> Iterator[list[Row] | Failed]:
    """Work all pieces off, and append what each finds to the file, which is what is yielded.

    Here, in as many processes, or on the workers of a dask scheduler.
    """
    finished = _on_cluster(pieces, scheduler) if scheduler else _in_processes(pieces, processes)
    for found in finished:
        if not isinstance(found, Failed):
            for row in found:
                json_lines.add(kept, row)
        yield found


def work(piece: Piece) -> list[Row]:
    """What one worker does."""
    return rows_of(simulate_together(piece))


def _failed(piece: Piece, problem: object) -> Failed:
    return Failed(piece[0].trace, piece[0].layout, str(problem))


# A process that is killed breaks its pool, with all that is under way there. Which piece did it is
# not known: so all begin again, and after three times each in a pool of its own.
def _in_processes(pieces: Sequence[Piece], processes: int) -> Iterator[list[Row] | Failed]:
    waiting = list(pieces)
    for _ in range(TRIES - 1):
        broken: list[Piece] = []
        yield from _in_pool(waiting, processes, broken)
        waiting = broken
    for piece in waiting:
        broken = []
        yield from _in_pool([piece], 1, broken)
        if broken:
            yield _failed(piece, f"its worker was killed {TRIES} times")


def _in_pool(
    pieces: Sequence[Piece], processes: int, broken: list[Piece]
) -> Iterator[list[Row] | Failed]:
    """What the pieces find; those that were under way when a worker died, or came later, go to
    `broken`.
    """
    if not pieces:
        return
    with process_pool(min(processes, len(pieces))) as pool:
        futures = {pool.submit(work, piece): piece for piece in pieces}
        for future in as_completed(futures):
            try:
                yield future.result()
            except BrokenProcessPool:
                broken.append(futures[future])
            except AbutError as error:
                yield _failed(futures[future], error)


def _on_cluster(pieces: Sequence[Piece], scheduler: str) -> Iterator[list[Row] | Failed]:
    import distributed

    with connect(scheduler) as client:
        futures = client.map(work, pieces, pure=False, retries=TRIES - 1)
        of_future = {future.key: piece for future, piece in zip(futures, pieces, strict=True)}
        for future in distributed.as_completed(futures):  # type: ignore[no-untyped-call]
            try:
                yield future.result()
            except (AbutError, distributed.KilledWorker) as error:
                yield _failed(of_future[future.key], error)
