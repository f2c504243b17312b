"""Inputs are prepared once, again when what makes them changes, and never half."""

import dataclasses
from pathlib import Path

import pytest

from abut.errors import AbutError, NotHere
from abut.heaps import GLIBC, Heap
from abut.measure.counters import Availability
from abut.measure.inputs import workload_of
from abut.measure.measurement import Comparison, Plan
from abut.measure.session import Task, compare
from abut.measure.suites import Benchmark, Need
from abut.measure.summary import summarise
from abut.places import BenchPlaces
from abut.reporters.notes import errors, next_step, notes

MAKER = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text('made ' + sys.argv[2])"


@pytest.fixture
def places(tmp_path: Path) -> BenchPlaces:
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "make.py").write_text(MAKER)
    return BenchPlaces(bench, tmp_path / "bin", tmp_path / "cache", Path("/usr/bin/python3"))


def benchmark(**changes: object) -> Benchmark:
    plain = Benchmark(
        name="words",
        about="prints its input",
        kind="real",
        command=("cat", "{work}/in"),
        prepare=("{python}", "{bench}/make.py", "{work}/in", "{size}"),
        stdin=None,
        env={"SIZE": "{size}"},
        needs=(),
        output="compare",
        suites=("quick", "daily"),
        sizes={"quick": {"size": "10"}, "daily": {"size": "99"}},
        file=Path("own.toml"),
    )
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def test_placeholders_are_filled_in_and_the_input_is_made(places: BenchPlaces) -> None:
    workload = workload_of(benchmark(), "quick", places)
    assert workload.argv == ("cat", str(workload.folder / "in"))
    assert workload.environment == {"SIZE": "10"}
    assert (workload.folder / "in").read_text() == "made 10"
    assert workload.folder.is_relative_to(places.cache)


def test_input_is_made_once(places: BenchPlaces) -> None:
    made = workload_of(benchmark(), "quick", places).folder / "in"
    made.write_text("kept")
    assert workload_of(benchmark(), "quick", places).folder / "in" == made
    assert made.read_text() == "kept"


def test_sizes_and_changed_generators_have_inputs_of_their_own(places: BenchPlaces) -> None:
    quick = workload_of(benchmark(), "quick", places)
    daily = workload_of(benchmark(), "daily", places)
    (places.bench / "make.py").write_text(MAKER + "  # changed")
    changed = workload_of(benchmark(), "quick", places)
    assert len({quick.folder, daily.folder, changed.folder}) == 3
    assert (daily.folder / "in").read_text() == "made 99"


def test_a_module_that_the_generator_imports_is_part_of_what_its_input_is_made_of(
    places: BenchPlaces,
) -> None:
    (places.bench / "make.py").write_text(f"import words\n{MAKER}")
    folders = []
    for text in ("WORDS = 1", "WORDS = 2"):
        (places.bench / "words.py").write_text(text)
        folders.append(workload_of(benchmark(), "quick", places).folder)
    (places.bench / "another.py").write_text("")
    folders.append(workload_of(benchmark(), "quick", places).folder)
    assert folders[0] != folders[1] == folders[2]


def test_failed_preparation_is_an_error_and_is_tried_again(places: BenchPlaces) -> None:
    (places.bench / "make.py").write_text("import sys; sys.exit('no ' + 'paper')")
    for _ in range(2):
        with pytest.raises(AbutError, match="no paper") as caught:
            workload_of(benchmark(), "quick", places)
        assert not isinstance(caught.value, NotHere)


def test_missing_program_names_its_package(places: BenchPlaces) -> None:
    lacking = benchmark(needs=(Need("no-such-program", "libnothing"),))
    with pytest.raises(NotHere) as caught:
        workload_of(lacking, "quick", places)
    assert "apt install libnothing" in str(caught.value)


def test_program_that_is_not_built_is_left_out(places: BenchPlaces) -> None:
    with pytest.raises(NotHere, match="lists is not there"):
        workload_of(benchmark(command=("{bin}/lists",)), "quick", places)


def suite_of(places: BenchPlaces, benchmarks: list[Benchmark], *heaps: Heap) -> Comparison:
    def task(one: Benchmark) -> Task:
        return Task(one.name, lambda: workload_of(one, "quick", places))

    comparison = Comparison(Plan(2, 0, 1), heaps, [], Availability((), "none here"), "quick")
    compare(comparison, [task(one) for one in benchmarks], lambda program, heap: None)
    return comparison


def test_suite_goes_on_past_what_is_missing_and_what_is_broken(
    places: BenchPlaces, peer: Heap
) -> None:
    benchmarks = [
        benchmark(name="missing", needs=(Need("no-such-program", "libnothing"),)),
        benchmark(name="broken", command=("sh", "-c", "echo badly >&2; exit 9")),
        benchmark(name="sound"),
    ]
    comparison = suite_of(places, benchmarks, GLIBC, peer)
    summary = summarise(comparison)
    assert [one.measurement.workload.name for one in summary.programs] == ["sound"]
    assert summary.counted == 1
    (broken,) = errors(comparison)
    assert "broken: exits with 9 under glibc" in broken
    assert "badly" in broken
    assert any("libnothing" in note for note in notes(comparison))
    assert next_step(summary).startswith("abut compare --suite quick")


def test_means_are_over_the_programs_that_every_heap_ran(places: BenchPlaces, peer: Heap) -> None:
    benchmarks = [benchmark(name="one"), benchmark(name="two", command=("true",))]
    summary = summarise(suite_of(places, benchmarks, GLIBC, peer))
    cells = [program.cells["rss"][peer.name].to_reference for program in summary.programs]
    mean = summary.means["rss"][peer.name].to_reference
    assert summary.counted == 2
    assert mean is not None
    assert cells[0] is not None
    assert cells[1] is not None
    assert mean.value == pytest.approx((cells[0].value * cells[1].value) ** 0.5)
    assert summary.means["rss"]["glibc"].to_reference is not None
    assert summary.means["rss"]["glibc"].to_reference.value == 1
