"""Numbers that pages state, compared with what the library and its sources say now."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

import docs_data
import interface
from abut.errors import AbutError
from abut.library import HeapOption, load_library
from abut.settings import environment_of
from conftest import ROOT

PAGES = {page.relative_to(ROOT).as_posix(): page.read_text() for page in docs_data.pages()}
PAGES["src/README.md"] = (ROOT / "src" / "README.md").read_text()
_SIZE = r"(\d+) (bytes|KiB|MiB)"
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}
# Which limit a page states, and how it says it.
STATED = [
    ("docs/how/heap.md", "kSmallMax", rf"^\| small \| up to {_SIZE}"),
    ("docs/how/heap.md", "kMediumMax", rf"^\| medium \| up to {_SIZE}"),
    ("docs/how/heap.md", "kLargeMax", rf"^\| large \| up to {_SIZE}"),
    ("docs/how/heap.md", "kMediumMax", rf"every block above {_SIZE}"),
    ("src/README.md", "kSmallMax", rf"small \(up to {_SIZE}\)"),
    ("src/README.md", "kMediumMax", rf"medium \({_SIZE}\)"),
    ("src/README.md", "kLargeMax", rf"large \({_SIZE}\)"),
]
# What is set through the environment and is no option of the heap.
_OTHERS = {
    *("ABUT_CHECK", "ABUT_LIBRARY", "ABUT_HEAP", "ABUT_ALIGN", "ABUT_CC", "ABUT_CXX"),
    *("ABUT_OPTION", "ABUT_NAME"),
}


@cache
def limits() -> dict[str, int]:
    """The constants, as the compiler has them."""
    names = sorted({name for _, name, _ in STATED})
    shown = "".join(f'std::printf("%zu\\n", abut::heap::{name});' for name in names)
    program = f'#include "heap/geometry.hpp"\n#include <cstdio>\nint main() {{ {shown} }}\n'
    out = ROOT / "build" / "release" / "limits"
    command = [
        "g++",
        "-std=c++20",
        f"-I{ROOT / 'src' / 'runtime'}",
        "-x",
        "c++",
        "-",
        "-o",
        str(out),
    ]
    subprocess.run(command, input=program, text=True, check=True)
    printed = subprocess.run([str(out)], capture_output=True, text=True, check=True).stdout
    return dict(zip(names, map(int, printed.split()), strict=True))


@pytest.mark.parametrize(("page", "name", "pattern"), STATED)
def test_a_stated_limit_is_the_librarys(page: str, name: str, pattern: str) -> None:
    found = re.findall(pattern, PAGES[page], re.MULTILINE)
    assert found, f"{page} no longer states {name}: take the row out, or say it"
    assert {int(number) * _UNITS[unit] for number, unit in found} == {limits()[name]}


@cache
def options() -> dict[str, HeapOption]:
    return {option.name: option for option in load_library().options()}


@pytest.mark.parametrize("page", PAGES)
def test_options_and_values_on_a_page_are_the_librarys(page: str, library: Path) -> None:
    text = PAGES[page]
    named = set(re.findall(r"\bABUT_[A-Z][A-Z_]*[A-Z]\b", text))
    macros = set(re.findall(r"#define (ABUT_\w+)", (ROOT / "include/abut/abut.h").read_text()))
    macros.add("ABUT_CHECKED")  # of the containers
    known = {option.variable for option in options().values()} | _OTHERS | macros
    of_builds = set(re.findall(r"-D(ABUT_\w+)", text))
    assert named - known - of_builds == set()
    settings = re.findall(r"(?:ABUT_)?\b([A-Za-z_]+)=([\w-]+)", text)
    wrong = []
    for name, value in settings:
        if name.lower() in options() and options()[name.lower()].kind != "path":
            try:
                environment_of([f"{name.lower()}={value}"], options().values())
            except AbutError as error:
                wrong.append(str(error))
    shown_as_wrong = len(re.findall(r"=soon", text))
    assert len(wrong) <= shown_as_wrong, wrong


def test_a_stated_default_is_the_librarys(library: Path) -> None:
    for page, text in PAGES.items():
        for name, value in re.findall(r"`(\w+)`,? (?:by default|whose default is) (\d+)", text):
            assert options()[name].standard == value, page


def test_the_stated_instructions_are_the_counted_ones() -> None:
    golden = (ROOT / "tests" / "unit" / "golden" / "instructions.txt").read_text()
    counts = {
        call: int(n) for n, call in re.findall(r"^GNU-12\s+(\d+) (.*)$", golden, re.MULTILINE)
    }
    pair = counts["malloc(32)"] + counts["free of malloc(32)"]
    text = " ".join((ROOT / "CHANGELOG.md").read_text().split())
    assert re.findall(r"pair of `malloc` and `free` takes (\d+) instructions", text) == [str(pair)]
    resize = counts["realloc(32 to 24)"]
    assert re.findall(r"`realloc` takes (\d+) where", text) == [str(resize)]


@pytest.mark.parametrize("header", sorted((ROOT / "include" / "abut").rglob("*.h*")), ids=str)
def test_declarations_on_the_pages_are_whole(header: Path) -> None:
    """Default arguments and bodies are where declarations are easily cut."""
    code = re.sub(r"//.*", "", interface.interface(header.read_text()))
    for opening, closing in ("()", "{}", "[]"):
        assert code.count(opening) == code.count(closing)
    assert re.findall(r"^\s*(?:for|if|while|return)\b.*|^\s*\);", code, re.MULTILINE) == []


@pytest.mark.parametrize("page", PAGES)
def test_the_figures_of_a_page_are_of_one_machine(page: str) -> None:
    machines = re.findall(r"^((?:AMD|Intel)\b[^;\n]*), L1d", PAGES[page], re.MULTILINE)
    assert len(set(machines)) <= 1
