"""`abut cc`, `abut c++` and `abut record --recorder compiled`: programs compiled for recording."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from abut.trace import Trace
from conftest import ROOT, Abut
from record_help import PROGRAMS, assert_clean, build_compiled, program_accesses

_COMPILED = ("record", "--recorder", "compiled", "--force")
_LIBRARIES = ROOT / "build" / "release" / "lib"
# What only sanitizers' own tests and reports use.
_NOT_CALLED = re.compile(
    r"__tsan_(java|get_|locate|on_|symbolize|test_?only|default)\w*|__tsan_get_current_report"
)


def _exported(library: Path) -> set[str]:
    words = ["nm", "-D", "--defined-only", str(library)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TWi] (__tsan_\w+|__wrap_\w+)$", said, re.M))


def test_both_libraries_have_all_that_compilers_call() -> None:
    ours = _exported(_LIBRARIES / "libabut_rt.so")
    assert ours == _exported(_LIBRARIES / "libabut_light.so")
    words = ["gcc", "-print-file-name=libtsan.so"]
    theirs = Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())
    if not theirs.is_file():
        pytest.skip("no libtsan to compare with")
    wanted = {name for name in _exported(theirs) if not _NOT_CALLED.match(name)}
    assert len(wanted) > 100
    assert wanted <= ours


def _own_code(path: Path, program: Path) -> Counter[tuple[int, bool]]:
    """By object and whether it writes: the accesses of blocks by the program's own code."""
    (own,) = (module for module in Trace(path).modules() if module.path == str(program))
    counts = Counter[tuple[int, bool]]()
    for access in program_accesses(path):
        if access.object != 0 and own.base <= access.code < own.base + own.length:
            counts[access.object, access.write] += 1
    return counts


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lists", ("--nodes", "2000", "--lists", "8", "--walks", "3")),
        ("tree", ("--keys", "1000", "--lookups", "2000")),
    ],
)
def test_the_programs_own_code_is_seen_as_the_full_recorder_sees_it(
    abut: Abut, tmp_path: Path, name: str, arguments: tuple[str, ...]
) -> None:
    folder = ROOT / "bench" / "programs"
    options = str(folder / "common" / "options.cpp")
    program = build_compiled(
        tmp_path, folder / f"{name}.cpp", options, "-std=c++20", f"-I{folder}", f"-I{ROOT}/include"
    )
    words = ("--sites", "--", str(program), *arguments)
    compiled = abut(*_COMPILED, "-o", "compiled.trace", *words)
    full = abut("record", "--heap", "abut", "-o", "full.trace", *words)
    assert compiled.stdout == full.stdout
    assert_clean(tmp_path / "compiled.trace")
    ours, theirs = (_own_code(tmp_path / f"{kind}.trace", program) for kind in ("compiled", "full"))
    assert ours.total() > 20_000
    # A compiler may read once what the source reads twice.
    assert not theirs - ours
    assert ours.total() <= 1.2 * theirs.total()


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_each_access_and_copy_is_there_with_its_size(
    abut: Abut, tmp_path: Path, compiler: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    source = tmp_path / "few.c"
    source.write_text(
        """#include <stdlib.h>
#include <string.h>
struct parts { char a; short b; int c; long d; };
static void keep(void *block) { __asm__ volatile("" : : "r"(block) : "memory"); }
int main(int count, char **arguments) {
  struct parts *parts = malloc(sizeof *parts);
  parts->a = 1; parts->b = 2; parts->c = 3; parts->d = count;
  keep(parts);
  char *text = malloc(100);
  memset(text, count, 100);
  char *copy = malloc(100);
  memcpy(copy, text, 50 + count);
  long *sum = calloc(1, sizeof *sum);
  for (int i = 0; i < 100; ++i) {
    keep(sum);
    ++*sum;
  }
  keep(sum);
  return parts->c + copy[0] - 4 + (arguments == 0);
}
"""
    )
    program = build_compiled(tmp_path, source, "-D_FORTIFY_SOURCE=2", compiler=compiler)
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "tsan" not in needed
    # Without friends the library allocates nothing at its start: the program's objects come first.
    result = abut(*_COMPILED, "--sites", "-o", "t", "--", str(program), ABUT_PLACE="off")
    assert result.returncode == 0, result.stderr
    assert_clean(tmp_path / "t")
    accesses = program_accesses(tmp_path / "t")
    first = [(access.offset, access.size) for access in accesses if access.object == 1]
    written = [access.write for access in accesses if access.object == 1]
    assert sorted(first[:4]) == [(0, 1), (2, 2), (4, 4), (8, 8)]
    assert written[:4] == [True] * 4
    assert [(a.object, a.size, a.write) for a in accesses if a.size >= 51] == [
        (2, 100, True),
        (2, 51, False),
        (3, 51, True),
    ]
    assert all(access.code for access in accesses if access.size <= 8)
    summed = Counter((a.size, a.write) for a in accesses if a.object == 4)
    assert summed == {(8, False): 100, (8, True): 100}


def test_atomics_do_what_they_do(abut: Abut, tmp_path: Path) -> None:
    source = PROGRAMS / "atomics.cpp"
    program = build_compiled(tmp_path, source, "-mcx16")
    plain = tmp_path / "plain"
    subprocess.run(["c++", "-mcx16", "-O1", "-o", plain, source, "-latomic"], check=True)
    expected = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
    alone = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert alone == expected
    recorded = abut(*_COMPILED, "-o", "t", "--", str(program))
    assert recorded.stdout == expected
    by_size = Counter(access.size for access in program_accesses(tmp_path / "t"))
    assert {1, 2, 4, 8, 16} <= set(by_size)
    assert len(set(by_size.values())) == 1, by_size


def test_a_place_in_the_code_may_make_accesses_of_several_kinds(abut: Abut, tmp_path: Path) -> None:
    program = build_compiled(tmp_path, PROGRAMS / "tails.c")
    result = abut(*_COMPILED, "-o", "t", "--", str(program), ABUT_PLACE="off")
    assert result.returncode == 0, result.stderr
    own = Counter((a.size, a.write) for a in program_accesses(tmp_path / "t") if a.object == 1)
    assert own == {(8, True): 500, (1, True): 500, (8, False): 500, (1, False): 500}


def test_accesses_of_two_threads_find_the_block_that_was_there(abut: Abut, tmp_path: Path) -> None:
    program = build_compiled(tmp_path, PROGRAMS / "handover.c")
    result = abut(*_COMPILED, "-o", "t", "--", str(program))
    assert result.returncode == 0, result.stderr
    assert "no block" not in result.stderr
    assert_clean(tmp_path / "t")
    each = Counter[tuple[int, bool]]()
    threads: dict[int, set[int]] = {}
    for access in program_accesses(tmp_path / "t"):
        each[access.object, access.write] += 1
        threads.setdefault(access.object, set()).add(access.thread)
    handed = [number for number, seen in threads.items() if len(seen) == 2]
    assert len(handed) >= 20_000
    assert {each[number, True] for number in handed} == {4}
    assert {each[number, False] for number in handed} == {4}


@pytest.mark.parametrize("option", [("--everything",), ("--from", "main")])
def test_what_it_cannot_do_is_refused(abut: Abut, option: tuple[str, ...]) -> None:
    result = abut(*_COMPILED, *option, "--", "true")
    assert result.returncode == 2
    assert "fix:" in result.stderr


def test_arguments_are_the_compilers(abut: Abut, tmp_path: Path) -> None:
    assert abut("cc", "--version").stdout.split()[0] in ("cc", "gcc", "Debian", "clang")
    (tmp_path / "part.c").write_text("int one(int *p) { return *p; }\n")
    assert abut("cc", "-O1", "-c", "part.c", "-o", "part.o").returncode == 0
    symbols = subprocess.run(
        ["nm", tmp_path / "part.o"], capture_output=True, text=True, check=True
    )
    assert "U __tsan_read4" in symbols.stdout
    assert abut("cc", "-c", "no.c").returncode != 0
    missing = abut("cc", "-c", "part.c", ABUT_CC="no-such-compiler")
    assert missing.returncode == 127
    assert "no such compiler" in missing.stderr
