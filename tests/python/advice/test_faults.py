"""Programs with one known fault each: the first culprit, its reason and its action are right."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abut.advice.advise import advise
from abut.simulation.presets import find_preset
from abut.simulation.report import Request
from abut.trace.structs import Structures
from abut.trace.symbols import Place
from conftest import abut_environment

HERE = Path(__file__).parent
# What is recorded with so much to do: the objects are larger than the small machine's caches.
FAULTS = {
    "cold": (3000, "Wide in cold_fields", "hot and cold fields on one line", "split"),
    "interleaved": (4000, "Link in append", "interleaved with others of their kind", "order"),
    "straddling": (12000, "Forty in straddling", "straddles lines", "align"),
    "padding": (4000, "Loose in padding", "padding", "shrink"),
    "conflict": (1000, "4096-byte objects in conflict", "alignment conflict", "spread"),
    "sharing": (4000, "Counter array in false_sharing", "false sharing", "pad"),
    "temporaries": (1000, "std::string text in temporaries", "temporary allocations", "reuse"),
}


def compiled(folder: Path, name: str, *flags: str) -> Path:
    command = ["c++", "-g", "-O1", "-std=c++20", "-pthread", "-Wl,--build-id", *flags]
    subprocess.run([*command, "-o", name, HERE / "faults.cpp"], check=True, cwd=folder)
    return folder / name


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs, with debug information."""
    return compiled(tmp_path_factory.mktemp("faults"), "faults").parent


def recorded(programs: Path, name: str, count: int, program: str = "faults") -> dict[str, Any]:
    """The advice for one of them."""
    trace = programs / f"{program}-{name}.trace"
    command = ["record", "--quiet", "--force", "-o", str(trace), "--", str(programs / program)]
    done = subprocess.run(
        [sys.executable, "-m", "abut", *command, name, str(count)],
        env=abut_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return advise(Request(str(trace), find_preset(str(HERE / "small.toml"))))


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_found_and_its_remedy_named(programs: Path, name: str) -> None:
    count, culprit, reason, action = FAULTS[name]
    advice = recorded(programs, name, count)
    first = advice["culprits"][0]
    assert first["name"].startswith(f"{culprit}, faults.cpp:")
    assert (first["reason"], first["action"]["kind"]) == (reason, action)
    assert first["gain"] > 0.05
    assert first["low"] <= first["gain"] <= first["high"]
    assert advice["actions"][0] == 0
    others = [one["name"] for one in advice["culprits"][1:] if one["gain"] > first["gain"] / 4]
    assert others == []


def test_where_nothing_is_wrong_nothing_is_invented(programs: Path) -> None:
    advice = recorded(programs, "fine", 4000)
    assert advice["actions"] == []
    assert advice["bound"] < 0.02


def test_fields_are_named_and_drawn(programs: Path) -> None:
    fields = recorded(programs, "cold", 3000)["culprits"][0]["fields"]
    assert fields["name"] == "Wide"
    heat = {one["name"]: one["accesses"] for one in fields["fields"]}
    assert heat["payload"] == 0
    assert heat["key"] + heat["left"] + heat["right"] == pytest.approx(1, abs=0.01)
    assert ["left", "key"] in [sorted(one["fields"], reverse=True) for one in fields["together"]]
    assert "char payload[104];" in fields["proposed"].partition("Wide_cold")[2]


def check_without_fields(programs: Path, program: str) -> dict[str, Any]:
    first: dict[str, Any] = recorded(programs, "cold", 3000, program)["culprits"][0]
    assert first["type"] == "128-byte objects"
    assert first["action"]["kind"] == "split"
    assert [one["name"] for one in first["fields"]["fields"][:3]] == ["at_0", "at_8", "at_16"]
    return first


def test_a_stripped_programs_objects_are_named_by_their_size(programs: Path) -> None:
    subprocess.run(["strip", "-o", programs / "stripped", programs / "faults"], check=True)
    first = check_without_fields(programs, "stripped")
    assert first["function"].startswith("stripped+0x")


@pytest.mark.long
def test_without_debug_information_the_function_is_named(programs: Path) -> None:
    compiled(programs, "bare", "-g0")
    assert check_without_fields(programs, "bare")["function"] == "main"  # what is inline is unknown


# Of version 5, Valgrind 3.19 takes the number of a file for an entry, and ends at some.
SPLIT = ("-gdwarf-4", "-gsplit-dwarf")


# From version 2.44 on, binutils has it in a package of its own.
_NEEDS_DWP = pytest.mark.skipif(not shutil.which("dwp"), reason="apt install binutils-gold")


@pytest.mark.parametrize("packed", [False, pytest.param(True, marks=_NEEDS_DWP)])
def test_types_that_the_linker_left_in_other_files_are_found(tmp_path: Path, packed: bool) -> None:
    program = compiled(tmp_path, "split", *SPLIT, "-fno-inline")
    assert b"payload" not in program.read_bytes()
    if packed:
        subprocess.run(["dwp", "-e", "split", "-o", "split.dwp"], check=True, cwd=tmp_path)
        (tmp_path / "split-faults.dwo").unlink()
    first = recorded(tmp_path, "cold", 3000, "split")["culprits"][0]
    assert first["name"].startswith("Wide in cold_fields, faults.cpp:")
    assert [one["name"] for one in first["fields"]["fields"]] == ["left", "right", "key", "payload"]


@pytest.mark.skipif(not shutil.which("llvm-addr2line"), reason="apt install llvm")
def test_inlined_calls_that_stand_in_other_files_are_named(tmp_path: Path) -> None:
    compiled(tmp_path, "split", *SPLIT)
    first = recorded(tmp_path, "cold", 3000, "split")["culprits"][0]
    assert first["name"].startswith("Wide in cold_fields, faults.cpp:")


def test_a_file_of_another_compilation_is_passed_over(tmp_path: Path) -> None:
    program = compiled(tmp_path, "split", *SPLIT)
    source = tmp_path / "other.cpp"
    source.write_text("struct Other { int x[32]; } other;")
    compile_other = ["c++", *SPLIT, "-c", "-o", "split-faults.o", str(source)]
    subprocess.run(compile_other, check=True, cwd=tmp_path)
    assert check_without_fields(tmp_path, "split")["function"] == "main"
    (tmp_path / "split-faults.dwo").write_bytes(program.read_bytes()[:1000])
    assert check_without_fields(tmp_path, "split")


def test_version_5_has_them_too(tmp_path: Path) -> None:
    program = compiled(tmp_path, "split", "-gdwarf-5", "-gsplit-dwarf")
    named = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    main = next(int(line.split()[0], 16) for line in named.splitlines() if line.endswith(" main"))
    found = Structures().find(Place(str(program), main), "append", 40)
    assert found
    assert (found.name, found.sure) == ("Link", True)
    assert [(one.name, one.type) for one in found.members] == [
        ("next", "Link *"),
        ("value", "uint64_t"),
        ("others", "uint64_t[3]"),
    ]
