"""The program that is to run: where it is, whether a preloaded heap can reach it, becoming it.

Assumes Linux: ELF files, `#!` lines, and a loader that ignores LD_PRELOAD for privileged programs.
"""

import os
import shutil
import signal
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from abut.errors import NOT_EXECUTABLE, NOT_FOUND, AbutError

_HEAD_BYTES = 4096
_MOST_INTERPRETERS = 5
FOR_MUSL = "is built for musl"


def find_program(name: str) -> Path:
    """The file that runs as `name`, by PATH as a shell would.

    Raises AbutError with exit code 127 when there is none and 126 when it is not executable.
    """
    if found := shutil.which(name):
        return Path(found)
    if "/" not in name:
        in_path = [Path(folder, name) for folder in os.get_exec_path() if folder]
        # os.path answers False where the folder may not be read; pathlib raises.
        blocked = next((path for path in in_path if os.path.isfile(path)), None)  # noqa: PTH113
    else:
        blocked = Path(name) if os.path.lexists(name) else None
    if blocked is None:
        where = "no such file" if "/" in name else "not found in PATH"
        raise AbutError(f"{name}: {where}", fix="check the spelling", exit_code=NOT_FOUND)
    if blocked.is_dir():
        reason, fix = "it is a folder", "name a program inside it"
    elif not blocked.exists():
        raise AbutError(
            f"{name}: the link leads nowhere", fix="repair the link", exit_code=NOT_FOUND
        )
    else:
        reason, fix = "it is not executable", f"chmod +x {blocked}"
    raise AbutError(f"{blocked}: {reason}", fix=fix, exit_code=NOT_EXECUTABLE)


def preload_obstacle(path: Path) -> str | None:
    """Why a preloaded library would not serve the program at `path`; None when it would.

    Scripts are classified by the interpreter in their `#!` line.
    """
    for one in _interpreted(path):
        if privilege := _privilege(one):
            return f"{one} {privilege}, and the loader then ignores LD_PRELOAD"
        if _is_elf(one):
            return _elf_obstacle(one)
    return None


def executable_of(path: Path) -> Path | None:
    """The ELF file that runs: the program, or a script's interpreter; None where there is none."""
    return next(filter(_is_elf, _interpreted(path)), None)


def _interpreted(path: Path) -> Iterator[Path]:
    """The program, and its interpreters, each a script of the next."""
    for _ in range(_MOST_INTERPRETERS):
        yield path
        head = _head(path)
        interpreter = _interpreter(head) if head.startswith(b"#!") else None
        if interpreter is None:
            return
        path = interpreter


def _is_elf(path: Path) -> bool:
    return _head(path).startswith(b"\x7fELF")


def prepare_exec() -> None:
    """What is left to do before this process becomes another program."""
    # Python ignores these two for itself, and an ignored signal outlives exec.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    sys.stdout.flush()
    sys.stderr.flush()


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""


def _privilege(path: Path) -> str | None:
    try:
        status = path.stat()
    except OSError:
        return None
    if status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid():
        return "is set-user-ID"
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getegid():
        return "is set-group-ID"
    if os.geteuid() != 0 and _has_capabilities(path):
        return "has file capabilities"
    return None


def _has_capabilities(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def _interpreter(head: bytes) -> Path | None:
    """The program that a `#!` line names; `env NAME` is followed to NAME."""
    words = os.fsdecode(head[2:].split(b"\n")[0]).split()
    if not words:
        return None
    if Path(words[0]).name == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        found = shutil.which(names[0]) if names else None
        return Path(found) if found else None
    return Path(words[0])


def _elf_obstacle(path: Path) -> str | None:
    from abut.elf import read_elf

    elf = read_elf(path)
    if elf is None:
        return None
    if elf.bits != 64:  # noqa: PLR2004
        return f"{path} is a 32-bit program, and the library is a 64-bit one"
    if elf.loader is None:
        return f"{path} is statically linked, so it loads no library at all"
    if "ld-musl" in elf.loader:
        return f"{path} {FOR_MUSL}, and the library for glibc"
    return None
