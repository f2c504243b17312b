"""Programs run under the papers' allocators: what is kept, and what is said of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from abut.errors import AbutError
from abut.measure.workload import Workload
from abut.papers import allocators, program_runs
from abut.papers.allocators import AllocatorsResult
from abut.papers.paper import Request
from abut.papers.program_runs import Demand, ProgramRuns
from abut.reporters.allocators import served_table, time_table

LS = Workload(name="ls", about="", kind="program", argv=("/bin/ls", "/"), folder=Path("/"))


def _request(folder: Path, *, fresh: bool = False, heaps: tuple[str, ...] = ("lea",)) -> Request:
    return Request(("ls",), heaps, "quick", folder, fresh, lambda _: None)


def test_what_was_measured_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = program_runs.timed_runs(_request(tmp_path), LS)
    assert len(first["seconds"]["lea"]) == program_runs.RUNS
    assert first["demand"]["allocations"] > 0

    def fail(*_: Any) -> None:
        raise AbutError("measured again")

    monkeypatch.setattr(program_runs, "_timed", fail)
    assert program_runs.timed_runs(_request(tmp_path), LS) == first
    again: list[Callable[[], Any]] = [
        lambda: program_runs.timed_runs(_request(tmp_path, fresh=True), LS),
        lambda: program_runs.timed_runs(_request(tmp_path, heaps=("lea", "vam")), LS),
    ]
    for measure in again:
        with pytest.raises(AbutError, match="measured again"):
            measure()


def _runs(program: str, **seconds: list[float]) -> ProgramRuns:
    named = {heap.replace("_", ":"): rounds for heap, rounds in seconds.items()}
    misses = {"lea": [100, 10], "vam": [80, 5]}
    return ProgramRuns(program, Demand(1.0, 10, 480, 200), named, {}, misses)


def test_means_are_said_beside_the_authors() -> None:
    runs = _runs("one", lea=[1.0, 1.1, 0.9], vam=[0.5, 0.5, 0.5], abut=[0.4, 0.4, 0.4])
    said = AllocatorsResult([runs], ["lea", "vam", "abut"]).verdict()
    assert "vam takes +50% less time than lea (Feng and Berger: +8%)" in said
    assert "vam's layout has +50% fewer L2 misses than lea's (theirs: +39%)" in said
    assert "abut takes +20% less time than vam, the best of the papers'" in said


def test_a_served_heap_is_faster_only_where_that_is_sure() -> None:
    sure = _runs("sure", lea=[1.0, 1.1, 1.2], offload_lea=[0.5, 0.5, 0.5])
    noisy = _runs("noisy", lea=[1.0, 1.1, 1.2], offload_lea=[0.2, 1.0, 2.0])
    heaps = ["lea", "offload:lea"]
    said = AllocatorsResult([sure, noisy], heaps).verdict()
    assert said[-1].endswith("of lea's time; surely faster: sure")
    assert served_table([sure, noisy], heaps[1:]).row_count == 1
    assert time_table([sure], heaps).row_count == len(heaps)


def test_the_papers_name_the_heaps_that_they_compare() -> None:
    assert {"lea", "phk", "vam"} <= set(allocators.VAM_HEAPS)
    assert {"abt", "offload:abt", "offload-process:abt"} <= set(allocators.SERVED_HEAPS)
