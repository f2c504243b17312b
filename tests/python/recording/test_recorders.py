"""What several recorders do: hints, children, marks and windows."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from abut.trace import Trace
from abut.trace.reader import EventKind
from conftest import ROOT, Abut, Programs
from record_help import PROGRAMS, assert_clean, build, build_compiled, event_kinds, program_accesses

Record = Callable[..., Path]
HINTS = (EventKind.NEAR, EventKind.TOUCH)
by_each = pytest.mark.parametrize("recorder", ["valgrind", "light"])


@pytest.fixture
def record(abut: Abut, tmp_path: Path) -> Record:
    """Records a program, and answers where the trace is."""

    def run(recorder: str, program: Path, *words: str, options: str = "", code: int = 0) -> Path:
        recorded = ("record", "--recorder", recorder, "-o", "t", *options.split(), "--")
        # Without friends the library allocates nothing of its own.
        result = abut(*recorded, str(program), *words, ABUT_PLACE="off")
        assert result.returncode == code, result.stderr
        assert_clean(tmp_path / "t")
        return tmp_path / "t"

    return run


@by_each
def test_hints_are_recorded(recorder: str, record: Record, library: Path, tmp_path: Path) -> None:
    program = build("hints", tmp_path, str(library), f"-Wl,-rpath,{library.parent}")
    (events,) = Trace(record(recorder, program)).events()
    rows = zip(events.kind, events.object, events.detail, strict=True)
    hints = [(EventKind(kind), a, b) for kind, a, b in rows if kind in HINTS]
    assert hints == [(EventKind.NEAR, 2, 1), (EventKind.NEAR, 3, 2), (EventKind.TOUCH, 3, 7)]


@by_each
def test_without_following_a_child_runs_unrecorded(
    recorder: str, record: Record, programs: Programs
) -> None:
    trace = record(recorder, programs("processes"), "/bin/true", code=5)
    assert event_kinds(trace).count(EventKind.ALLOCATE) == 101
    assert list(trace.parent.glob("t.*")) == []


@by_each
def test_a_followed_child_has_a_trace_that_begins_with_what_it_inherits(
    recorder: str, record: Record, programs: Programs
) -> None:
    program = programs("processes")
    trace = record(recorder, program, "/bin/true", options="--follow-children", code=5)
    child = Path(f"{trace}.2")
    assert_clean(child)
    assert event_kinds(child)[:100] == [EventKind.ALLOCATE] * 100
    assert event_kinds(child).count(EventKind.FREE) == 100
    writes = sum(access.write and access.size == 1 for access in program_accesses(child))
    assert writes == (1000 if recorder == "valgrind" else 0)
    assert Trace(f"{trace}.3").info.command[0].endswith("/true")


def test_what_a_forked_child_does_counts_as_its_parents(record: Record, programs: Programs) -> None:
    trace = record("valgrind", programs("twins"), options="--heap glibc --follow-children")
    parent, child = (Trace(path).check().counts for path in (trace, f"{trace}.2"))
    assert child["accesses"] == pytest.approx(parent["accesses"], rel=0.01)
    assert child["without_object"] == pytest.approx(parent["without_object"], rel=0.01)


@by_each
def test_code_that_comes_where_other_code_was_is_told_from_it(
    recorder: str, abut: Abut, programs: Programs, tmp_path: Path
) -> None:
    library = build("plugin", tmp_path, "-shared", "-fPIC")
    plugins = [Path(shutil.copy(library, tmp_path / f"plugin_{n}.so")) for n in range(3)]
    words = ("record", "--recorder", recorder, "-o", "t", "--", str(programs("plugins")))
    result = abut(*words, *map(str, plugins))
    assert result.returncode == 0, result.stderr
    assert len(set(result.stdout.splitlines()[:3])) < 3, "the test is to load where it unloaded"
    trace = Trace(tmp_path / "t")
    objects, contexts, modules = trace.objects(), trace.contexts(), trace.modules()
    made = Counter(
        Path(modules[contexts[context - 1][0].module - 1].path).name
        for size, context in zip(objects["size"], objects["context"], strict=True)
        if size == 123
    )
    assert made == {plugin.name: 100 for plugin in plugins}


def built(recorder: str, name: str, folder: Path, *flags: str) -> Path:
    if recorder == "compiled":
        return build_compiled(folder, PROGRAMS / f"{name}.c", *flags)
    return build(name, folder, *flags)


@pytest.mark.parametrize(
    ("recorder", "flags", "options", "parts"),
    [
        ("valgrind", "", "", 2),
        ("valgrind", "", "--wait", 1),
        ("valgrind", "", "--from last_part", 1),
        ("valgrind", "", "--from main", 2),
        ("compiled", "", "", 2),
        ("compiled", "", "--wait", 1),
        # Where a program's addresses are fixed, too, the marks must find the recorder.
        ("compiled", "-fno-pie -no-pie", "", 2),
        ("compiled", "-fno-pie -no-pie", "--wait", 1),
    ],
)
def test_marks_and_functions_say_what_is_recorded(
    recorder: str, flags: str, options: str, parts: int, record: Record, tmp_path: Path
) -> None:
    program = built(recorder, "marks", tmp_path, f"-I{ROOT}/include", *flags.split())
    assert subprocess.run([program], check=False).returncode == 0
    trace = record(recorder, program, options=options)
    assert len(program_accesses(trace)) == parts * 1000
    assert EventKind.GAP in event_kinds(trace)


@pytest.mark.parametrize(("recorder", "window"), [("valgrind", "1k/5k"), ("compiled", "200/1k")])
def test_a_window_records_its_part_and_says_where_accesses_are_left_out(
    recorder: str, window: str, record: Record, tmp_path: Path
) -> None:
    program = built(recorder, "sequence", tmp_path)

    def accesses(options: str) -> int:
        trace = record(recorder, program, options=f"--force {options}", code=13)
        assert (EventKind.GAP in event_kinds(trace)) == bool(options)
        return len(program_accesses(trace))

    whole, part = accesses(""), accesses(f"--window {window}")
    assert whole / 20 < part < whole / 2
