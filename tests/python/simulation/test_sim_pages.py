"""`abut sim --pages`, on traces that are made up."""

import json
from pathlib import Path

import pytest

from abut.reporters.pages import pages_words
from abut.simulation.pages import compare_pages, run_pages
from abut.trace import Frame, TraceWriter
from conftest import Abut
from page_traces import OBJECTS, PAGE, jobs_of, loop


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


def test_pages_of_strategies(abut: Abut, tmp_path: Path) -> None:
    """Objects of 64 bytes on a page each, which a strategy lays side by side."""
    with TraceWriter(tmp_path / "apart") as trace:
        module = trace.module("/nowhere/prog", "c0ffee", 0x1000, 0x1000)
        context = trace.context([Frame(module, 0x10)])
        for at in range(640):
            item = trace.allocate(64, address=0x100000 + PAGE * at, context=context)
            trace.access(item, 0)
    done = abut("sim", "--pages", "--json", "--layout", "recorded,usage-df", "apart")
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    pages = {name: run["most_pages_in_use"] for name, run in runs.items()}
    assert (pages["apart recorded"], pages["apart usage-df"]) == (640, 10)
    refused = abut("sim", "--pages", "--layout", "usage-dfs", "apart")
    assert refused.returncode == 2
    assert "usage-df," in refused.stderr


def test_a_damaged_trace_is_no_run(abut: Abut, runs: list[Path]) -> None:
    runs[0].write_bytes(runs[0].read_bytes()[:-100])
    refused = abut("sim", "--pages", str(runs[0]))
    assert refused.returncode == 2
    assert "record it again" in refused.stderr
