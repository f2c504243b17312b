"""The heaps that a program can be run under: abut's, glibc's and the peers that are installed.

A heap is a library to preload; glibc's is none. Peers are found where the loader finds them.
"""

import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from abut.errors import USAGE, AbutError, unknown
from abut.library import library_path, load_library
from abut.plugins import entries, load
from abut.preloading import preloadable
from abut.settings import environment_of


@dataclass(frozen=True, slots=True)
class Heap:
    """A heap that can be used now. `library` is what to preload; None is for glibc's own.

    `environment` holds the heap's own settings, as variables; `options` are those of `abut run`
    that have an effect on it.
    """

    name: str
    about: str
    library: Path | None
    package: str
    environment: Mapping[str, str] = field(default_factory=dict)
    options: frozenset[str] = frozenset()

    @property
    def option(self) -> str:
        """For `--heap`: a library that was given by its path has no other name."""
        is_known = self.package or self.options or self.environment or not self.library
        return self.name if is_known else str(self.library)


@dataclass(frozen=True, slots=True)
class MissingHeap:
    """A heap that is known and not there, and what brings it."""

    name: str
    about: str
    package: str

    @property
    def fix(self) -> str:
        """The command that installs it."""
        return f"sudo apt install {self.package}"


class MoreHeaps(Protocol):
    """A module that another package adds as an entry point of the group `abut.heaps`."""

    @staticmethod
    def heap_names() -> list[str]:
        """The names for a list of heaps."""

    @staticmethod
    def heap_of(name: str) -> Heap | None:
        """The heap of that name, with settings if it has any; None where it is not one of these."""

    @staticmethod
    def fix() -> str:
        """What to type to have them, and what they are; empty where they are there."""


@dataclass(frozen=True, slots=True)
class _Peer:
    about: str
    package: str
    libraries: tuple[str, ...]


GLIBC = Heap("glibc", "the C library's own malloc", None, "libc6")
ABUT_ABOUT = "objects that are used together abut in memory"
_ABUT_OPTIONS = frozenset({"option", "stats", "explain", "json", "plan", "profile"})
_PEERS = {
    "jemalloc": _Peer("Jason Evans's, of FreeBSD and Meta", "libjemalloc2", ("libjemalloc.so.2",)),
    "mimalloc": _Peer(
        "Microsoft Research's", "libmimalloc2.0", ("libmimalloc.so.2", "libmimalloc.so.3")
    ),
    "tcmalloc": _Peer(
        "Google's, of gperftools",
        "libtcmalloc-minimal4",
        ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4"),
    ),
}
NAMES = ("glibc", *_PEERS, "abut")


def find_heap(name: str) -> Heap | MissingHeap:
    """The heap called `name`.

    Besides the known names, `[LABEL=]PATH`, with a slash in it, is any library that replaces
    malloc, and `abut+NAME=VALUE[+NAME=VALUE...]` is abut's heap with options set. Other packages
    add more.

    Raises AbutError for a name nobody knows, and for abut's own heap when it is not built.
    """
    base, plus, _ = name.partition("+")
    if "/" in name and not (plus and base in _with_settings()):
        return _heap_of_path(name)
    if name == "glibc":
        return GLIBC
    if base == "abut":
        return _abut(name)
    if name not in _PEERS:
        for added in more_heaps():
            if heap := added.heap_of(name):
                return heap
        raise unknown("heap", name, heap_names(), ", or give the path of a library" + not_built())
    peer = _PEERS[name]
    library = _find_library(peer.libraries)
    if library is None:
        return MissingHeap(name, peer.about, peer.package)
    return Heap(name, peer.about, library, peer.package)


def more_heaps() -> list[MoreHeaps]:
    """What other packages add."""
    return [cast("MoreHeaps", load(point)) for point in entries("abut.heaps").values()]


def not_built() -> str:
    """For the end of a message: what to type to have the heaps of other packages."""
    return "".join(f"; {fix}" for added in more_heaps() if (fix := added.fix()))


def heap_names() -> list[str]:
    """All heaps that have a name, abut's own and its peers first."""
    return [*NAMES, *(name for added in more_heaps() for name in added.heap_names())]


def _with_settings() -> list[str]:
    """Heaps whose names go on with settings, among them files; no other heap is called so."""
    return ["abut", *(name for added in more_heaps() for name in added.heap_names())]


def find_heaps(names: Iterable[str]) -> tuple[list[Heap], list[MissingHeap]]:
    """Those of `names` that are there, and those that are not."""
    found: list[Heap] = []
    missing: list[MissingHeap] = []
    for name in names:
        heap = find_heap(name)
        if isinstance(heap, MissingHeap):
            missing.append(heap)
        elif heap.name in {other.name for other in found}:
            raise AbutError(
                f"heap '{name}': two heaps are called {heap.name}",
                fix="name it once, or label one: LABEL=PATH",
                exit_code=USAGE,
            )
        else:
            found.append(heap)
    return found, missing


def require_heap(name: str) -> Heap:
    """The heap called `name`. Raises AbutError when it is not installed."""
    heap = find_heap(name)
    if isinstance(heap, MissingHeap):
        raise AbutError(f"heap '{name}': not installed", fix=heap.fix)
    return heap


def preload(heap: Heap, existing: str) -> str:
    """The value of LD_PRELOAD that puts `heap` in front of what is preloaded already."""
    if heap.library is None:
        return existing
    path = preloadable(heap.library)
    return f"{path}:{existing}" if existing else str(path)


def _abut(name: str) -> Heap:
    settings = name.split("+")[1:]
    variables = environment_of(settings, load_library().options()) if settings else {}
    return Heap(name, ABUT_ABOUT, library_path(), "", variables, _ABUT_OPTIONS)


def _heap_of_path(text: str) -> Heap:
    label, _, rest = text.partition("=")
    label, path_text = (label, rest) if re.fullmatch(r"[\w.+-]+", label) and rest else ("", text)
    path = Path(path_text).absolute()
    if not path.is_file():
        raise AbutError(f"heap '{text}': {path} is not a file", fix="give a library's path")
    if problem := _loader_says_of(path):
        fix = "give a shared library for this machine, and what it needs"
        raise AbutError(f"heap '{text}': {problem}", fix=fix)
    return Heap(label or path.name.split(".so")[0], f"the library {path}", path, "")


def _loader_says_of(path: Path) -> str:
    """Why the loader does not take a library, which programs would then run without; or nothing."""
    environment = {"LD_PRELOAD": str(preloadable(path)), "LC_ALL": "C"}
    done = subprocess.run(
        ["/bin/true"],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    said = next((line for line in done.stderr.splitlines() if "LD_PRELOAD" in line), "")
    return said.removeprefix("ERROR: ld.so: ").removesuffix(": ignored.")


def _find_library(names: Iterable[str]) -> Path | None:
    known = _loader_cache()
    triplet = f"{platform.machine()}-linux-gnu"
    folders = [f"/usr/lib/{triplet}", f"/lib/{triplet}", "/usr/local/lib", "/usr/lib64", "/usr/lib"]
    for name in names:
        for path in (known.get(name), *(Path(folder, name) for folder in folders)):
            if path is not None and path.is_file():
                return path
    return None


def _loader_cache() -> dict[str, Path]:
    """What `ldconfig -p` lists of 64-bit libraries: name to path."""
    try:
        listing = subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False
        ).stdout
    except OSError:
        return {}
    found: dict[str, Path] = {}
    for line in listing.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow and "64" in name.partition(" ")[2]:  # "name (libc6,x86-64)": the system's word
            found.setdefault(name.split(" ")[0], Path(path))
    return found
