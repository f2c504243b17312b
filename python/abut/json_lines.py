"""Files with a JSON object a line, to which runs are added one by one as they are measured."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from abut.errors import AbutError


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The objects; none where there is no file. A line that was cut short is left out.

    Raises AbutError where it is another file.
    """
    for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
        if line and not line.startswith("{"):
            fix = "name another file; this one stays as it is"
            raise AbutError(f"{path}: is no file with a JSON object a line", fix=fix)
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def add(path: Path, entry: Mapping[str, Any]) -> None:
    """Append an object, on a line of its own even where the line before was cut short."""
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                file.write(b"\n")
        file.write(json.dumps(entry).encode() + b"\n")
