"""`abut bench` and `abut sim --pages`, on traces that are made up."""

import json
from pathlib import Path

import pytest
from typer import Exit

from abut.bench import Request, find_paper, papers
from abut.commands import bench
from abut.errors import AbutError
from abut.heaps import GLIBC, Heap
from abut.measure.memory_limit import LimitedRun
from abut.measure.workload import Workload
from abut.reporters.pages import pages_words
from abut.simulation.jobs import LAYOUTS, Job, average_cycles
from abut.simulation.pages import compare_pages, run_pages
from abut.trace import Frame, Trace, TraceWriter
from abut.tuning.strategies import strategy_names
from abut_papers.allocators import layouts
from abut_papers.allocators.bench import AllocatorsResult
from abut_papers.allocators.heaps import composed_heaps
from abut_papers.allocators.program_runs import Demand, ProgramRuns, Simulated
from abut_papers.common.recordings import recording
from abut_papers.vam import bench as vam
from abut_papers.vam import pressure
from abut_papers.vam.figures import ProgramPages
from conftest import ROOT, Abut

PAGE = 4096
OBJECTS = 1600


def loop(path: Path, apart: int) -> Path:
    """Objects that are used in turn, three times, so far apart."""
    with TraceWriter(path) as trace:
        items = [trace.allocate(64, address=0x100000 + apart * i) for i in range(OBJECTS)]
        for _ in range(3):
            for item in items:
                trace.access(item, 0)
    return path


