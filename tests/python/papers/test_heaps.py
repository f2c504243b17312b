"""The papers' allocators on the command line: run, listed and refused."""

import subprocess

import pytest

from abut.errors import USAGE
from abut.preloading import preloadable
from abut_papers.allocators.heaps import composed_heaps, papers_library
from conftest import Abut, abut_environment

HEAPS = "lea phk-sc vam vam+align=8 xalloc abt-first cartesian offload:lea"


@pytest.mark.parametrize("heap", HEAPS.split())
def test_a_program_runs_under_each(abut: Abut, heap: str) -> None:
    done = abut("run", "--heap", heap, "--", "cat", "/proc/self/maps")
    assert done.returncode == 0, done.stderr
    assert "libabut_papers.so" in done.stdout


def test_every_heap_is_listed_with_its_paper(abut: Abut) -> None:
    listed = abut("heaps").stdout
    assert len(composed_heaps()) == 13
    for name, description in composed_heaps().items():
        assert f" {name} " in listed
        assert description.split()[0] in listed
    assert "served by a process" in listed
    assert "a plan's slots, and glibc's heap" in listed


def test_an_unknown_setting_is_refused(abut: Abut) -> None:
    for heap in ("vam+align=4", "vam+x=8", "offload:", "offload:nothing"):
        done = abut("run", "--heap", heap, "--", "true")
        assert done.returncode == USAGE
        assert heap in done.stderr
    assert "cartesian" in done.stderr


def test_a_heap_that_there_is_not_ends_the_program(abut: Abut) -> None:
    library = str(preloadable(papers_library()))
    settings = abut_environment(LD_PRELOAD=library, ABUT_HEAP="nothing")
    done = subprocess.run(["/bin/true"], env=settings, capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert "ABUT_HEAP: no heap here is called nothing" in done.stderr
    assert "cartesian" in abut("heaps", ABUT_HEAP="nothing").stdout
