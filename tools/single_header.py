"""Writes all container headers as one file: each include of the project's own is put in its place.

python tools/single_header.py build/abut_containers.hpp
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_INCLUDE = ROOT / "include" / "abut"
_OWN = re.compile(r'^#include "([^"]+)".*$')
_STANDARD = re.compile(r"^#include <[^>]+>$")
HEADERS = (
    "list.hpp",
    "map.hpp",
    "relayout.hpp",
    "set.hpp",
    "stable_map.hpp",
    "stable_set.hpp",
)


def bundle() -> str:
    """The text of the one header."""
    standard: set[str] = set()
    lines: list[str] = []
    seen: set[Path] = set()

    def add(path: Path) -> None:
        if path in seen:
            return
        seen.add(path)
        for line in path.read_text().splitlines():
            if own := _OWN.match(line):
                add((path.parent / own[1]).resolve())
            elif _STANDARD.match(line):
                standard.add(line)
            elif line != "#pragma once":
                lines.append(line)

    for header in HEADERS:
        add(_INCLUDE / header)
    licence = [f"// {line}".rstrip() for line in (ROOT / "LICENSE").read_text().splitlines()]
    version = "#if __has_include(<version>)"
    body = "\n".join(lines).replace(f"{version}\n#endif\n", "")
    return "\n".join([*licence, "#pragma once", "", *sorted(standard), "", body]) + "\n"


def main() -> int:
    """Write the header to the file that is named."""
    Path(sys.argv[1]).write_text(bundle())
    return 0


if __name__ == "__main__":
    sys.exit(main())
