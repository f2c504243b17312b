"""Whether what a verb is to write can be written, before an hour's work is lost on it."""

from collections.abc import Iterable
from pathlib import Path

from abut.errors import AbutError


def check_target(
    target: Path, inputs: Iterable[Path], *, force: bool, folder: bool = False
) -> None:
    """Raise AbutError where there is something already, no folder for it, or what is to be read.

    `folder` is whether a folder is to be written.
    """
    if not target.absolute().parent.is_dir():
        raise AbutError(f"{target}: its folder is not there", fix=f"mkdir -p {target.parent}")
    if not target.exists():
        return
    if target.is_dir() != folder:
        problem = "is a folder" if target.is_dir() else "is no folder"
        raise AbutError(f"{target}: {problem}", fix="name another one")
    if not force:
        raise AbutError(f"{target}: is there already", fix="--force overwrites it")
    if any(one.exists() and one.samefile(target) for one in inputs):
        raise AbutError(f"{target}: is what is to be read", fix="name another file")
