"""Vam's figures, on traces that are made up."""

from pathlib import Path

import pytest

from abut.heaps import Heap
from abut.measure.memory_limit import LimitedRun
from abut.measure.workload import Workload
from abut.papers import Request
from abut.reporters.charts import draw_charts
from abut.simulation.pages import compare_pages, run_pages
from abut_papers.allocators.program_runs import Demand, ProgramRuns
from abut_papers.allocators.tables import AllocatorsResult
from abut_papers.vam import pressure
from abut_papers.vam.pressure import REACHABLE, Pressure
from abut_papers.vam.tables import ProgramPages, VamResult, curve_table
from page_traces import OBJECTS, PAGE, jobs_of, loop

NO_RUNS = AllocatorsResult([], ["lea"])
NOT_LIMITED = Pressure({}, {}, "there is no swap")
CUSTOM = ProgramRuns("regions", Demand(1, 1, 1, 1), {"lea": [2.0], "obstack": [1.0]}, {})


def result_of(programs: list[ProgramPages], runs: AllocatorsResult = NO_RUNS) -> VamResult:
    return VamResult(programs, runs, NOT_LIMITED, CUSTOM)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A dense one, of 400 pages, and a sparse one, of 800."""
    return [loop(tmp_path / "dense", PAGE // 4), loop(tmp_path / "sparse", PAGE // 2)]


def test_vams_figures_hold_all_programs(runs: list[Path]) -> None:
    comparison = compare_pages(run_pages(jobs_of(runs)))
    result = result_of([ProgramPages(name, "a loop", comparison) for name in ("one", "two")])
    assert [claim[:3] for claim in result.claims()] == [
        ("figure 7: time in little memory", "measured", "not measured"),
        ("obstacks, time by lea's", "0.92", "0.50"),
    ]
    assert result.document()["programs"][0]["runs"]["dense"]["most_pages_in_use"] == 400
    live_pages = OBJECTS * 64 // PAGE
    tables = {str(table.title): table for table in result.tables()}
    for figure in (6, 8, 9):
        assert any(f"(figure {figure})" in title for title in tables)
    fragmentation = next(table for title, table in tables.items() if "(figure 6)" in title)
    assert list(fragmentation.columns[-2].cells) == ["16.00", "32.00"]

    # 400 pages, used in turn, 64 of them live data's bytes: all are missed but for 401 pages.
    program = ProgramPages("loop", "a loop", compare_pages(run_pages(jobs_of(runs[:1]))))
    assert program.memories == [max(64, round(live_pages / share)) for share in REACHABLE]
    (row,) = zip(*(column.cells for column in curve_table(program).columns), strict=True)
    assert row == ("dense", *["800"] * len(REACHABLE))


def test_a_heap_may_be_missing_of_one_program(runs: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    both, dense = (compare_pages(run_pages(jobs_of(some))) for some in (runs, runs[:1]))
    programs = [ProgramPages("two", "a loop", dense), ProgramPages("one", "a loop", both)]
    runs_of_one = ProgramRuns("one", Demand(1.0, 9, 90, 50), {"lea": [1.0]}, {})
    result = result_of(programs, AllocatorsResult([runs_of_one], ["lea"]))
    assert [*result.of_pages(lambda report: report.use.fragmentation)] == ["dense", "sparse"]
    fragmentation = next(table for table in result.tables() if "(figure 6)" in str(table.title))
    assert [list(column.cells)[1] for column in fragmentation.columns[1:4]] == ["-", "32.00", "-"]
    read_ahead = next(table for table in result.tables() if "(figure 9)" in str(table.title))
    assert [list(column.cells)[1] for column in read_ahead.columns[1:4]] == ["-", "88%", "-"]
    draw_charts(result.charts(), tmp_path / "vam.svg")


def test_runs_in_little_memory_are_kept_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def run(_: Workload, heap: Heap, limit: int, timeout_s: float) -> LimitedRun | None:
        limits.append(limit)
        little = limit < 1080
        return None if little and heap.name == "abut" else LimitedRun(timeout_s, 1.0, limit)

    monkeypatch.setattr(pressure, "obstacle", lambda: None)
    monkeypatch.setattr(pressure, "run_limited", run)
    request = Request(
        ("lua-tables",), ("lea", "abut"), "small", tmp_path, fresh=False, progress=print
    )
    # 900 bytes are live of 1000 that are resident.
    known = ProgramRuns("lua-tables", Demand(1.0, 9, 90, 900), {}, {"lea": [1000.0]})
    result = pressure.measure(request, [known])
    assert limits == 2 * [1000, 1100, 1225, 1385, 1600, 1900]
    assert pressure.measure(request, [known]) == result
    assert len(limits) == 12  # what was measured is used again
    assert [claim[2] for claim in result.claims()] == ["1 k"], "of the memory of 1000 bytes"
    seconds, faults = result.tables()
    assert list(seconds.columns[1].cells) == ["20 s", "-"]
    assert list(faults.columns[6].cells) == ["1.90 k", "1.90 k"]
    assert result.document()["runs"]["lua-tables"]["abut"][0] is None
