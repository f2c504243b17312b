"""Checks that the includes of src/ only ever point down the list of folders in src/README.md.

Assumes that the list is a Markdown table of three columns, from the ground up: the folder, what it
holds, what it may use. Folders are in backquotes; include/abut stands for the public header.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_SOURCES = {".c", ".cpp", ".h", ".hpp", ".def"}
_COLUMNS = 3
_INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


class LayerError(Exception):
    """The list itself cannot be used."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One include that breaks the rule, or one folder that the list does not know."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


Layers = Mapping[str, frozenset[str]]


def read_layers(readme: Path) -> Layers:
    """Each folder of the list, from the ground up, and the folders that it may use.

    Raises LayerError when there is no list, or a folder may use one that does not stand below it.
    """
    layers: dict[str, frozenset[str]] = {}
    for line in readme.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != _COLUMNS or not cells[0].startswith("`"):
            continue
        (folder,) = _folders(cells[0])
        uses = _folders(cells[2])
        for used in uses:
            if used not in layers:
                raise LayerError(
                    f"{readme}: {folder} may use {used}, which does not stand below it"
                )
        layers[folder] = frozenset(uses)
    if not layers:
        raise LayerError(f"{readme}: no table with the columns folder, what it holds, may use")
    return layers


def violations(source: Path, layers: Layers) -> Iterator[Violation]:
    """What in the folder `source` breaks the rule, in order of file and line."""
    for folder in sorted(path.name for path in source.iterdir() if path.is_dir()):
        if folder not in layers:
            yield Violation(f"{source.name}/{folder}", "a folder that src/README.md does not list")
            continue
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in _SOURCES:
                yield from _violations_in(path, source, folder, layers)


def _violations_in(path: Path, source: Path, folder: str, layers: Layers) -> Iterator[Violation]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        target = _folder_of(match[1] or match[2], path, source, layers)
        if target is None or target == folder or target in layers[folder]:
            continue
        may = ", ".join(sorted(layers[folder])) or "nothing"
        place = f"{path.relative_to(source.parent)}:{number}"
        problem = f"{line.strip()}: {folder} may use {may}; {target} does not stand below it"
        yield Violation(place, problem)


def _folder_of(include: str, path: Path, source: Path, layers: Layers) -> str | None:
    """The folder of the list that an include leads to; None if it leads out of the project."""
    for start in (path.parent, source, source.parent / "include"):
        found = (start / include).resolve()
        if found.is_file():
            break
    else:
        return None
    if found.is_relative_to(source.resolve()):
        return found.relative_to(source.resolve()).parts[0]
    public = found.parent.name
    return public if public in layers else None


def _folders(cell: str) -> list[str]:
    return [Path(name).name for name in re.findall(r"`([^`]+)`", cell)]


def main() -> int:
    """Check the source tree that this file belongs to."""
    source = Path(__file__).resolve().parents[1] / "src"
    try:
        found = list(violations(source, read_layers(source / "README.md")))
    except LayerError as error:
        print(error, file=sys.stderr)
        return 1
    for violation in found:
        print(violation, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
