"""Traces from what other tools write: Dinero's din, valgrind's lackey, DynamoRIO's drmemtrace.

Such text knows of no objects, so each access stands for itself, at its address.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from abut.errors import AbutError, refused, unknown
from abut.targets import check_target, utf8, written
from abut.trace.native import failures, interruptible, native_module

FORMATS = ("din", "lackey", "drmemtrace")
STANDARD_INPUT = "-"
_BEGIN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read. Fetches of instructions and others, as flushes, are not in the trace."""

    format: str
    lines: int
    accesses: int
    fetches: int
    others: int


def import_text(
    text: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format_name: str | None = None,
    sites: bool = False,
    overwrite: bool = False,
) -> Imported:
    """Turn a text file, or standard input ("-"), into a trace at `output`.

    A format that is not named is recognised by the file's begin. With `sites`, each access keeps
    the address of its instruction, where the text has it. Raises AbutError, which names the line.
    """
    path = utf8(text)
    chosen = format_name or _format_of(path)
    if chosen not in FORMATS:
        raise unknown("--from", chosen, FORMATS)
    native, target = native_module(), Path(utf8(output))
    check_target(target, [Path(path)], force=overwrite)
    with written(target) as unfinished, failures():
        into = os.fspath(unfinished)
        counts = interruptible(native.import_text, path, chosen, into, sites, True)
    return Imported(chosen, **counts)


def _format_of(path: str) -> str:
    fix = f"say with --from which it is: {', '.join(FORMATS)}"
    if path == STANDARD_INPUT or (Path(path).exists() and not Path(path).is_file()):
        name = "standard input" if path == STANDARD_INPUT else path
        raise AbutError(f"{name}: its format cannot be seen beforehand", fix=fix)
    try:
        with Path(path).open("rb") as file:
            begin = file.read(_BEGIN_BYTES)
    except OSError as error:
        raise refused(path, error) from error
    found: str | None = native_module().text_format_of(begin)
    if found is None:
        raise AbutError(f"{path}: is empty", fix=fix)
    return found
