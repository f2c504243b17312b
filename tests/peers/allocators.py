"""The tests that jemalloc and mimalloc bring along, built against malloc and its kin alone.

Headers of our own stand in for theirs. redis is here, too: built with the C library's malloc
instead of its own allocator, and put to its own tests.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import children, debian
from .builds import Compiler, Recipe, build_all
from .model import NotRunError, Outcome, Prepared, Suite, Test

_INCLUDE = Path(__file__).parent / "allocators" / "include"
_TIMEOUT = 900.0
_FLAGS = ["-O1", "-g", "-w", "-fno-builtin", "-D_GNU_SOURCE", f"-I{_INCLUDE}"]
_JEMALLOC = (
    *("integration/aligned_alloc.c", "integration/malloc.c", "integration/overflow.c"),
    *("integration/posix_memalign.c", "integration/rallocx.c", "integration/sdallocx.c"),
    "integration/cpp/basic.cpp",
)
# threads, scale, rounds: as many threads as its author runs, and a few.
_STRESS = ((), ("4", "100", "20"), ("100", "10", "10"))
_REDIS_UNITS = (
    *("unit/type/string", "unit/type/list", "unit/type/hash", "unit/type/set", "unit/type/zset"),
    *("unit/type/stream", "unit/sort", "unit/scan", "unit/expire", "unit/scripting", "unit/dump"),
    *("unit/keyrepr", "unit/multi", "unit/maxmemory", "unit/bitops", "unit/hyperloglog"),
)


@dataclass(frozen=True)
class Built:
    """A test of one source, what it is built with, and what it is run with."""

    name: str
    source: str
    flags: tuple[str, ...] = ()
    arguments: Sequence[Sequence[str]] = ((),)


_MIMALLOC = (
    Built("test-api", "test-api.c"),
    Built("test-api-cpp", "test-api.c", ("-xc++", "-std=c++17")),
    Built("test-api-fill", "test-api-fill.c"),
    Built("test-stress", "test-stress.c", ("-DUSE_STD_MALLOC",), _STRESS),
    Built("test-stress-cpp", "test-stress.c", ("-xc++", "-DUSE_STD_MALLOC"), _STRESS),
    Built("main-override", "main-override.cpp", ("-std=c++17",)),
)


def _run(program: Path, arguments: Sequence[str], library: Path | None) -> Outcome:
    with children.scratch() as home:
        around = children.environment(home, library)
        done = children.run([str(program), *arguments], home, around, _TIMEOUT)
    said = [line.partition(": /")[0].strip() for line in (done.out + done.err).splitlines()]
    verdicts = [line for line in said if line.startswith("FAILED: ") or line.endswith(": pass")]
    return Outcome(done.status, "\n".join(verdicts), children.last_words(done))


def _prepare(package: str, folder: str, tests: Sequence[Built]) -> Prepared:
    tree, version = debian.source_of(package)
    name = tree.parent.name.partition("_")[0]
    build = children.BUILD / name
    ready, left_out = [], {}
    for test in tests:
        source = tree / folder / test.source
        command = "g++" if source.suffix == ".cpp" or "-xc++" in test.flags else "gcc"
        compiler = Compiler(command, [*_FLAGS, *test.flags])
        recipe = Recipe(test.name, source, build / test.name, [], ["-lpthread"])
        if problem := build_all(compiler, [recipe]):
            left_out[test.name] = f"not built: {problem[test.name]}"
            continue
        ready += [
            Test(" ".join((test.name, *one)), partial(_run, recipe.program, one))
            for one in test.arguments
        ]
    if not ready:
        raise NotRunError(f"none of the tests of {name} could be built")
    return Prepared(ready, left_out, f"{name} {version}")


def _redis_run(tree: Path, unit: str, port: int, library: Path | None) -> Outcome:
    """One unit of redis's tests, with the servers and the clients under the heap."""
    with children.scratch() as home:
        for part in ("src", "tests", "utils", "deps"):
            (home / part).symlink_to(tree / part)
        for file in tree.glob("runtest*"):
            (home / file.name).symlink_to(file)
        shutil.copytree(tree / "tests", copied := home / "own", symlinks=True)
        (home / "tests").unlink()
        copied.rename(home / "tests")
        argv = ["/bin/sh", "./runtest", "--single", unit, "--clients", "1"]
        argv += ["--baseport", str(port), "--portcount", "50", "--tags", "-needs:repl"]
        done = children.run(argv, home, children.environment(home, library), _TIMEOUT)
    lines = [line.partition(" (")[0] for line in done.out.splitlines() if line.startswith("[")]
    listed = sorted(line for line in lines if line.startswith(("[ok]", "[err]", "[exception]")))
    return Outcome(done.status, "\n".join(listed), children.last_words(done))


def _prepare_redis() -> Prepared:
    if shutil.which("tclsh") is None:
        raise NotRunError("tclsh is not installed (package tcl)")
    tree, version = debian.source_of("redis-server")
    jobs = f"-j{os.cpu_count() or 1}"
    # Debian's patches have it use libraries of the system; the copies in its tree are built here.
    argv = ["make", "-C", str(tree), jobs, "MALLOC=libc", "USE_SYSTEM_JEMALLOC=no"]
    argv += ["USE_SYSTEM_HIREDIS=no", "USE_SYSTEM_LUA=no", "OPTIMIZATION=-O1", "USE_SYSTEMD=no"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise NotRunError(f"redis could not be built: {(words or ['no reason given'])[0]}")
    tests = [
        Test(unit, partial(_redis_run, tree, unit, 21000 + 100 * number))
        for number, unit in enumerate(_REDIS_UNITS)
    ]
    return Prepared(tests, {}, f"redis {version}, MALLOC=libc")


SUITES = (
    Suite(
        "jemalloc",
        partial(
            _prepare,
            "libjemalloc2",
            "test",
            [Built(Path(source).stem, source) for source in _JEMALLOC],
        ),
    ),
    Suite("mimalloc", partial(_prepare, "libmimalloc2.0", "test", _MIMALLOC)),
    Suite("redis-libc", _prepare_redis),
)
