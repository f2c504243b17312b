"""Writes seeded text: one sentence a line, words of a made-up vocabulary, common ones often."""

import argparse
import random
from pathlib import Path

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pra", "stre", "to")


def vocabulary(source: random.Random, size: int) -> list[str]:
    return ["".join(source.choices(SYLLABLES, k=source.randint(1, 5))) for _ in range(size)]


def write_text(path: Path, lines: int, seed: int) -> None:
    source = random.Random(seed)
    words = vocabulary(source, 4000)
    # Zipf's law: the n-th most frequent word occurs about 1/n as often as the first.
    weights = [1 / (rank + 1) for rank in range(len(words))]
    with path.open("w", encoding="utf-8") as out:
        for _ in range(lines):
            out.write(" ".join(source.choices(words, weights, k=source.randint(5, 25))) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    write_text(arguments.out, arguments.lines, arguments.seed)


if __name__ == "__main__":
    main()
