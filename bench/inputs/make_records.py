"""Writes seeded records: for a text database, a ledger, maps, genomes, a graph, or an archive."""

import argparse
import io
import json
import random
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

WORDS = (
    "amber basin cedar delta ember fjord grove harbour inlet juniper kelp lagoon meadow "
    "narrows orchard prairie quarry ridge summit tundra upland valley willow yarrow"
).split()
Lines = Iterator[str]


def recutils(source: random.Random, count: int) -> Lines:
    yield "%rec: Item\n%key: Id\n"
    for number in range(count):
        name = " ".join(source.choices(WORDS, k=3))
        yield f"Id: {number}\nName: {name}"
        yield f"Kind: {source.choice(WORDS)}\nPrice: {source.randrange(999)}"
        yield "".join(f"Tag: {source.choice(WORDS)}\n" for _ in range(source.randint(0, 3)))


def ledger(source: random.Random, count: int) -> Lines:
    for number in range(count):
        amount = source.randint(1, 99_999) / 100
        yield f"2020-{number % 12 + 1:02}-{number % 28 + 1:02} * {source.choice(WORDS)} {number}"
        yield f"    Expenses:{source.choice(WORDS)}:{source.choice(WORDS)}  ${amount:.2f}"
        yield f"    Assets:{source.choice(WORDS)}\n"


def geojson(source: random.Random, count: int) -> Lines:
    yield '{"type": "FeatureCollection", "features": ['
    for number in range(count):
        x, y = source.uniform(-170, 170), source.uniform(-80, 80)
        ring = [[round(x + dx, 5), round(y + dy, 5)] for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 0))]
        feature = {
            "type": "Feature",
            "properties": {
                "id": number,
                "name": source.choice(WORDS),
                "kind": source.choice(WORDS),
            },
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        yield json.dumps(feature) + ("," if number + 1 < count else "")
    yield "]}"


def bed(source: random.Random, count: int) -> Lines:
    for number in range(count):
        start = source.randrange(50_000_000)
        end = start + source.randint(50, 900)
        yield f"chr{source.randint(1, 5)}\t{start}\t{end}\tf{number}\t0\t+"


def graph(source: random.Random, count: int) -> Lines:
    yield "digraph g {"
    for number in range(1, count):
        for _ in range(source.randint(1, 2)):
            yield f"  n{source.randrange(max(0, number - 40), number)} -> n{number};"
    yield "}"


KINDS: dict[str, Callable[[random.Random, int], Lines]] = {
    "recutils": recutils, "ledger": ledger, "geojson": geojson, "bed": bed, "graph": graph,
}  # fmt: skip


def write_archive(path: Path, source: random.Random, count: int) -> None:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(count):
            data = " ".join(source.choices(WORDS, k=source.randint(1, 60))).encode()
            entry = tarfile.TarInfo(f"{source.choice(WORDS)}/{source.choice(WORDS)}/file-{number}")
            entry.size, entry.mtime, entry.uname = len(data), number, source.choice(WORDS)
            archive.addfile(entry, io.BytesIO(data))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=(*KINDS, "archive"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    if arguments.kind == "archive":
        write_archive(arguments.out, source, arguments.count)
        return
    with arguments.out.open("w", encoding="utf-8") as out:
        for line in KINDS[arguments.kind](source, arguments.count):
            out.write(line + "\n")


if __name__ == "__main__":
    main()
