"""Checks that no folder has too many files, and no source file too many lines."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_FILES, MOST_LINES = 25, 400
_SOURCES = {".c", ".cmake", ".cpp", ".css", ".def", ".h", ".hpp", ".html", ".js", ".py", ".sh"}
# Folders that are still to be split. The list only ever becomes shorter: a folder that has come
# below the limit is an error here, too.
LARGE_FOLDERS = frozenset(
    {
        "src/runtime/api",
        "src/runtime/heap",
    }
)


def violations(
    root: Path, files: Iterable[str], exceptions: frozenset[str] = LARGE_FOLDERS
) -> Iterator[str]:
    """What is too large among `files`, which are relative to `root`."""
    paths = [Path(name) for name in files]
    counts = Counter(str(path.parent) for path in paths)
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES and folder not in exceptions:
            yield f"{folder}: {count} files; a folder has at most {MOST_FILES}"
    for folder in sorted(exceptions):
        if counts[folder] <= MOST_FILES:
            yield f"{folder}: {counts[folder]} files; take it off the list in tools/check_sizes.py"
    for path in paths:
        if path.suffix in _SOURCES and not (root / path).is_dir():
            lines = (root / path).read_bytes().count(b"\n")
            if lines > MOST_LINES:
                yield f"{path}: {lines} lines; a source file has at most {MOST_LINES}"


def main() -> int:
    """Check what is tracked, or about to be, in the tree that this file belongs to."""
    root = Path(__file__).resolve().parents[1]
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    there = [name for name in listed.split("\0") if name and (root / name).exists()]
    found = list(violations(root, there))
    for violation in found:
        print(violation, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
