"""What the generators share: their command line, words to draw from, and files of lines."""

import argparse
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

WORDS = (
    "amber basin cedar delta ember fjord grove harbour inlet juniper kelp lagoon meadow "
    "narrows orchard prairie quarry ridge summit tundra upland valley willow yarrow"
).split()
FEW_WORDS = WORDS[:9]
Lines = Iterator[str]


def arguments(about: str, *kinds: str, **counts: int) -> argparse.Namespace:
    """What the command line says: the kind, the counts, where to write, and what is drawn from."""
    parser = argparse.ArgumentParser(description=about)
    if kinds:
        parser.add_argument("kind", choices=kinds)
    for name, default in counts.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.source = random.Random(given.seed)
    return given


def write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines)
