"""Programs run under the papers' allocators: what is kept, and what is said of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.heaps import Heap
from abut.measure.workload import Workload
from abut.papers import Request
from abut.trace import TraceWriter
from abut_papers.allocators import program_runs, tables
from abut_papers.allocators.figures import figures
from abut_papers.allocators.heaps import papers_library
from abut_papers.allocators.program_runs import Demand, ProgramRuns, Simulated
from abut_papers.allocators.tables import figure_table, served_tables
from abut_papers.common import recordings
from abut_papers.common.kept import fingerprint, kept

LS = Workload(name="ls", about="", kind="program", argv=("/bin/ls", "/"), folder=Path("/"))


def _request(folder: Path, *, heaps: tuple[str, ...] = ("lea",)) -> Request:
    return Request(("ls",), heaps, "quick", folder, False, lambda _: None)


def test_other_heaps_are_another_measurement(tmp_path: Path) -> None:
    for heaps in (("lea",), ("lea",), ("lea", "vam")):
        found = program_runs.runs_of(_request(tmp_path, heaps=heaps), LS)
        assert {name: len(of) for name, of in found.seconds.items()} == dict.fromkeys(heaps, 5)
        assert 0 < found.demand.most_live <= found.demand.requested
    assert len(list(tmp_path.glob("ls-rounds-*"))) == 2


def test_another_build_of_a_program_is_another_measurement(tmp_path: Path) -> None:
    program = tmp_path / "program"
    workload = replace(LS, argv=(str(program),))
    marks = set()
    for build in (b"one", b"two"):
        program.write_bytes(build)
        program.chmod(0o755)
        marks.add(fingerprint(workload, []))
    assert len(marks) == 2


def test_nothing_is_measured_that_cannot_be_kept() -> None:
    with pytest.raises(FileExistsError):
        kept(_request(Path("/dev/null")), "ls", lambda: pytest.fail("it is measured"))


def test_heaps_with_paths_in_their_names_are_recorded(tmp_path: Path) -> None:
    plan = tmp_path / "no.plan"
    plan.touch()
    request = _request(tmp_path, heaps=(f"mine={papers_library()}", f"cyll+plan={plan}"))
    made = recordings.recordings(request, LS, recordings.heaps(request))
    assert (list(made), request.left_out) == (["mine", f"cyll+plan={plan}"], {})


def test_a_heap_under_which_the_program_does_something_else_is_left_out(tmp_path: Path) -> None:
    tells = Workload("env", "prints what it was given", "program", ("/usr/bin/env",), Path("/"))
    for _ in range(2):  # measured, and kept
        request = _request(tmp_path, heaps=("glibc", "vam"))
        timed = program_runs.runs_of(request, tells)
        assert (list(timed.seconds), list(timed.resident)) == (["glibc"], ["glibc"])
        (why,) = request.left_out.items()
        assert why[0] == "env timed under vam"
        assert why[1].startswith("its standard output differs")


def test_what_a_program_asks_for_is_read_from_a_recorded_run(tmp_path: Path) -> None:
    """Two of 100 bytes are freed before a third is asked for."""
    with TraceWriter(tmp_path / "run.trace") as trace:
        for item in [trace.allocate(100, address=0x1000 * number) for number in (1, 2)]:
            trace.free(item)
        trace.allocate(10, address=0x3000)
    demand = program_runs.demand_of(tmp_path / "run.trace", 2.0)
    assert demand == Demand(2.0, allocations=3, requested=210, most_live=200)


def test_a_table_is_made_without_what_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def record(_request: Request, _workload: Workload, heap: Heap) -> Path:
        tried.append(heap.name)
        if heap.name == "vam":
            raise AbutError("recording failed")
        return tmp_path / heap.name

    monkeypatch.setattr(recordings, "recording", record)
    request = _request(tmp_path, heaps=("lea", "vam"))
    for _ in range(2):
        made = recordings.recordings(request, LS, recordings.heaps(request))
        assert made == {"lea": tmp_path / "lea"}
    assert sorted(tried) == ["lea", "lea", "vam"]  # what failed is not tried again
    assert request.left_out == {"ls recorded under vam": "recording failed"}

    def fail(_request: Request, workload: Workload, _recorded: object) -> ProgramRuns:
        raise AbutError("fails")

    monkeypatch.setattr(tables, "runs_of", fail)
    monkeypatch.setattr(tables, "workloads", lambda _: [LS])
    assert not tables.measure_served(request, ("lea",)).programs
    assert request.left_out["ls"] == "fails"


def _runs(program: str, **seconds: list[float]) -> ProgramRuns:
    named = {heap.replace("_", ":"): rounds for heap, rounds in seconds.items()}
    caches = {
        "lea": Simulated([100, 10], [60, 10], 1000),
        "vam": Simulated([80, 5], [60, 4], 0),
        "vam-header": Simulated([90, 6], [60, 4], 0),
    }
    return ProgramRuns(program, Demand(1.0, 10, 480, 200), named, {}, caches, named)


def test_figures_are_those_of_the_paper() -> None:
    programs = [_runs("one", lea=[1.0], vam=[0.5]), _runs("two", lea=[1.0], vam=[2.0])]
    shown = {figure.title: figure for figure in figures(programs, ["lea", "vam", "vam-header"])}
    assert list(shown) == [
        "time, by lea's (figure 2)",
        "L1 misses, by lea's (figure 3a)",
        "L2 misses, by lea's (figure 3b)",
        "application's L2 misses, by lea's",
        "instructions, by lea's",
        "time, by vam's (figure 5c)",
        "L1 misses, by vam's",
        "L2 misses, by vam's (figure 5a)",
        "application's L2 misses, by vam's",
    ]
    time = shown["time, by lea's (figure 2)"]
    assert list(time.heaps) == ["lea", "vam"]
    mean = time.mean(programs, "vam")
    assert mean is not None
    assert mean.value == pytest.approx(1.0)  # of a half and of twice
    assert time.mean([*programs, _runs("three", lea=[1.0])], "vam") is None  # not of some alone
    header = shown["L2 misses, by vam's (figure 5a)"].mean(programs, "vam-header")
    assert header is not None
    assert header.value == pytest.approx(6 / 5)
    assert shown["time, by vam's (figure 5c)"].mean(programs, "vam-header") is None
    row = [list(column.cells) for column in figure_table(time, programs).columns]
    assert [cells[1] for cells in row[-2:]] == ["1.00", "0.92"]


def test_both_sides_misses_are_counted_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.trace"
    with TraceWriter(path) as trace:
        item = trace.allocate(64, address=0x10000)
        trace.access(item, 0)
        trace.access(item, 8)  # of the same line
    monkeypatch.setattr(recordings, "recording", lambda *_: path)
    request = _request(tmp_path)
    first = program_runs.simulated(request, LS)
    assert first == {"lea": Simulated([1, 1], [1, 1], 0)}
    path.unlink()
    assert program_runs.simulated(request, LS) == first


def test_a_served_heap_is_divided_by_the_same_in_line() -> None:
    program = _runs("one", lea=[1.0], offload_lea=[0.5])
    by_clock, of_processors = served_tables([program], ["offload:lea"])
    for table in (by_clock, of_processors):
        (cells,) = zip(*(column.cells for column in table.columns), strict=True)
        assert cells[0] == "offload:lea"
        assert all(cell.startswith("0.50") for cell in cells[1:])
