"""Options of `abut sim` that a run has no answer to, alone and beside each other."""

from pathlib import Path

import pytest

from abut.trace import TraceWriter
from conftest import Inside


@pytest.mark.parametrize("allocator", [False, True])
def test_a_side_without_accesses_has_no_row_of_separate_caches(
    inside: Inside, tmp_path: Path, allocator: bool
) -> None:
    with TraceWriter(tmp_path / "one.trace") as out:
        out.access(0, 4096, 8, allocator=allocator)
    done = inside("sim --split allocator one.trace")
    assert done.returncode == 0, done.stderr
    table = done.stdout.partition("shared and separate")[2].partition("of what was")[0]
    separate = [line.split("│")[1:3] for line in table.splitlines() if "separate" in line]
    side = "allocator" if allocator else "application"
    assert [[cell.strip() for cell in row] for row in separate] == [["separate", side]]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--split allocator --side application", "--split: no effect"),
        ("--split allocator --layout line", "--split: no effect"),
        ("--layout recorded,line --classes", "--classes: no effect"),
        ("--layout recorded,line --optimum", "--optimum: no effect"),
        ("--machine zen4,zen5 --instructions 1000", "--instructions: no effect"),
        (f"--layout random --seed {1 << 64}", "--seed: 18446744073709551616 is no number"),
        ("--sample nan", "--sample: nan is no number"),
    ],
)
def test_what_would_have_no_effect_or_no_meaning_is_refused(
    inside: Inside, options: str, says: str
) -> None:
    done = inside(f"sim {options} one.trace")
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
