"""The papers' allocators on the command line: run, listed, compared, and as layouts."""

import subprocess
from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.preloading import preloadable
from abut.simulation.jobs import Job, simulate
from abut.simulation.presets import find_preset
from abut.trace import Frame, TraceWriter
from abut_papers.allocators.heaps import composed_heaps, papers_library
from conftest import Abut, abut_environment

NODES = 2000


HEAPS = "lea phk-sc vam vam+align=8 xalloc abt-first cartesian offload:lea offload-process:lea"


@pytest.mark.parametrize("heap", HEAPS.split())
def test_a_program_runs_under_each(abut: Abut, heap: str) -> None:
    done = abut("run", "--heap", heap, "--", "cat", "/proc/self/maps")
    assert done.returncode == 0, done.stderr
    assert "libabut_papers.so" in done.stdout


def test_every_heap_is_listed_with_its_paper(abut: Abut) -> None:
    listed = abut("heaps").stdout
    assert len(composed_heaps()) == 14
    for heap in composed_heaps().values():
        assert heap.section in heap.description
        assert f" {heap.name} " in listed
        assert heap.description.split()[0] in listed
    assert "served by a thread" in listed
    assert "served by a process" in listed


def test_an_unknown_setting_is_refused(abut: Abut) -> None:
    for heap in ("vam+align=4", "vam+x=8", "offload:nothing", "offload-process:nothing"):
        done = abut("run", "--heap", heap, "--", "true")
        assert done.returncode != 0
        assert heap in done.stderr
    assert "kingsley, offload" in done.stderr


@pytest.mark.parametrize(
    ("heap", "align", "ends", "said"),
    [
        ("offload", "4", False, "abut: ABUT_ALIGN=4: blocks are at multiples of 8 or of 16"),
        ("nothing", "8", True, "ABUT_HEAP: no heap here is called nothing"),
    ],
)
def test_a_value_that_cannot_be_is_named(heap: str, align: str, ends: bool, said: str) -> None:
    library = str(preloadable(papers_library()))
    settings = abut_environment(LD_PRELOAD=library, ABUT_HEAP=heap, ABUT_ALIGN=align)
    done = subprocess.run(["/bin/true"], env=settings, capture_output=True, text=True, check=False)
    assert (done.returncode < 0) == ends
    assert said in done.stderr


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Nodes of 48 bytes, each between two buffers; then the nodes are walked twice."""
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog"]) as out:
        context = out.context([Frame(out.module("/nowhere/prog", "", 0x1000, 0x1000), 0x10)])
        nodes = []
        for number in range(NODES):
            address = 0x10000 + 8192 * number
            nodes.append(out.allocate(48, address=address, context=context))
            out.free(out.allocate(2000, address=address + 1024, context=context))
            out.allocate(600, address=address + 64, context=context)
        for _ in range(2):
            for item in nodes:
                out.access(item, 8)
    return path


def _misses(trace: Path, layout: str) -> list[int]:
    job = Job(str(trace), find_preset("pentium4"), layout=layout, side="application")
    return [level.total_misses for level in simulate(job).levels]


def test_a_trace_is_laid_out_as_an_allocator_would(trace: Path) -> None:
    vam, lea = _misses(trace, "vam"), _misses(trace, "lea")
    # Cells of 48 bytes side by side: three lines for four nodes; Lea puts a buffer between two.
    assert vam[1] < NODES < lea[1] + 1
    assert vam == _misses(trace, "vam")  # the same in every run
    for heap in composed_heaps():
        assert _misses(trace, heap)[1] > 0
        assert _misses(trace, f"{heap}+align=8")[1] > 0

    with pytest.raises(AbutError, match="not known"):
        simulate(Job(str(trace), find_preset("pentium4"), layout="vam+align=4"))
