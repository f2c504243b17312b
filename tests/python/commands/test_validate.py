"""Outside oracles: cachegrind's counts, and lackey's stream of the same program."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from abut.errors import AbutError
from abut.heaps import GLIBC
from abut.measure.workload import Workload
from abut.reporters.validation import figures_table
from abut.simulation import times, validation
from abut.simulation.caches import WRITE, Caches
from abut.simulation.validation import Figure
from conftest import Abut

pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of C that misses caches of 48 KiB and 1 MiB."""
    folder = tmp_path_factory.mktemp("strides")
    source = folder / "strides.c"
    source.write_text(_STRIDES)
    target = folder / "strides"
    subprocess.run(["cc", "-O1", "-o", target, source], check=True)
    return target


_STRIDES = """
#include <stdlib.h>
int main(void) {
  enum { kCells = 4000000 };
  int *cells = calloc(kCells, sizeof *cells);
  unsigned at = 1;
  for (int i = 0; i < 250000; ++i) {
    at = at * 1664525u + 1013904223u;
    cells[(at >> 8) % kCells] += 1;
  }
  return cells[at % kCells] < 0;
}
"""


def test_lackeys_stream_misses_as_often_as_cachegrind_says(program: Path, tmp_path: Path) -> None:
    text = tmp_path / "lackey.txt"
    subprocess.run(
        ["valgrind", "-q", "--tool=lackey", "--trace-mem=yes", f"--log-file={text}", program],
        check=True,
    )
    rows = [
        (int(address, 16), int(size), WRITE if line[1] == "S" else 0)
        for line in text.read_text().splitlines()
        if line[:2] in (" L", " S", " M")
        for address, size in [line[3:].split(",")]
    ]
    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    caches = Caches((validation.FIRST, validation.LAST)).take(*columns)
    first, last = caches.counts()
    (counts := tmp_path / "counts").mkdir()
    theirs = validation._cachegrind([str(program)], counts)
    assert sum(caches.references) == pytest.approx(theirs["Dr"] + theirs["Dw"], rel=1e-3)
    assert first.total_misses == pytest.approx(theirs["D1mr"] + theirs["D1mw"], rel=0.01)
    assert last.total_misses == pytest.approx(theirs["DLmr"] + theirs["DLmw"], rel=0.01)
    assert first.total_misses > 200_000
    assert last.total_misses > 200_000


def test_validate_compares_a_recording_with_cachegrind(program: Path, abut: Abut) -> None:
    done = abut("validate", "--against", "cachegrind", "--json", "--", str(program))
    assert done.returncode == 0, done.stderr
    figures = {row["name"]: row for row in json.loads(done.stdout)["figures"]}
    assert list(figures) == ["instructions", "data references", "L1 misses", "LL misses"]
    # The recorder's own library is loaded with the program, which takes some thousand references.
    assert all(abs(row["difference"]) < 0.02 for row in figures.values())


def test_runs_that_differ_are_shown_as_their_mean_and_how_far_they_lie_apart() -> None:
    runs = [[Figure("L1 misses", 100, 100)], [Figure("L1 misses", 112, 110)]]
    (figure,) = validation.means(runs)
    assert (figure.simulated, figure.other) == (106, 105)
    assert figure.spread == pytest.approx(0.1)
    shown = Console(file=io.StringIO(), width=90)
    shown.print(figures_table("cachegrind", [figure]))
    assert isinstance(shown.file, io.StringIO)
    assert "10.00% apart" in shown.file.getvalue()
    shown.print(figures_table("cachegrind", runs[0]))
    assert shown.file.getvalue().count("apart") == 1, "one run says nothing of it"


@pytest.mark.parametrize("run", ["record", "times", "cachegrind"])
def test_what_a_program_says_need_not_be_utf_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    fails = tmp_path / "valgrind"
    fails.write_text("#!/bin/sh\nprintf 'caf\\351\\n' >&2; exit 1\n")
    fails.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "executable", str(fails))
    (counts := tmp_path / "counts").mkdir()
    workload = Workload("prog", "", "program", ("prog",), tmp_path)
    calls: dict[str, Callable[[], object]] = {
        "record": lambda: validation.recorded(["prog"], tmp_path / "none"),
        "times": lambda: times._record(workload, GLIBC, tmp_path / "none", 1),
        "cachegrind": lambda: validation._cachegrind(["prog"], counts),
    }
    with pytest.raises(AbutError, match=r"prog: .*: caf\ufffd"):
        calls[run]()


_TWO_PROCESSES = """#!/bin/sh
for word; do
    case $word in --cachegrind-out-file=*) out=${word#*=} ;; esac
done
echo "summary: 99 0 0 0 0 0 0 0 0" >"${out%/%p}/1001"
echo "summary: 1 0 0 0 0 0 0 0 0" >"${out%/%p}/999"
"""


def test_programs_whose_children_do_the_work_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = tmp_path / "valgrind"
    counter.write_text(_TWO_PROCESSES)
    counter.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (counts := tmp_path / "counts").mkdir()
    workload = Workload("p", "", "program", ("p",), tmp_path)
    refusal = r"^p: 99% of the instructions are of processes that it starts"
    with pytest.raises(AbutError, match=refusal):
        validation._cachegrind(["p"], counts)
    with pytest.raises(AbutError, match=refusal):
        times.recorded(workload, GLIBC, 1, tmp_path)
    validation.check_alone("p", [10, 4, 5])


def test_validate_refuses_what_it_does_not_know(abut: Abut) -> None:
    done = abut("validate", "--against", "intuition", "--", "true")
    assert done.returncode == 2
    assert "choose of time, counters, cachegrind" in done.stderr
