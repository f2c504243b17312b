"""Writes a seeded XML document: a catalogue of records with attributes, text and nested lists."""

import random

from generator import WORDS, arguments


def sentence(source: random.Random, low: int, high: int) -> str:
    return " ".join(source.choices(WORDS, k=source.randint(low, high)))


def record(source: random.Random, number: int) -> str:
    tags = "".join(
        f"<tag weight='{source.randint(1, 99)}'>{source.choice(WORDS)}</tag>"
        for _ in range(source.randint(0, 5))
    )
    return (
        f"  <record id='{number}' kind='{source.choice(WORDS)}'>\n"
        f"    <title>{sentence(source, 2, 6)}</title>\n"
        f"    <price currency='EUR'>{source.randint(1, 99999) / 100:.2f}</price>\n"
        f"    <tags>{tags}</tags>\n"
        f"    <note>{sentence(source, 4, 20)} &amp; {source.choice(WORDS)}</note>\n"
        f"  </record>\n"
    )


def main() -> None:
    given = arguments(__doc__, records=50_000)
    with given.out.open("w", encoding="utf-8") as out:
        out.write("<?xml version='1.0' encoding='UTF-8'?>\n<catalogue>\n")
        for number in range(given.records):
            out.write(record(given.source, number))
        out.write("</catalogue>\n")


if __name__ == "__main__":
    main()
