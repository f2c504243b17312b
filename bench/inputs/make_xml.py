"""Writes a seeded XML document: a catalogue of records with attributes, text and nested lists."""

import argparse
import random
from pathlib import Path
from typing import TextIO

WORDS = (
    "amber basin cedar delta ember fjord grove harbour inlet juniper kelp lagoon meadow "
    "narrows orchard prairie quarry ridge summit tundra upland valley willow yarrow"
).split()


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


def write_document(out: TextIO, records: int, seed: int) -> None:
    source = random.Random(seed)
    out.write("<?xml version='1.0' encoding='UTF-8'?>\n<catalogue>\n")
    for number in range(records):
        out.write(record(source, number))
    out.write("</catalogue>\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with arguments.out.open("w", encoding="utf-8") as out:
        write_document(out, arguments.records, arguments.seed)


if __name__ == "__main__":
    main()
