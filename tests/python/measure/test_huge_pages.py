"""How much of a program's memory lies in pages of 2 MiB is asked while it runs."""

import mmap
import os
import sys
from pathlib import Path

import pytest

from abut.measure.huge_pages import huge_page_share
from abut.measure.spawn import Launch

_ADVISED = """
import mmap, time
with mmap.mmap(-1, 64 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
    memory.madvise(mmap.{advice})
    for at in range(0, len(memory), 4096): memory[at] = 1
    time.sleep(0.3)
"""


def share(tmp_path: Path, advice: str) -> float:
    output = tmp_path / "output"
    argv = [sys.executable, "-c", _ADVISED.format(advice=advice)]
    return huge_page_share(Launch(argv, dict(os.environ), tmp_path, output, output))


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="no such advice")
def test_what_is_advised_to_lie_there_counts(tmp_path: Path) -> None:
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not setting.is_file() or "[never]" in setting.read_text():
        pytest.skip("the kernel gives no pages of 2 MiB")
    assert share(tmp_path, "MADV_NOHUGEPAGE") < 0.05
    assert 0.7 < share(tmp_path, "MADV_HUGEPAGE") <= 1


def test_a_program_that_ends_at_once_has_none(tmp_path: Path) -> None:
    output = tmp_path / "output"
    assert huge_page_share(Launch(["/bin/true"], {}, tmp_path, output, output)) == 0
