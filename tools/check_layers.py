"""Checks that includes only ever point to what the lists of folders in src/README.md allow.

Assumes that the lists are Markdown tables of three columns, from the ground up: the folder, what it
holds, what it may use. Folders are in backquotes, and called as in an include: relative to one of
the roots. Those that users include are called by their whole path.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOTS = ("src/runtime", "src/workbench", "papers")
_PUBLIC = "include"
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


def violations(project: Path, layers: Layers) -> Iterator[Violation]:
    """What in the folders of `project` breaks the rule, in order of file and line."""
    unknown = set()
    for root in ROOTS:
        for path in sorted((project / root).rglob("*")):
            if path.suffix not in _SOURCES:
                continue
            folder = _folder_of(path, project, layers)
            if folder is not None:
                yield from _violations_in(path, project, folder, layers)
            elif path.parent not in unknown:
                unknown.add(path.parent)
                place = str(path.parent.relative_to(project))
                yield Violation(place, "a folder that src/README.md does not list")


def _violations_in(path: Path, project: Path, folder: str, layers: Layers) -> Iterator[Violation]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        target = _included(match[1] or match[2], path, project, layers)
        if target is None or target == folder or target in layers[folder]:
            continue
        may = ", ".join(sorted(layers[folder])) or "nothing"
        place = f"{path.relative_to(project)}:{number}"
        problem = f"{line.strip()}: {folder} may use {may}; {target} does not stand below it"
        yield Violation(place, problem)


def _included(include: str, path: Path, project: Path, layers: Layers) -> str | None:
    """The folder of the list that an include leads to; None if it leads out of the project."""
    for start in (path.parent, *(project / root for root in (*ROOTS, _PUBLIC))):
        found = (start / include).resolve()
        if found.is_file():
            return _folder_of(found, project, layers)
    return None


def _folder_of(path: Path, project: Path, layers: Layers) -> str | None:
    """The innermost folder of the list that a file lies in."""
    for root in (*ROOTS, _PUBLIC):
        if not path.is_relative_to((project / root).resolve()):
            continue
        start = project.resolve() if root == _PUBLIC else (project / root).resolve()
        parts = path.parent.relative_to(start).parts
        for length in range(len(parts), 0, -1):
            if (name := "/".join(parts[:length])) in layers:
                return name
    return None


def _folders(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def main() -> int:
    """Check the source tree that this file belongs to."""
    project = Path(__file__).resolve().parents[1]
    try:
        found = list(violations(project, read_layers(project / "src" / "README.md")))
    except LayerError as error:
        print(error, file=sys.stderr)
        return 1
    for violation in found:
        print(violation, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
