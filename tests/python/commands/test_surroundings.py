"""Programs under limits, and programs that a preloaded heap does not reach."""

import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from abut.measure.memory_limit import limited
from abut.preloading import preloadable
from conftest import Abut

# Has what MAP_32BIT gives, a GiB, to itself, as compilers at run time and old interpreters want it.
LOW = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(void) {
  int mapped = 0;
  for (int i = 0; i < 300; ++i) {
    void *low = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_NORESERVE, -1, 0);
    if (low == MAP_FAILED || malloc(100000) == NULL) break;
    *(char *)low = 1;
    ++mapped;
  }
  int below = 0;
  for (int i = 0; i < 1000; ++i) below += (unsigned long)malloc(4000) >> 31 == 0;
  printf("%d %d\\n", mapped >= 150, below);
  return 0;
}
"""
# Thirty MiB of blocks of one size after the other: all are freed before the next size.
WAVES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *taken[1 << 20];
int main(void) {
  static const int sizes[] = {32, 256, 4000, 30000, 300000, 3000000};
  for (int round = 0; round < 24; ++round) {
    const int size = sizes[round % 6], count = (30 << 20) / (size + 16);
    for (int i = 0; i < count; ++i) memset(taken[i] = malloc(size), 1, size);
    for (int i = 0; i < count; ++i) free(taken[i]);
  }
  puts("done");
  return 0;
}
"""
# Takes all the memory that there is in blocks of one size, frees it, and takes as much again.
RETAKER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *taken[1 << 20];
static int take(int size, int most) {
  int count = 0;
  while (count < most && (taken[count] = malloc(size)) != NULL) memset(taken[count++], 1, size);
  return count;
}
int main(int argc, char **argv) {
  const int size = atoi(argv[1]), most = take(size, 1 << 20);
  for (int i = 0; i < most; ++i) free(taken[i]);
  printf("%d %d\\n", most > 200 && most < 1 << 20, take(size, most) > most - most / 8);
  return 0;
}
"""
Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def run(source: str, *options: str, compiler: str = "cc") -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        (tmp_path / "program.c").write_text(source)
        program = tmp_path / "program"
        command = [compiler, "-O1", "-fno-builtin", *options, "program.c", "-o", str(program)]
        subprocess.run(command, cwd=tmp_path, check=True)
        return program

    return run


def said(
    program: Path,
    library: Path,
    limit: int | None = None,
    size: int = 0,
    group: str = "",
    arguments: tuple[str, ...] = (),
) -> str:
    def narrow() -> None:
        if group:
            Path(group).write_text(str(os.getpid()))
        if limit is not None:
            resource.setrlimit(limit, (size, size))

    done = subprocess.run(
        [str(program), *arguments],
        env={**os.environ, "LD_PRELOAD": str(preloadable(library))}, preexec_fn=narrow,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("limit", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_a_limit_ends_in_null_and_what_is_freed_serves_again(
    limit: int, build: Build, library: Path
) -> None:
    assert said(build(RETAKER), library, limit, 256 << 20, arguments=("1000",)) == "1 1\n"


@pytest.mark.parametrize("size", [24, 3000, 20_000, 200_000])
def test_what_is_held_back_serves_again_before_malloc_fails(
    size: int, build: Build, library: Path
) -> None:
    checked = library.with_name("libabut_checked.so")
    program, limit = build(RETAKER), resource.RLIMIT_AS
    assert said(program, checked, limit, 96 << 20, arguments=(str(size),)) == "1 1\n"


@pytest.mark.skipif(
    Path("/proc/sys/vm/overcommit_memory").read_text().strip() != "2",
    reason="the kernel overcommits: sysctl vm.overcommit_memory=2",
)
def test_a_kernel_that_does_not_overcommit_is_no_obstacle(build: Build, library: Path) -> None:
    program, limit = build(RETAKER), resource.RLIMIT_AS
    assert said(program, library, limit, 256 << 20, arguments=("1000",)) == "1 1\n"


def test_little_is_committed_that_is_not_used(library: Path) -> None:
    # A kernel that does not overcommit counts all that could be written to.
    kib = said(Path("/bin/grep"), library, arguments=("VmData", "/proc/self/status")).split()[1]
    assert int(kib) < 16 << 10


def test_freed_memory_is_not_counted_against_a_control_group(build: Build, library: Path) -> None:
    program = build(WAVES)
    try:
        with limited(64 << 20) as group:
            assert said(program, library, group=str(group)) == "done\n"
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")


def test_a_program_has_the_lowest_two_gibibytes(build: Build, library: Path) -> None:
    assert said(build(LOW), library) == "1 0\n"


HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 7; }\n'


@pytest.mark.parametrize(
    ("compiler", "options", "why"),
    [
        ("cc", ["-static"], "is statically linked"),
        ("musl-gcc", [], "is built for musl"),
        ("musl-gcc", ["-static"], "is statically linked"),
    ],
)
def test_a_program_that_cannot_be_reached_runs_with_one_clear_line(
    compiler: str, options: list[str], why: str, build: Build, abut: Abut
) -> None:
    program = build(HELLO, *options, compiler=compiler)
    done = abut("run", "--", str(program))
    assert (done.returncode, done.stdout) == (7, "hello\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("abut: warning: abut's heap has no effect: ")
    assert why in line


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make one of another user's")
def test_a_privileged_program_is_named_as_one(build: Build, abut: Abut) -> None:
    program = build(HELLO)
    os.chown(program, 1, 1)
    program.chmod(0o4755)
    done = abut("run", "--", str(program))
    assert (done.returncode, done.stdout) == (7, "hello\n")
    assert "is set-user-ID, and the loader then ignores LD_PRELOAD" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make one of another user's")
@pytest.mark.parametrize(
    ("name", "setting", "complaint"),
    [("libabut.so", "ABUT_PLACE", "ABUT_PLACE"), ("libabut_checked.so", "ABUT_CHECK", "tail")],
)
def test_a_privileged_program_does_not_heed_its_callers_settings(
    name: str, setting: str, complaint: str, build: Build, library: Path
) -> None:
    linked = library.with_name(name)
    program = build(HELLO, f"-Wl,--no-as-needed,-rpath,{linked.parent}", str(linked))
    environment = {**os.environ, setting: "nonsense"}

    def complaints() -> str:
        done = subprocess.run([program], env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (7, b"hello\n")
        return done.stderr.decode()

    assert complaint in complaints()
    os.chown(program, 0, 1)
    program.chmod(0o2755)  # set-group-ID: as root it still reaches the library
    assert complaints() == ""


@pytest.mark.parametrize("variable", ["ABUT_STATS", "ABUT_EXPLAIN_FILE"])
def test_a_full_disk_is_not_silent(variable: str, library: Path) -> None:
    done = subprocess.run(
        ["/bin/true"], env={"LD_PRELOAD": str(preloadable(library)), variable: "/dev/full"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == (
        f"abut: {variable}=/dev/full: not all of it could be written; is there room on the disk?\n"
    )
