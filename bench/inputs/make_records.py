"""Writes seeded records: for a text database, a ledger, maps, genomes, a graph, or an archive."""

import io
import json
import random
import tarfile
from pathlib import Path

from generator import WORDS, Lines, arguments, write_lines


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


def alignments(source: random.Random, count: int) -> Lines:
    yield "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:50000000"
    for number in range(count):
        bases = "".join(source.choices("ACGT", k=60))
        place = source.randrange(1, 49_000_000)
        yield f"r{number}\t0\tchr1\t{place}\t60\t60M\t*\t0\t0\t{bases}\t{'I' * 60}"


def graph(source: random.Random, count: int) -> Lines:
    yield "digraph g {"
    for number in range(1, count):
        for _ in range(source.randint(1, 2)):
            yield f"  n{source.randrange(max(0, number - 40), number)} -> n{number};"
    yield "}"


KINDS = {kind.__name__: kind for kind in (recutils, ledger, geojson, bed, alignments, graph)}


def write_archive(path: Path, source: random.Random, count: int) -> None:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(count):
            data = " ".join(source.choices(WORDS, k=source.randint(1, 60))).encode()
            entry = tarfile.TarInfo(f"{source.choice(WORDS)}/{source.choice(WORDS)}/file-{number}")
            entry.size, entry.mtime, entry.uname = len(data), number, source.choice(WORDS)
            archive.addfile(entry, io.BytesIO(data))


def main() -> None:
    given = arguments(__doc__, *KINDS, "archive", count=1000)
    if given.kind == "archive":
        write_archive(given.out, given.source, given.count)
    else:
        write_lines(given.out, KINDS[given.kind](given.source, given.count))


if __name__ == "__main__":
    main()
