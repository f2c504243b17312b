"""Other tools' text, as it is and as it should not be."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abut.errors import INTERRUPTED, AbutError
from abut.trace import Trace
from abut.trace.imports import FORMATS, Imported, import_text
from conftest import Abut, abut_environment

Row = tuple[int, int, bool, int, int]  # address, size, write, thread, code

DIN = """\
0 1000
1 0x7ffe10 a comment
2 400123
\t0\tffffffffffffffff
4 0
3 10
"""
EXTENDED_DIN = """\
r 1000 8
W 0x7ffe10 10 a comment
i 400123 3
m 20 0
c 20 40
v 20 40
"""
LACKEY = """\
==12== Lackey, an example Valgrind tool
==12==
I  0023C790,2
 S BE80199C,4
I  0025242B,3
 L BE801950,8
 M 0025747C,1
--12-- more of valgrind's
"""
DRMEMTRACE = """\
Output format:
<--record#-> <--instr#->: <---tid---> <record details>
------------------------------------------------------------
     1      0:     2765543 <marker: version 5>
     2      1:     2765543 ifetch       5 byte(s) @ 0x0000000000404a7e 48 8b 5c 24 08  mov rsp
     3      1:     2765543 read         8 byte(s) @ 0x00007fdf64e2adc8 by PC 0x0000000000404a7e
     4      2:     2765544 ifetch       2 byte(s) @ 0x0000000000404b00 89 07            mov
     5      2:     2765544 write        4 byte(s) @ 0x00007fdf64e2ad00 by PC 0x0000000000404b00
     6      2: W0.T2765543 prefetch    64 byte(s) @ 0x00007fdf64e2ad00 by PC 0x0000000000404b00
     7      3: W0.T2765543 write        1 byte(s) @ 0x10
View tool results:
              3 : total instructions
