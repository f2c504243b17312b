"""Paths that LD_PRELOAD can name: the loader splits it at spaces and colons; and names of files."""

import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path

from abut.errors import AbutError

_PARENTS = ("/tmp", "/var/tmp", "/dev/shm")
_SPLITS = re.compile(r"[\s:]")
_SHOWN = 80  # of a name, whose end is cut off
_PLAIN = re.compile(rf"[\w.+=,-]{{1,{_SHOWN}}}", re.ASCII)
_NOT_PLAIN = re.compile(r"[^\w.+=,-]", re.ASCII)


def preloadable(path: Path) -> Path:
    """The path itself, or a link to it that has nothing at which the loader splits.

    Links are kept: a program's children may be started long after.
    """
    if not _SPLITS.search(str(path)):
        return path
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    link = _links(path) / f"{digest}-{_SPLITS.sub('_', path.name)}"
    if not (link.is_symlink() and link.readlink() == path):
        fresh = link.with_name(f"{link.name}.{os.getpid()}")
        fresh.symlink_to(path)
        fresh.replace(link)
    return link


def file_name_of(name: str) -> str:
    """A name for a file of a heap's or a program's, which may hold a path, or be of any length."""
    if _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
    return f"{_NOT_PLAIN.sub('_', name)[:_SHOWN]}-{digest}"


def _links(path: Path) -> Path:
    """A folder that nobody else can write to."""
    for parent in (tempfile.gettempdir(), *_PARENTS):
        folder = Path(parent) / f"abut-{os.geteuid()}"
        if not _SPLITS.search(str(folder)) and _is_ours(folder):
            return folder
    raise AbutError(
        f"{path}: the loader splits LD_PRELOAD at spaces and colons, and this path has one",
        fix="move the library to a path without them",
    )


def _is_ours(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    is_closed = not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and is_closed
