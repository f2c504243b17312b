"""Writes a seeded sequence of Redis commands: strings, lists, hashes, sets and sorted sets."""

import random

from generator import FEW_WORDS, arguments


def encode(*words: str) -> str:
    """One command as the Redis protocol has it."""
    parts = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
    return f"*{len(words)}\r\n{parts}"


def command(source: random.Random, keys: int) -> str:
    number = str(source.randrange(keys))
    word = source.choice(FEW_WORDS) * source.randint(1, 12)
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
    given = arguments(__doc__, commands=300_000, keys=100_000)
    with given.out.open("w", encoding="ascii", newline="") as out:
        for _ in range(given.commands):
            out.write(command(given.source, given.keys))


if __name__ == "__main__":
    main()
