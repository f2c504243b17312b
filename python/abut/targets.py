"""Files that verbs write: checked before an hour's work is lost on them, and written whole or not.

What is there is replaced by a finished file. Devices and pipes are written to as they are; a link
is never followed, since it may lead anywhere.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from abut.errors import AbutError

_OPENED = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")
_ELSEWHERE = "name another file"


def check_target(
    target: Path, inputs: Iterable[Path] = (), *, force: bool, folder: bool = False
) -> None:
    """Raise AbutError where there is something already, no folder for it, or what is to be read.

    `folder` is whether a folder is to be written.
    """
    if not target.absolute().parent.is_dir():
        raise AbutError(f"{target}: its folder is not there", fix=f"mkdir -p {target.parent}")
    if not folder and _is_stream(target):
        return
    there = target if folder and target.is_dir() else target.absolute().parent
    if not os.access(there, os.W_OK):
        raise AbutError(f"{target}: nothing may be written to {there}", fix=_ELSEWHERE)
    if target.is_symlink() and not (folder and target.is_dir()):
        raise AbutError(f"{target}: is a link, to {target.readlink()}", fix=_ELSEWHERE)
    if not target.exists():
        return
    if target.is_dir() != folder:
        problem = "is a folder" if target.is_dir() else "is no folder"
        raise AbutError(f"{target}: {problem}", fix=_ELSEWHERE)
    if not force:
        raise AbutError(f"{target}: is there already", fix="--force overwrites it")
    if any(one.exists() and one.samefile(target) for one in inputs):
        raise AbutError(f"{target}: is what is to be read", fix=_ELSEWHERE)


def check_targets(*targets: Path | None, force: bool) -> None:
    """Raise AbutError as `check_target` does, and where one file is to be written twice."""
    files = [target for target in targets if target]
    for file in files:
        check_target(file, force=force)
        if files.count(file) > 1 and not _is_stream(file):
            raise AbutError(f"{file}: is to be written twice", fix=_ELSEWHERE)


def utf8(path: str | os.PathLike[str]) -> str:
    """The path as libraries take it. Raises AbutError where its name is no UTF-8."""
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        fix = "rename it, or name it by a link"
        raise AbutError(f"{name!a}: a name that is no UTF-8 is not taken", fix=fix) from None
    return name


def check_kept(target: Path, inputs: Iterable[Path] = ()) -> None:
    """Raise AbutError where nothing can be kept, to be read again and added to."""
    if _is_stream(target):
        raise AbutError(f"{target}: keeps nothing that could be read again", fix=_ELSEWHERE)
    check_target(target, inputs, force=True)


@contextmanager
def written(target: Path) -> Iterator[Path]:
    """Where to write: a file that takes the target's place when the block ends well.

    Raises AbutError where the system refuses to.
    """
    if _is_stream(target):
        yield target
        return
    unfinished = target.with_name(f".{os.getpid()}-{target.name}")  # its suffix is the target's
    try:
        yield unfinished
        if target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        check_target(target, force=True)
        unfinished.replace(target)
    except OSError as error:
        raise AbutError(f"{target}: {error.strerror}", fix=_ELSEWHERE) from error
    finally:
        unfinished.unlink(missing_ok=True)


def write(target: Path, content: str | bytes) -> int:
    """Write the file whole, or leave what is there; how many bytes."""
    with written(target) as path:
        # Of names that are no UTF-8, what cannot be written is shown in escapes, as JSON's are.
        data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
        return path.write_bytes(data)


def _is_stream(path: Path) -> bool:
    """Whether it takes what is written to it, as a terminal or a pipe does, and holds nothing.

    What the caller has opened is one, whatever it leads to.
    """
    if str(path.absolute()).startswith(_OPENED):
        return path.exists()
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISBLK(mode)
