"""Files with a JSON object a line, to which runs are added one by one as they are measured."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The objects; none where there is no file. A line that was cut short is left out."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def add(path: Path, entry: Mapping[str, Any]) -> None:
    """Append an object."""
    with path.open("a") as file:
        file.write(json.dumps(entry) + "\n")
