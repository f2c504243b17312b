import shutil
import subprocess
from pathlib import Path

import pytest

from abut.elf import build_id
from abut.trace import Frame, Module, symbols
from abut.trace.symbols import Symboliser, parse_answers, read_generated

SOURCE = """\
#include <stdlib.h>
static inline void *inner(int size) { return malloc(size); }
__attribute__((noinline)) void *outer(int size) { return inner(size + 1); }
int main(void) { return outer(3) == 0; }
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program in which `outer` has `inner` inlined."""
    (tmp_path / "prog.c").write_text(SOURCE)
    path = tmp_path / "prog"
    subprocess.run(
        ["cc", "-g", "-O2", "-Wl,--build-id", "-o", path, tmp_path / "prog.c"], check=True
    )
    return path


def place_of_malloc_call(program: Path) -> int:
    listing = subprocess.run(
        ["objdump", "-d", "--disassemble=outer", program],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    call = next(line for line in listing.splitlines() if "malloc@plt" in line)
    return int(call.split(":")[0], 16)


def module_of(program: Path, build: str) -> Module:
    return Module(str(program), build, 0, 1 << 20, False)


def test_inlined_calls_are_told_innermost_first(program: Path) -> None:
    symboliser = Symboliser([module_of(program, build_id(program))])
    places = symboliser.places(Frame(1, place_of_malloc_call(program)))
    assert [place.function for place in places] == ["inner", "outer"]
    assert [place.line for place in places] == [2, 3]
    assert str(places[0]) == "inner prog.c:2"
    assert symboliser.notes == []


def test_a_module_that_changed_is_not_asked(program: Path) -> None:
    symboliser = Symboliser([module_of(program, "00ff")])
    (place,) = symboliser.places(Frame(1, 0x1234))
    assert str(place) == "prog+0x1234"
    assert "is not the file that was recorded" in symboliser.notes[0]


def test_a_name_that_is_only_the_nearest_before_is_none(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = program.parent / "stripped.c"
    source.write_text(
        '__attribute__((visibility("default"))) int known(int x) { return x + 1; }\n'
        "__attribute__((noinline)) static int hidden(int x) { return x * 3 + known(x); }\n"
        "int (*volatile entry)(int) = hidden;\n"
    )
    library = program.parent / "stripped.so"
    flags = ["-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--build-id"]
    subprocess.run(["cc", *flags, "-o", library, source], check=True)
    named = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    at = {
        line.split()[-1]: int(line.split()[0], 16)
        for line in named.splitlines()
        if " w " not in line
    }
    subprocess.run(["strip", library], check=True)
    monkeypatch.setattr(symbols, "_tool", lambda: shutil.which("addr2line"))
    symboliser = Symboliser([module_of(library, build_id(library))])
    (known,), (hidden,) = (symboliser.places(Frame(1, at[name])) for name in ("known", "hidden"))
    assert known.function == "known"
    assert str(hidden) == f"stripped.so+{at['hidden']:#x}"


def test_a_module_that_is_gone_keeps_numbers() -> None:
    symboliser = Symboliser([Module("/none/lib.so", "", 0, 0, False)])
    assert [str(place) for place in symboliser.chain([Frame(1, 0x10)])] == ["lib.so+0x10"]
    assert [str(place) for place in symboliser.chain([Frame(7, 0x10)])] == ["?+0x10"]


def test_the_build_id_is_that_which_readelf_tells(program: Path) -> None:
    if not shutil.which("readelf"):
        pytest.skip("no readelf to compare with")
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True)
    assert build_id(program) in notes.stdout
    assert len(build_id(program)) == 40


def test_files_that_are_no_elf_have_no_build_id(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ELF")
    assert build_id(tmp_path / "text") == ""
    assert build_id(tmp_path / "none") == ""


def test_answers_without_debug_symbols_keep_the_function() -> None:
    answers = parse_answers("/lib/x.so", "0x0000000000000010\nsome_function\n??:0\n")
    (place,) = answers[0x10]
    assert (place.function, place.file, place.line) == ("some_function", None, None)
    assert str(place) == "some_function"


def test_names_of_generated_code_are_those_of_the_map(tmp_path: Path) -> None:
    path = tmp_path / "perf-1.map"
    path.write_text("2000 10 JS:*add /src/book.js:3:9\n1000 20 Book::add\n3000 10 stub\n40")
    symboliser = Symboliser([], read_generated(path, 0))
    asked = {0x1000: "Book::add", 0x101F: "Book::add", 0x1020: "?+0x1020", 0x3001: "stub"}
    assert {at: str(symboliser.places(Frame(0, at))[0]) for at in asked} == asked
    assert str(symboliser.places(Frame(0, 0x2004))[0]) == "add book.js:3"
    assert str(symboliser.places(Frame(0, 0x500))[0]) == "?+0x500"
    assert read_generated(path, path.stat().st_mtime_ns + 1) == []
    assert read_generated(tmp_path / "none", 0) == []
