"""Every figure and table of the papers is a row, and what they name there is."""

from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.heaps import GLIBC, find_heap
from abut.measure.suites import choose, load_benchmarks
from abut.measure.workload import Workload
from abut.papers import Request, find_paper, papers, rows_of
from abut.places import bench_places
from abut_papers.common.recordings import recording
from conftest import ROOT

PAPERS = ("adcock", "cyll", "dpa", "rezaei", "vam")
OWN = ("adcock", "cyll")  # whose programs are their own
# Of each, what its tables and figures are.
NUMBERED = {
    "adcock": [
        f"figure {chapter}.{number}"
        for chapter, count in ((3, 10), (4, 7), (5, 3), (6, 6), (7, 37))
        for number in range(1, count + 1)
    ],
    "cyll": [
        "figure 3.1",
        *(f"figure 4.{number}" for number in range(1, 4)),
        *(f"figure 5.{number}" for number in range(1, 9)),
        *(f"table 5.{number}" for number in range(1, 15)),
    ],
    "dpa": [
        *(f"figure {number}" for number in range(1, 15)),
        *(f"table {number}" for number in range(1, 5)),
    ],
    "rezaei": ["table 1", *(f"figure {number}" for number in range(1, 6))],
    "vam": ["table 1", "table 2", *(f"figure {number}" for number in range(1, 10))],
}


def named(place: str) -> list[str]:
    """The tables and figures that a row's place names: "figures 5.1 to 5.3" are three."""
    kind, _, numbers = place.partition(" ")
    if kind.rstrip("s") not in ("figure", "table"):
        return []
    found = []
    for part in numbers.replace(" and ", ", ").split(", "):
        first, _, last = part.partition(" to ")
        chapter, dot, number = first.rpartition(".")
        end = int((last or first).rpartition(".")[2])
        found += [f"{chapter}{dot}{one}" for one in range(int(number), end + 1)]
    return [f"{kind.rstrip('s')} {one}" for one in found]


@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_and_table_is_a_row(name: str) -> None:
    rows = rows_of(find_paper(name))
    assert sorted(one for row in rows for one in named(row.place)) == sorted(NUMBERED[name])
    for row in rows:
        assert bool(row.command) != bool(row.because), row
        words = row.command.split()
        if words[:2] == ["abut", "paper"]:
            assert words[2] == name
            given = dict(zip(words[3::2], words[4::2], strict=True))
            programs = given.get("--programs", "").split(",")
            assert {*programs} - {""} <= set(find_paper(name).PROGRAMS), row
        elif words[:2] == ["ctest", "-R"]:
            assert words[2] in (ROOT / "tests/unit/CMakeLists.txt").read_text()


def test_a_paper_names_programs_and_heaps_that_there_are() -> None:
    declared = load_benchmarks(bench_places().suites)
    for name in papers():
        one = find_paper(name)
        for heap in (*one.HEAPS, *one.QUICK.get("heaps", ())):
            assert find_heap(heap).name == heap
        assert set(one.QUICK["programs"]) <= set(one.PROGRAMS)
        if name not in OWN:
            assert choose(declared, "quick", one.PROGRAMS)
            assert choose(declared, "tiny", one.QUICK["programs"])


def test_a_program_that_cannot_be_recorded_is_named(tmp_path: Path) -> None:
    request = Request(("false",), ("glibc",), "quick", tmp_path, False, print)
    broken = Workload("false", "fails", "program", ("false",), tmp_path)
    with pytest.raises(AbutError, match="false under glibc: recording failed"):
        recording(request, broken, GLIBC)