def jobs_of(paths: list[Path], *layouts: str) -> list[Job]:
    return [Job(str(path), layout=name) for path in paths for name in layouts or ("recorded",)]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A dense one, of 400 pages, and a sparse one, of 800."""
    return [loop(tmp_path / "dense", PAGE // 4), loop(tmp_path / "sparse", PAGE // 2)]


def test_all_runs_are_put_to_shares_of_the_fewest_pages(runs: list[Path]) -> None:
    comparison = compare_pages(run_pages(jobs_of(runs)))
    assert comparison.memories == [100, 200, 300]
    assert comparison.reports["sparse"].use.most_pages_in_use == 800
    middle = comparison.reports["sparse"].prefetch[1]
    assert (middle.memory_pages, middle.misses) == (200, 2 * 800)


def test_runs_are_told_apart_by_file_and_layout(runs: list[Path]) -> None:
    named = run_pages(jobs_of(runs, "recorded", "size"))
    assert list(named) == ["dense recorded", "dense size", "sparse recorded", "sparse size"]
    packed = {name: pages.use.most_pages_in_use for name, pages in named.items()}
    assert packed["dense size"] == packed["sparse size"] == -(-OBJECTS * 64 // PAGE)


def test_words_say_what_the_figures_say(runs: list[Path]) -> None:
    words = pages_words("sparse", compare_pages(run_pages(jobs_of(runs))))
    assert words == (
        "sparse: 3.12 MiB of pages in use, 32.00 times the pages of 100 KiB live; "
        "in 800 KiB, 1.60 k misses, and 88% of these would have been read ahead"
    )


def test_sim_shows_pages_of_traces_side_by_side(abut: Abut, runs: list[Path]) -> None:
    shown = abut("sim", "--pages", *map(str, runs))
    assert shown.returncode == 0, shown.stderr
    assert "sparse: 3.12 MiB of pages in use" in shown.stdout
    assert "misses in 800 KiB" in shown.stdout
    document = json.loads(abut("sim", "--pages", "--json", *map(str, runs)).stdout)
    assert document["memories_pages"] == [100, 200, 300]
    assert document["runs"]["dense"]["prefetch"][1]["memory_pages"] == 200
    assert document["runs"]["dense"]["enough_pages"] == 400


def test_pages_are_told_by_side(abut: Abut, tmp_path: Path) -> None:
    """The allocator goes through 400 pages twice, the application once through 100 of them."""
    with TraceWriter(tmp_path / "sides") as trace:
        for page in [*range(400), *range(400)]:
            trace.access(0, 0x100000 + PAGE * page, 8, allocator=True)
        for page in range(100):
            trace.access(0, 0x100000 + PAGE * page, 8)
    run = run_pages(jobs_of([tmp_path / "sides"]))["sides"].report([200])
    point = run.prefetch[0]
    assert [point.of_side(side).misses for side in (0, 1)] == [100, 400]
    assert [run.first_touches_of(side) for side in ("application", "allocator")] == [0, 400]
    done = abut("sim", "--pages", "sides")
    rows = [line.split("│") for line in done.stdout.partition("by side")[2].splitlines()]
    sides = {row[2].strip(): row[4].strip() for row in rows if len(row) > 5}
    assert sides == {"application": "100", "allocator": "400"}
    document = json.loads(abut("sim", "--pages", "--json", "sides").stdout)
    (found,) = document["runs"].values()
    counts = found["prefetch"][1]
    assert counts["allocator_prefetchable"] + counts["allocator_others"] == 400
    assert counts["prefetchable"] + counts["others"] == 500


def test_pages_of_strategies_and_heaps(abut: Abut, tmp_path: Path) -> None:
    """Objects of 64 bytes on a page each, which any of these lays side by side."""
    with TraceWriter(tmp_path / "apart") as trace:
        module = trace.module("/nowhere/prog", "c0ffee", 0x1000, 0x1000)
        context = trace.context([Frame(module, 0x10)])
        for at in range(640):
            item = trace.allocate(64, address=0x100000 + PAGE * at, context=context)
            trace.access(item, 0)
    done = abut("sim", "--pages", "--json", "--layout", "recorded,usage-df,lea", "apart")
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    pages = {name: run["most_pages_in_use"] for name, run in runs.items()}
    assert (pages["apart recorded"], pages["apart usage-df"]) == (640, 10)
    assert 10 <= pages["apart lea"] < 16
    refused = abut("sim", "--pages", "--layout", "usage-dfs", "apart")
    assert refused.returncode == 2
    assert "usage-df," in refused.stderr


def test_a_damaged_trace_is_no_run(abut: Abut, runs: list[Path]) -> None:
    runs[0].write_bytes(runs[0].read_bytes()[:-100])
    refused = abut("sim", "--pages", str(runs[0]))
    assert refused.returncode == 2
    assert "record it again" in refused.stderr


def test_bench_lists_the_papers(abut: Abut) -> None:
    shown = abut("bench").stdout.splitlines()
    assert [line.split()[0] for line in shown[:-1]] == papers()
    assert "vam" in papers()
    assert shown[-1].startswith("next: abut bench ")
    unknown = abut("bench", "lea")
    assert unknown.returncode == 2
    assert "vam" in unknown.stderr


def test_a_paper_names_programs_and_heaps_that_there_are() -> None:
    from abut.heaps import find_heap
    from abut.measure.suites import choose, load_benchmarks
    from abut.places import bench_places

    for name in papers():
        paper = find_paper(name)
        for heap in paper.HEAPS:
            assert find_heap(heap).name == heap
        declared = load_benchmarks(bench_places().suites)
        if name not in ("adcock", "cyll"):  # whose programs are their own
            assert choose(declared, "quick", paper.PROGRAMS)
        assert choose(declared, "daily", [])


def test_vams_figures_are_told_and_drawn(runs: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = vam.VamResult(
        [ProgramPages("loop", "a loop", compare_pages(run_pages(jobs_of(runs))))]
    )
    assert result.verdict() == [
        "loop: dense uses the fewest pages; in 0.8 MiB dense misses the fewest, and dense waits "
        "for the disk least often"
    ]
    assert result.document()["programs"][0]["runs"]["dense"]["most_pages_in_use"] == 400
    assert len(result.tables()) == 1
    result.draw(tmp_path / "vam.svg")
    assert "prefetchable" in (tmp_path / "vam.svg").read_text()


def test_a_program_that_is_recorded_stays_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    request = Request(
        ("echo",), ("glibc",), "quick", Path("traces"), fresh=False, progress=said.append
    )
    workload = Workload("echo", "says a word", "program", ("echo", "word"), tmp_path)
    paths = {recording(request, workload, GLIBC) for _ in range(2)}
    assert said == ["recording echo under glibc"]
    (path,) = paths
    assert Trace(path).info.command[-1] == "word"
    other = Workload("echo", "says another", "program", ("echo", "other"), tmp_path)
    assert recording(request, other, GLIBC) != path
    broken = Workload("false", "fails", "program", ("false",), tmp_path)
    with pytest.raises(AbutError, match="false under glibc: recording failed"):
        recording(request, broken, GLIBC)


SIMPLE = ("recorded", "line", "random", "size", "vam")


def test_the_layouts_of_the_bench_are_simple_ones_strategies_and_heaps() -> None:
    assert set(layouts.STRATEGIES) <= set(strategy_names())
    assert set(layouts.PAPER_HEAPS) <= set(composed_heaps())
    assert set(layouts.CHOSEN) >= {*LAYOUTS, *layouts.STRATEGIES, *layouts.PAPER_HEAPS}


def test_layouts_are_held_against_the_recorded_one(tmp_path: Path) -> None:
    """Objects on pages apart: side by side they take a quarter of the lines, or less."""
    run = layouts.run_of(loop(tmp_path / "sparse", PAGE // 2), "loop", "glibc", SIMPLE)
    cycles = [average_cycles(result) for result in run.results]
    assert average_cycles(run.best) == min(cycles) < cycles[0]
    assert 0 < layouts.gain(run, run.best) < 1
    result = layouts.LayoutsResult([run])
    rows = result.document()["rows"]
    assert [row["layout"] for row in rows] == list(SIMPLE)
    assert all(row["accesses"] == 3 * OBJECTS for row in rows)
    assert result.tables()[0].row_count == len(rows)
    assert result.verdict()[0].startswith(f"loop under glibc: '{run.best.job.layout}' is best")
    result.draw(tmp_path / "layouts.svg")
    assert (tmp_path / "layouts.svg").stat().st_size > 0


def test_vams_tables_hold_all_programs(runs: list[Path]) -> None:
    comparison = compare_pages(run_pages(jobs_of(runs)))
    programs = [ProgramPages(name, "a loop", comparison) for name in ("one", "two")]
    result = vam.VamResult(programs)
    assert result.heaps == ["dense", "sparse"]
    live_pages = OBJECTS * 64 // PAGE
    assert result.mean_fragmentation()["sparse"] == pytest.approx(2 * OBJECTS // 4 / live_pages)
    fragmentation, read_ahead = result.tables()[:2]
    assert [fragmentation.row_count, read_ahead.row_count] == [2, 2]
    assert list(fragmentation.columns[-2].cells) == ["16.00", "32.00"]


def test_a_heap_may_be_missing_of_one_program(runs: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    both, dense = (
        compare_pages(run_pages(jobs_of(runs))),
        compare_pages(run_pages(jobs_of(runs[:1]))),
    )
    result = vam.VamResult(
        [ProgramPages("two", "a loop", dense), ProgramPages("one", "a loop", both)]
    )
    assert result.heaps == ["dense", "sparse"]
    assert result.fragmentation("sparse") == [None, 32.0]
    assert "sparse" not in result.mean_fragmentation()
    read_ahead = result.tables()[1]
    assert [list(column.cells)[1] for column in read_ahead.columns[1:4]] == ["-", "88%", "-"]
    runs_of_one = ProgramRuns("one", Demand(1.0, 9, 90, 50), {"lea": [1.0]}, {})
    timed = AllocatorsResult([runs_of_one], ["lea"])
    vam.VamResult(result.programs, timed).draw(tmp_path / "vam.svg")


def test_what_was_left_out_is_said_after_the_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing:
        PROGRAMS = HEAPS = ("one",)

        @staticmethod
        def measure(request: Request) -> vam.VamResult:
            request.leave_out("one recorded under abt", "recording failed")
            return vam.VamResult([])

    monkeypatch.setattr("abut.bench.find_paper", lambda _: Failing)
    for as_json in (False, True):
        with pytest.raises(Exit) as ended:
            bench.command("failing", json=as_json)
        assert ended.value.exit_code == 2
        printed = capsys.readouterr()
        assert printed.err.splitlines()[-1] == (
            "abut: one recorded under abt is left out: recording failed"
        )
    assert '"left_out"' in printed.out


def test_programs_are_recorded_at_a_size_of_their_own() -> None:
    from abut_papers.common.recordings import recorded_workloads, workloads

    def argv(recorded: str) -> list[tuple[str, ...]]:
        request = Request(("lua-tables",), (), "quick", Path(), False, print, recorded)
        return [one.argv for one in (*workloads(request), *recorded_workloads(request))]

    usual = argv("")
    assert usual[0] == usual[1]
    small = argv("small")
    assert small[0] == usual[0]
    assert small[1] != usual[0]


def test_runs_in_little_memory_are_kept_told_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    limits: list[int] = []

    def run(_: Workload, heap: Heap, limit: int, timeout_s: float) -> LimitedRun | None:
        limits.append(limit)
        little = limit < 900
        return None if little and heap.name == "abut" else LimitedRun(timeout_s, 1.0, limit)

    monkeypatch.setattr(pressure, "obstacle", lambda: None)
    monkeypatch.setattr(pressure, "run_limited", run)
    monkeypatch.setattr(pressure, "_most_resident", lambda *_: 1000.0)
    request = Request(
        ("lua-tables",), ("lea", "abut"), "small", tmp_path, fresh=False, progress=print
    )
    result = pressure.measure(request)
    assert isinstance(result, pressure.PressureResult)
    assert limits == 2 * [700, 800, 900, 1000, 1300]
    assert pressure.measure(request) == result
    assert len(limits) == 10  # what was measured is used again
    assert result.verdict() == [
        "lua-tables: in 0.0 MiB 1 of 2 heaps get through, and lea reads the fewest pages back"
    ]
    seconds, faults = result.tables()
    assert list(seconds.columns[1].cells) == ["60 s", "-"]
    assert list(faults.columns[5].cells) == ["1.30 k", "1.30 k"]
    result.draw(tmp_path / "pressure.svg")
    assert "lea" in (tmp_path / "pressure.svg").read_text()
    assert result.document()["runs"]["lua-tables"]["abut"][0] is None


def test_vams_times_and_misses_stand_beside_its_pages(runs: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    comparison = compare_pages(run_pages(jobs_of(runs)))
    caches = {"lea": Simulated([9, 4], [8, 3], 100), "vam": Simulated([8, 2], [8, 2], 90)}
    seconds = {"lea": [1.0, 1.1], "vam": [0.9, 0.8]}
    program = ProgramRuns("loop", Demand(1.0, 9, 90, 50), seconds, {}, caches)
    timed = AllocatorsResult([program], ["lea", "vam"])
    result = vam.VamResult([ProgramPages("loop", "a loop", comparison)], timed)
    assert "vam has 50% fewer L2 misses than lea (Feng and Berger: 39% fewer)" in result.verdict()
    titles = [str(table.title) for table in result.tables()]
    assert "instructions, by lea's" in titles
    assert titles[-1] == "loop: a loop"
    result.draw(tmp_path / "vam.svg")
    assert "figure 3b" in (tmp_path / "vam.svg").read_text()
    assert result.document()["runs"][0]["simulated"]["vam"]["misses"] == [8, 2]
