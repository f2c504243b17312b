"""Programs that are not of C++: Rust, and code that a program generates."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abut.advice.advise import advise
from abut.simulation.presets import find_preset
from abut.simulation.report import Request
from abut.trace import Trace
from conftest import abut_environment

HERE = Path(__file__).parent


def first_culprit(program: Path, trace: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "abut", "record", "-q", "-o", str(trace), "--", str(program)],
        env=abut_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first: dict[str, Any] = advise(Request(str(trace), find_preset(str(HERE / "small.toml"))))[
        "culprits"
    ][0]
    return first


@pytest.mark.skipif(not shutil.which("rustc"), reason="no rustc: https://rustup.rs")
@pytest.mark.parametrize(("mangling", "kind"), [("v0", "Box<book::Order>"), ("legacy", "Order")])
def test_a_rust_programs_frame_type_and_fields_are_named(
    tmp_path: Path, mangling: str, kind: str
) -> None:
    program = tmp_path / "book"
    flags = ["-g", "-O", "-Z", "unstable-options", "-C", f"symbol-mangling-version={mangling}"]
    subprocess.run(
        ["rustc", *flags, "-o", program, HERE / "book.rs"],
        env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
        check=True,
    )
    if mangling == "v0" and not shutil.which("c++filt"):
        pytest.skip("no c++filt: apt install binutils")
    first = first_culprit(program, tmp_path / "book.trace")
    assert first["name"] == f"{kind} in book::Book::add, book.rs:16"
    assert first["action"]["kind"] == "split"
    assert [one["name"] for one in first["fields"]["fields"]] == ["next", "price", "note"]
    assert not any("_RN" in frame for frame in first["frames"])


def test_generated_code_has_the_name_that_the_program_gave_it(tmp_path: Path) -> None:
    program, trace = tmp_path / "generated", tmp_path / "run.trace"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "generated.c"], check=True)
    try:
        first = first_culprit(program, trace)
        assert first["name"] == "120-byte objects in Script::makeNode, script.js:3"
        os.utime(f"/tmp/perf-{Trace(trace).info.process}.map", (0, 0))
        older = advise(Request(str(trace), find_preset(str(HERE / "small.toml"))))
        assert older["culprits"][0]["name"].startswith("120-byte objects in ?+0x")
    finally:
        Path(f"/tmp/perf-{Trace(trace).info.process}.map").unlink(missing_ok=True)
