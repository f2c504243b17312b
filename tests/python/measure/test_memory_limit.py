import sys
from pathlib import Path

import pytest

from abut.heaps import GLIBC
from abut.measure.memory_limit import obstacle, run_limited
from abut.measure.workload import Workload


def test_memory_is_limited_where_the_machine_allows_it() -> None:
    workload = Workload(
        name="eater",
        about="",
        kind="program",
        argv=(sys.executable, "-c", "b = bytearray(b'x') * (96 << 20)"),
        folder=Path("/"),
    )
    try:
        enough = run_limited(workload, GLIBC, 256 << 20, 60)
    except OSError:
        pytest.skip("no control group may be written")
    assert enough is not None
    scarce = run_limited(workload, GLIBC, 48 << 20, 60)
    if obstacle() is not None:  # what does not fit has no swap to go to
        assert scarce is None
    else:
        assert scarce is None or scarce.major_faults >= enough.major_faults
