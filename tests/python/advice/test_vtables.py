"""Classes by their vtables, in programs without debug information."""

import subprocess
import sys
from pathlib import Path

import pytest

from abut.advice.advise import advise
from abut.simulation.presets import find_preset
from abut.simulation.report import Request
from abut.trace import Trace
from abut.trace.symbols import Place, Symboliser
from abut.trace.vtables import class_made_at
from conftest import abut_environment

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "flags",
    [["-O2"], ["-O0"], ["-O2", "-no-pie", "-fno-pie"], ["-O1", "-rdynamic"]],
    ids=" ".join,
)
def test_a_stripped_programs_classes_are_named(tmp_path: Path, flags: list[str]) -> None:
    program, trace = tmp_path / "orders", tmp_path / "orders.trace"
    subprocess.run(["c++", "-s", *flags, "-o", program, HERE / "orders.cpp"], check=True)
    record = [sys.executable, "-m", "abut", "record", "-q", "-o", str(trace), "--", str(program)]
    subprocess.run(record, env=abut_environment(), check=True, capture_output=True)
    run = Trace(str(trace))
    symboliser = Symboliser(run.modules())
    places = [place for chain in run.contexts() for place in symboliser.chain(chain)]
    made = {class_made_at(place) for place in places if place.module == str(program)}
    assert made == {"book::Order", "book::Limit", ""}
    advice = advise(Request(str(trace), find_preset(str(HERE / "small.toml"))))
    assert advice["culprits"][0]["name"].startswith("book::Limit in ")


def test_code_that_stores_no_vtable_makes_no_class(tmp_path: Path) -> None:
    program = tmp_path / "generated"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "generated.c"], check=True)
    for offset in range(0x1000, 0x1400, 16):
        assert class_made_at(Place(str(program), offset)) == ""


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"#!/bin/sh\n"])
def test_what_is_no_program_makes_no_class(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    assert class_made_at(Place(str(file), 0)) == ""
    assert class_made_at(Place(str(tmp_path / "gone"), 0)) == ""
