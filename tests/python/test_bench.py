"""`abut bench` and `abut sim --pages`, on traces that are made up."""

import json
from pathlib import Path

import pytest

from abut.analysis.pages import compare_pages, run_pages
from abut.analysis.simulation import LAYOUTS, average_cycles
from abut.composed import composed_heaps
from abut.errors import AbutError
from abut.heaps import GLIBC
from abut.measure.workload import Workload
from abut.papers import layouts, vam
from abut.papers.paper import Request, find_paper, papers
from abut.papers.recordings import recording
from abut.reporters.pages import pages_words
from abut.strategies import strategy_names
from abut.trace import Trace, TraceWriter
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


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A dense one, of 400 pages, and a sparse one, of 800."""
    return [loop(tmp_path / "dense", PAGE // 4), loop(tmp_path / "sparse", PAGE // 2)]


def test_all_runs_are_put_to_shares_of_the_fewest_pages(runs: list[Path]) -> None:
    comparison = compare_pages(run_pages(runs))
    assert comparison.memories == [100, 200, 300]
    assert comparison.reports["sparse"].use.most_pages_in_use == 800
    middle = comparison.reports["sparse"].prefetch[1]
    assert (middle.memory_pages, middle.misses) == (200, 2 * 800)


def test_runs_are_told_apart_by_file_and_layout(runs: list[Path]) -> None:
    named = run_pages(runs, ["recorded", "size"])
    assert list(named) == ["dense recorded", "dense size", "sparse recorded", "sparse size"]
    packed = {name: pages.use.most_pages_in_use for name, pages in named.items()}
    assert packed["dense size"] == packed["sparse size"] == -(-OBJECTS * 64 // PAGE)


def test_words_say_what_the_figures_say(runs: list[Path]) -> None:
    words = pages_words("sparse", compare_pages(run_pages(runs)))
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


def test_a_damaged_trace_is_no_run(abut: Abut, runs: list[Path]) -> None:
    runs[0].write_bytes(runs[0].read_bytes()[:-100])
    refused = abut("sim", "--pages", str(runs[0]))
    assert refused.returncode == 1
    assert "record it anew" in refused.stderr


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
    from abut.places import bench_places
    from abut.suites import choose, load_benchmarks

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
    result = vam.VamResult([vam.ProgramPages("loop", "a loop", compare_pages(run_pages(runs)))])
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
    request = Request(("echo",), ("glibc",), "quick", Path("traces"), fresh=False, tell=said.append)
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
