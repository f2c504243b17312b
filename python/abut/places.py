"""Where the parts lie: in a source tree with its build folder, or inside an installed wheel."""

import fcntl
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from abut.errors import AbutError

PACKAGE = Path(__file__).resolve().parent


def source_root() -> Path | None:
    """The source tree that this package runs from; None when it was installed as a wheel."""
    root = PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() else None


def build_fix(target: str) -> str:
    """What to type to have a part that is not built; `target` is its name for CMake."""
    if root := source_root():
        return shlex.join([str(root / "tools" / "build.sh"), "release", target])
    return "pip install --force-reinstall abut"


def built(path: Path, what: str, target: str) -> Path:
    """The path of a part of abut. Raises AbutError where it is not built."""
    if not path.is_file():
        raise AbutError(f"{path}: abut's {what} is not there", fix=build_fix(target))
    return path


def library_candidate() -> Path:
    """Where libabut.so should be; whether it is there is for the caller to see."""
    if chosen := os.environ.get("ABUT_LIBRARY"):
        return Path(chosen).absolute()
    return native_folder() / "libabut.so"


def native_folder() -> Path:
    """The folder of the native Python module."""
    root = source_root()
    return root / "build" / "release" / "lib" if root else PACKAGE / "lib"


def collector_candidate() -> Path:
    """Where the collector should be, which turns what a recorder sees into a trace."""
    root = source_root()
    folder = root / "build" / "release" / "bin" if root else PACKAGE / "bin"
    return folder / "abut-collect"


def valgrind_sources() -> tuple[Path, Path]:
    """The folder of the Valgrind tool's sources, and the one of the header that it shares."""
    root = source_root()
    if root:
        return root / "valgrind", root / "src" / "workbench" / "collect"
    return PACKAGE / "valgrind", PACKAGE / "valgrind" / "shared"


@dataclass(frozen=True, slots=True)
class BenchPlaces:
    """The folders that the placeholders of a benchmark's command stand for."""

    bench: Path
    programs: Path
    cache: Path
    python: Path

    @property
    def suites(self) -> Path:
        """The folder of the suites' TOML files."""
        return self.bench / "suites"


def bench_places() -> BenchPlaces:
    """The benchmarks that belong to this package."""
    root = source_root()
    bench = root / "bench" if root else PACKAGE / "bench"
    programs = root / "build" / "release" / "bin" / "bench" if root else PACKAGE / "bench" / "bin"
    return BenchPlaces(bench, programs, cache_folder() / "bench", system_python())


def cache_folder() -> Path:
    """Where prepared inputs are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "abut"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder of the cache against another abut that makes the same."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def system_python() -> Path:
    """The interpreter that benchmarks run: the system's, so that no virtual environment's shim
    is measured in its place.
    """
    import shutil
    import sys

    system = Path("/usr/bin/python3")
    return system if system.exists() else Path(shutil.which("python3") or sys.executable)