"""


def read(text: str | bytes, folder: Path, format_name: str | None = None) -> Imported:
    (folder / "text").write_bytes(text.encode() if isinstance(text, str) else text)
    return import_text(
        folder / "text", folder / "t", format_name=format_name, sites=True, overwrite=True
    )


def rows(folder: Path) -> list[Row]:
    found: list[Row] = []
    for batch in Trace(folder / "t").batches(codes=True):
        assert not batch.object.any()
        assert batch.code is not None
        addresses = batch.offset.view(np.uint64)
        columns = (addresses, batch.size, batch.write, batch.thread, batch.code)
        found += zip(*(column.tolist() for column in columns), strict=True)
    return found


def test_din_of_both_kinds(tmp_path: Path) -> None:
    counts = read(DIN, tmp_path)
    assert counts == Imported("din", lines=6, accesses=3, fetches=1, others=2)
    assert rows(tmp_path) == [
        (0x1000, 4, False, 1, 0),
        (0x7FFE10, 4, True, 1, 0),
        (0xFFFFFFFFFFFFFFFF, 4, False, 1, 0x400123),
    ]
    counts = read(EXTENDED_DIN, tmp_path)
    assert counts == Imported("din", lines=6, accesses=3, fetches=1, others=2)
    assert rows(tmp_path) == [
        (0x1000, 8, False, 1, 0),
        (0x7FFE10, 16, True, 1, 0),
        (0x20, 0, False, 1, 0x400123),
    ]


def test_lackey_modifies_by_reading_and_writing(tmp_path: Path) -> None:
    counts = read(LACKEY, tmp_path)
    assert counts == Imported("lackey", lines=8, accesses=4, fetches=2, others=0)
    assert rows(tmp_path) == [
        (0xBE80199C, 4, True, 1, 0x23C790),
        (0xBE801950, 8, False, 1, 0x25242B),
        (0x25747C, 1, False, 1, 0x25242B),
        (0x25747C, 1, True, 1, 0x25242B),
    ]


def test_drmemtrace_names_threads_and_code(tmp_path: Path) -> None:
    counts = read(DRMEMTRACE, tmp_path)
    assert counts == Imported("drmemtrace", lines=12, accesses=3, fetches=2, others=1)
    assert rows(tmp_path) == [
        (0x7FDF64E2ADC8, 8, False, 1, 0x404A7E),
        (0x7FDF64E2AD00, 4, True, 2, 0x404B00),
        (0x10, 1, True, 1, 0x404A7E),
    ]


@pytest.mark.parametrize(
    ("format_name", "text", "line", "why"),
    [
        ("din", "0 10\n0 xyz\n", 2, "no address"),
        ("din", "0 1\n\n5 10\n", 3, "label"),
        ("din", "0 10zz\n", 1, "no address"),
        ("din", "0 10000000000000000\n", 1, "64 bits"),
        ("din", "r 10\n", 1, "no size"),
        ("din", "r 10 fffffff\n", 1, "over 1 MiB"),
        ("din", "read 10 4\n", 1, "label"),
        ("lackey", "==1== x\n L 10\n", 2, "comma"),
        ("lackey", " L 10,\n", 1, "size"),
        ("lackey", " L 10,4 5\n", 1, "end with a size"),
        ("lackey", "hello from the program\n", 1, "valgrind's own"),
        ("drmemtrace", "1 0: 77 read 8 byte(s) @ nowhere\n", 1, "no address"),
        ("drmemtrace", "1 0: 77 read x byte(s) @ 0x10\n", 1, "no size"),
        ("drmemtrace", "read 8 byte(s) @ 0x10\n", 1, "no thread"),
        ("drmemtrace", "1 0: 77 read 8 byte(s) @ 0x10 by PC x\n", 1, "after 'by PC'"),
        ("drmemtrace", "something else\n", 1, "no record"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(
    format_name: str, text: str, line: int, why: str, tmp_path: Path
) -> None:
    with pytest.raises(AbutError, match=rf"text:{line}: .*{re.escape(why)}"):
        read(text, tmp_path, format_name)
    assert not (tmp_path / "t").exists()


def test_lines_without_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AbutError, match=r"text:2: it is longer than 64 KiB"):
        read("0 10\n" + "1" * (1 << 20), tmp_path, "din")


def test_long_files_are_read_piece_by_piece(tmp_path: Path) -> None:
    """Lines that lie across the pieces, and a last one without an end."""
    count = 200_000
    text = "".join(f"{at % 2} {at * 64:x}\n" for at in range(count))
    assert read(text.rstrip("\n"), tmp_path).accesses == count
    offsets = np.concatenate([batch.offset for batch in Trace(tmp_path / "t").batches()])
    assert np.array_equal(offsets, np.arange(count) * 64)


pieces = st.sampled_from(
    ["0", "1", "r", "w", " ", "\t", "\n", "I", " L ", "M", ",", "10", "0x", "ffff", "-", "==", "T1",
     "8 byte(s) @ ", "read ", "ifetch ", " by PC ", "<", "\0", "\xff", "99999999999999999999"]
)  # fmt: skip


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.lists(pieces, max_size=40).map("".join), name=st.sampled_from(FORMATS))
def test_any_text_is_read_or_refused_with_its_line(text: str, name: str, tmp_path: Path) -> None:
    error = ""
    try:
        counts = read(text, tmp_path, name)
    except AbutError as raised:
        error = raised.problem
    if error:
        assert re.search(r"text:\d+: ", error)
        assert error.isprintable()
        return
    trace = Trace(tmp_path / "t")
    assert trace.check().clean
    assert trace.info.accesses == counts.accesses


def test_export_and_import_are_inverse(abut: Abut, tmp_path: Path) -> None:
    (tmp_path / "first.din").write_text("0 1000\n1 7ffe10\n0 ffffffffff600000\n")
    done = abut("trace", "import", "-o", "t", "first.din")
    assert done.stdout.splitlines() == [
        "t: 3 accesses, from 3 lines of din",
        "left out: 0 fetches of instructions, 0 others",
        "next: abut trace head t",
    ]
    assert abut("trace", "convert", "--to", "din", "-o", "second.din", "t").returncode == 0
    assert (tmp_path / "second.din").read_text() == (tmp_path / "first.din").read_text()


def test_standard_input_is_read_where_its_format_is_named(abut: Abut, tmp_path: Path) -> None:
    done = abut("trace", "import", "--from", "lackey", "-o", "t", "-", stdin=" L 10,4\n")
    assert done.returncode == 0, done.stderr
    assert Trace(tmp_path / "t").info.accesses == 1
    os.mkfifo(tmp_path / "pipe")  # of which nothing is read where it cannot be read twice
    for path in ("-", "pipe"):
        unnamed = abut("trace", "import", "-o", "u", path, stdin=" L 10,4\n")
        assert unnamed.returncode == 2
        assert "--from" in unnamed.stderr
    assert abut("trace", "import", "--from", "pin", "-o", "u", "-").returncode == 2


def test_an_interrupt_does_not_wait_for_the_end_of_a_text(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "abut", "trace", "import", "--from", "din", "-o", "t", "-"]
    with subprocess.Popen(
        command, env=abut_environment(), cwd=tmp_path, stdin=subprocess.PIPE
    ) as running:
        while not list(tmp_path.iterdir()):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(timeout=20) == INTERRUPTED
        finally:
            running.kill()
    assert not list(tmp_path.iterdir())


def test_a_missing_an_empty_and_a_taken_file_are_named(abut: Abut, tmp_path: Path) -> None:
    assert "No such file" in abut("trace", "import", "-o", "t", "none").stderr
    (tmp_path / "empty").touch()
    assert "is empty" in abut("trace", "import", "-o", "t", "empty").stderr
    (tmp_path / "text").write_text("0 10\n")
    (tmp_path / "t").write_text("dear")
    assert "is there already" in abut("trace", "import", "-o", "t", "text").stderr
    assert (tmp_path / "t").read_text() == "dear"
