"""Classes by their vtables, in programs without debug information."""

import subprocess
import sys
from pathlib import Path

import pytest

from abut.advice.advise import advise
from abut.simulation.presets import find_preset
from abut.simulation.report import Request
from abut.trace import Trace
from abut.trace.reader import Module
from abut.trace.symbols import Place, Symboliser
from abut.trace.vtables import Vtables
from conftest import abut_environment

HERE = Path(__file__).parent


def recorded(folder: Path, *flags: str) -> Trace:
    program, trace = folder / "orders", folder / "orders.trace"
    subprocess.run(["c++", "-s", *flags, "-o", program, HERE / "orders.cpp"], check=True)
    record = [sys.executable, "-m", "abut", "record", "-q", "-o", str(trace), "--", str(program)]
    subprocess.run(record, env=abut_environment(), check=True, capture_output=True)
    return Trace(str(trace))


def classes(run: Trace) -> set[str]:
    """Those that the program's own code makes; empty text for code that makes none."""
    symboliser, vtables = Symboliser(run.modules()), Vtables(run.modules())
    places = [place for chain in run.contexts() for place in symboliser.chain(chain)]
    return {vtables.class_made_at(one) for one in places if Path(one.module).name == "orders"}


@pytest.mark.parametrize(
    "flags",
    [["-O2"], ["-O0"], ["-O2", "-no-pie", "-fno-pie"], ["-O1", "-rdynamic"]],
    ids=" ".join,
)
def test_a_stripped_programs_classes_are_named(tmp_path: Path, flags: list[str]) -> None:
    run = recorded(tmp_path, *flags)
    assert classes(run) == {"book::Order", "book::Limit", ""}
    advice = advise(Request(str(tmp_path / "orders.trace"), find_preset(str(HERE / "small.toml"))))
    assert advice["culprits"][0]["name"].split(" in ")[0] in {"book::Order", "book::Limit"}


def test_a_program_that_was_built_again_tells_nothing(tmp_path: Path) -> None:
    run = recorded(tmp_path, "-O2", "-Wl,--build-id")
    command = ["c++", "-s", "-O0", "-Wl,--build-id", "-o", str(tmp_path / "orders")]
    subprocess.run([*command, HERE / "orders.cpp"], check=True)
    assert classes(run) == {""}


def found_in(file: Path, offset: int) -> str:
    module = Module(str(file), "", 0, 0, False)
    return Vtables([module]).class_made_at(Place(str(file), offset))


def test_code_that_stores_no_vtable_makes_no_class(tmp_path: Path) -> None:
    program = tmp_path / "generated"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "generated.c"], check=True)
    assert {found_in(program, offset) for offset in range(0x1000, 0x1400, 16)} == {""}


@pytest.mark.parametrize("cut", [0, 4, 64, 2000, 9000])
def test_a_file_that_is_cut_off_makes_no_class(tmp_path: Path, cut: int) -> None:
    program = tmp_path / "orders"
    subprocess.run(["c++", "-s", "-o", program, HERE / "orders.cpp"], check=True)
    file = tmp_path / "cut"
    file.write_bytes(program.read_bytes()[:cut])
    assert found_in(file, 0x1200) == ""
    assert found_in(tmp_path / "gone", 0x1200) == ""


NEIGHBOURS = """
#include <stdlib.h>
struct Shown { virtual ~Shown() {} };
extern "C" int plain(void **to) { *to = malloc(64); return 1; }
extern "C" int shown(Shown **to) { *to = new Shown; return 1; }
int main() { void *one; Shown *other; return plain(&one) + shown(&other); }
"""


def test_code_behind_the_function_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "neighbours.cpp").write_text(NEIGHBOURS)
    program = tmp_path / "neighbours"
    command = ["c++", "-O1", "-fno-inline", "-fno-toplevel-reorder", "neighbours.cpp", "-o"]
    subprocess.run([*command, str(program)], cwd=tmp_path, check=True)
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    starts = {line.split()[-1]: int(line[:16], 16) for line in listed.splitlines() if " T " in line}
    assert starts["plain"] < starts["shown"] < starts["plain"] + 100
    assert found_in(program, starts["shown"]) == "Shown"
    assert found_in(program, starts["plain"]) == ""
