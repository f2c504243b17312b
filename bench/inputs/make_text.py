"""Writes seeded text: one sentence a line, words of a made-up vocabulary, common ones often."""

import random

from generator import Lines, arguments, write_lines

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pra", "stre", "to")


def vocabulary(source: random.Random, size: int) -> list[str]:
    return ["".join(source.choices(SYLLABLES, k=source.randint(1, 5))) for _ in range(size)]


def text(source: random.Random, lines: int) -> Lines:
    words = vocabulary(source, 4000)
    # Zipf's law: the n-th most frequent word occurs about 1/n as often as the first.
    weights = [1 / (rank + 1) for rank in range(len(words))]
    for _ in range(lines):
        yield " ".join(source.choices(words, weights, k=source.randint(5, 25)))


def main() -> None:
    given = arguments(__doc__, lines=50_000)
    write_lines(given.out, text(given.source, given.lines))


if __name__ == "__main__":
    main()
