import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abut.simulation.jobs import Job, simulate
from abut.simulation.presets import find_preset, preset_files
from abut.simulation.sweep import (
    TRIES,
    Failed,
    _content_of,
    key_of,
    left_of,
    named,
    rows_of,
    sweep,
)
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.writer import TraceWriter
from conftest import Abut

ZEN4, ZEN5 = find_preset("zen4"), find_preset("zen5")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "run.trace"
    with TraceWriter(path) as out:
        for number in range(2000):
            item = out.allocate(32, address=4096 + 64 * number, time=number)
            out.access(item, 0, write=False)
    return path


def jobs_of(trace: Path) -> list[Job]:
    return [
        Job(str(trace), machine, layout=layout)
        for layout in ("recorded", "line")
        for machine in (ZEN4, ZEN5)
    ]


def die_once(trace: Trace, job: Job) -> Array:
    """A placer whose worker is killed the first time, as by the kernel where memory is short."""
    flag = Path(trace.path).with_suffix(".died")
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.arange(2000, dtype=np.uint64) * 64 + 4096


def die_always(trace: Trace, job: Job) -> Array:
    """The same, every time."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(trace, job)


def deadly(trace: Path) -> list[Job]:
    return [*jobs_of(trace), Job(str(trace), ZEN5, layout="deadly", placer=die_once)]


def test_a_sweep_finds_what_sim_finds(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    jobs = jobs_of(trace)
    found = list(sweep(left_of(jobs, kept), kept, 2))
    assert len(found) == 2  # all machines share a pass
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert sorted(map(str, rows)) == sorted(map(str, rows_of(simulate(job) for job in jobs)))


def test_what_is_there_is_not_simulated_again(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(sweep(left_of(jobs_of(trace)[:3], kept), kept))
    assert left_of(jobs_of(trace), kept) == [jobs_of(trace)[3:]]
    with kept.open("a") as file:  # a line that was cut short is none
        file.write('{"trace": ')
    list(sweep(left_of(jobs_of(trace), kept), kept))
    assert left_of(jobs_of(trace), kept) == []


def test_what_differs_in_more_than_its_name_is_simulated(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(sweep(left_of([Job(str(trace), ZEN4)], kept), kept))
    application = Job(str(trace), ZEN4, side="application")
    assert left_of([application], kept) == [[application]]
    trace.unlink()
    with TraceWriter(trace) as out:  # another run, at the same place
        out.access(0, 4096, 8)
    assert left_of([Job(str(trace), ZEN4)], kept) == [[Job(str(trace), ZEN4)]]


def test_a_machine_of_the_same_name_is_another_if_its_file_is(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    list(sweep(left_of([Job(str(trace), ZEN4)], kept), kept))
    other = Job(str(trace), replace(ZEN4, memory_cycles=ZEN4.memory_cycles + 1))
    assert left_of([other], kept) == [[other]]
    plan = tmp_path / "same.plan"
    plan.write_text("one")
    layout = Job(str(trace), ZEN4, layout=str(plan))
    before = key_of(named(layout))
    plan.write_text("two")
    _content_of.cache_clear()
    assert key_of(named(layout)) != before


def test_two_machines_of_one_name_and_other_files_are_refused(abut: Abut, trace: Path) -> None:
    (trace.parent / "zen4.toml").write_text(preset_files()["zen4"].read_text())
    twice = abut("sweep", "-o", "kept.jsonl", "--machine", "zen4,./zen4.toml", str(trace))
    assert (twice.returncode, "two are called 'zen4'" in twice.stderr) == (2, True)
    (trace.parent / "notes.txt").write_text("dear notes\n")
    refused = abut("sweep", "-o", "notes.txt", str(trace))
    assert (refused.returncode, "is no file with a JSON object" in refused.stderr) == (2, True)
    assert (trace.parent / "notes.txt").read_text() == "dear notes\n"


def test_a_worker_that_is_killed_costs_nothing_but_time(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    found = list(sweep(left_of(deadly(trace), kept), kept, 2))
    assert trace.with_suffix(".died").exists()
    assert not [one for one in found if isinstance(one, Failed)]
    assert left_of(deadly(trace), kept) == []


def test_what_kills_every_worker_is_named_and_the_rest_is_kept(trace: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    fatal = Job(str(trace), ZEN5, layout="fatal", placer=die_always)
    found = list(sweep(left_of([fatal, *jobs_of(trace)], kept), kept, 1))
    (failed,) = [one for one in found if isinstance(one, Failed)]
    assert (failed.layout, failed.problem) == ("fatal", f"its worker was killed {TRIES} times")
    assert left_of(jobs_of(trace), kept) == []


def test_a_cluster_that_loses_a_worker_finds_the_same(trace: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    kept = tmp_path / "kept.jsonl"
    with distributed.LocalCluster(
        n_workers=2, processes=True, dashboard_address=None, threads_per_worker=1
    ) as cluster:
        pieces = left_of(deadly(trace), kept)
        found = list(sweep(pieces, kept, scheduler=cluster.scheduler_address))
    assert trace.with_suffix(".died").exists()
    assert not [one for one in found if isinstance(one, Failed)]
    assert left_of(deadly(trace), kept) == []


def test_the_command_shows_a_machine_a_column(abut: Abut, trace: Path) -> None:
    options = ("-o", "kept.jsonl", "--machine", "zen4,zen5")
    done = abut("sweep", *options, str(trace))
    assert "zen4" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("next: abut report ")
    again = json.loads(abut("sweep", *options, "--json", str(trace)).stdout)
    assert [row["machine"] for row in again["rows"]] == ["zen4", "zen5"]
    assert again["failed"] == []
    refused = abut("sweep", *options, "--seed", "2", str(trace))
    assert (refused.returncode, "drawn by chance" in refused.stderr) == (2, True)
