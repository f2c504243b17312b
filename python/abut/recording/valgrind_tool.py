"""The Valgrind tool: built against the installed Valgrind when it is first needed, and kept.

A build belongs to one version of Valgrind and one state of the sources; both are in its name.
"""

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from abut.errors import AbutError, NotHere
from abut.places import cache_folder, locked, valgrind_sources

TOOL = "abut-amd64-linux"
_OLDEST = (3, 18)
_INSTALL = "sudo apt install valgrind gcc libc6-dev"
_SHOWN_LINES = 15


def tool_folder(progress: Callable[[str], None]) -> Path:
    """The folder that VALGRIND_LIB is to name. Builds what it holds where that was not yet done.

    Raises AbutError when the tool cannot be built, and NotHere when Valgrind is missing.
    """
    version = valgrind_version()
    sources, shared = valgrind_sources()
    folder = cache_folder() / "valgrind" / f"{version}-{_fingerprint(sources, shared)}"
    if not (folder / TOOL).is_file():
        with locked(folder):
            if not (folder / TOOL).is_file():
                progress(f"building the recorder for {version}; this is done once, in {folder}")
                _build(sources, shared, folder)
    return folder


def launcher() -> str:
    """Valgrind's program itself: Debian's `valgrind` is a script, which changes the environment."""
    found = shutil.which("valgrind") or ""
    return f"{found}.bin" if Path(f"{found}.bin").is_file() else found


def valgrind_version() -> str:
    """What `valgrind --version` says, such as `valgrind-3.19.0`. Raises NotHere."""
    if platform.machine() != "x86_64":
        raise NotHere(f"the recorder is for x86-64, and this machine is {platform.machine()}")
    if shutil.which("valgrind") is None:
        raise NotHere("valgrind: not installed, and the recorder is a tool of it", fix=_INSTALL)
    said = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=False)
    version = said.stdout.strip()
    if not version.startswith("valgrind-") or _numbers(version) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise NotHere(f"valgrind: {version or 'no version'}; {oldest} or later is needed")
    return version


def _numbers(version: str) -> tuple[int, ...]:
    digits = version.removeprefix("valgrind-").split(".")[:2]
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in digits)


def _fingerprint(sources: Path, shared: Path) -> str:
    state = hashlib.sha256()
    for path in [*sorted(sources.rglob("*.[chs]*")), shared / "raw_stream.h"]:
        if path.is_file():
            state.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def _build(sources: Path, shared: Path, folder: Path) -> None:
    fresh = folder.with_suffix(f".{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    built = subprocess.run(
        ["sh", str(sources / "build.sh"), str(shared), str(fresh)],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        said = "\n".join(f"    {line}" for line in built.stderr.splitlines()[-_SHOWN_LINES:])
        raise AbutError(
            f"the recorder could not be built against the installed valgrind:\n{said}", fix=_INSTALL
        )
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
