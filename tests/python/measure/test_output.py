"""Where two outputs part is found to the byte."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abut.heaps import GLIBC
from abut.measure.output import OutputWatch, describe_exit, first_difference
from abut.measure.workload import Workload
from abut.simulation.times import _recording


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_first_difference_is_the_length_of_what_is_common(
    tmp_path_factory: pytest.TempPathFactory, one: bytes, other: bytes
) -> None:
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "one").write_bytes(one)
    (folder / "other").write_bytes(other)
    at = first_difference(folder / "one", folder / "other")
    if one == other:
        assert at is None
    else:
        assert at is not None
        assert one[:at] == other[:at]
        assert one[at : at + 1] != other[at : at + 1]


def test_difference_beyond_a_mebibyte_is_found(tmp_path: Path) -> None:
    content = bytearray(3 << 20)
    (tmp_path / "one").write_bytes(content)
    content[(2 << 20) + 7] = 1
    (tmp_path / "other").write_bytes(content)
    assert first_difference(tmp_path / "one", tmp_path / "other") == (2 << 20) + 7


def watch_of(
    tmp_path: Path, runs: list[tuple[str, int, str]], *, compare: bool = True
) -> OutputWatch:
    watch = OutputWatch(tmp_path, "glibc", compare_output=compare)
    for heap, exit_code, text in runs:
        (tmp_path / "stdout").write_text(text)
        watch.add(heap, exit_code, tmp_path / "stdout")
    return watch


def test_same_outcomes_make_no_difference(tmp_path: Path) -> None:
    assert not watch_of(tmp_path, [("glibc", 1, "a"), ("x", 1, "a"), ("x", 1, "a")]).differences()


@pytest.mark.parametrize("heap", ["abut+plan=/a/b.plan", "abut+plan=" + "é/" * 300, ".", ".."])
def test_heaps_of_any_name_are_compared(tmp_path: Path, heap: str) -> None:
    runs = [("glibc", 0, "abc"), (heap, 0, "abX"), (f"{heap}2", 0, "abc")]
    (difference,) = watch_of(tmp_path, runs).differences()
    assert (difference.heap, "byte 2" in difference.problem) == (heap, True)
    workload = Workload(heap, "", "program", (), tmp_path)
    for path in _recording(workload, dataclasses.replace(GLIBC, name=heap), tmp_path):
        path.write_bytes(b"")
        assert path.parent == tmp_path


def test_heap_that_differs_in_a_later_run_is_caught(tmp_path: Path) -> None:
    watch = watch_of(tmp_path, [("glibc", 0, "a"), ("x", 0, "a"), ("x", 0, "b")])
    (difference,) = watch.differences()
    assert "from one run to the next" in difference.problem


def test_outputs_that_are_to_be_ignored_are(tmp_path: Path) -> None:
    runs = [("glibc", 0, "a"), ("x", 0, "b"), ("y", -11, "a")]
    (difference,) = watch_of(tmp_path, runs, compare=False).differences()
    assert difference.heap == "y"
    assert "killed by SIGSEGV" in difference.problem


def test_program_that_does_not_repeat_itself_is_recognised(tmp_path: Path) -> None:
    watch = watch_of(tmp_path, [("x", 0, "a"), ("glibc", 0, "b"), ("glibc", 0, "c")])
    assert not watch.is_repeatable()
    assert not watch.differences()


def test_exits_are_described_in_words() -> None:
    assert describe_exit(3) == "exits with 3"
    assert describe_exit(-9) == "is killed by SIGKILL"
    assert describe_exit(-63) == "is killed by signal 63"
