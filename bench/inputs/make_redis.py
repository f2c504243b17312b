"""Writes a seeded sequence of Redis commands: strings, lists, hashes, sets and sorted sets."""

import argparse
import random
from pathlib import Path

WORDS = ("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbour", "inlet")


def encode(*words: str) -> str:
    """One command as the Redis protocol has it."""
    parts = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    return f"*{len(words)}\r\n{parts}"


def command(source: random.Random, keys: int) -> str:
    number = str(source.randrange(keys))
    word = source.choice(WORDS) * source.randint(1, 12)
    field = f"field:{source.randrange(40)}"
    kinds = (
        ("SET", f"text:{number}", word),
        ("SET", f"text:{number}", word),
        ("APPEND", f"text:{number}", word),
        ("RPUSH", f"list:{number[-3:]}", word),
        ("HSET", f"hash:{number[-4:]}", field, word),
        ("SADD", f"set:{number[-3:]}", f"{word}{number}"),
        ("ZADD", f"order:{number[-3:]}", number, field + number),
        ("DEL", f"text:{number}"),
    )
    return encode(*source.choice(kinds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=300_000)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    with arguments.out.open("w", encoding="ascii", newline="") as out:
        for _ in range(arguments.commands):
            out.write(command(source, arguments.keys))


if __name__ == "__main__":
    main()
