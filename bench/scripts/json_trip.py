"""JSON out and in again: nested documents are encoded, decoded, changed and compared.

Run with PYTHONMALLOC=malloc, so that every object is the heap's affair and none is pymalloc's.
"""

import argparse
import hashlib
import json
import random

TYPES = ("sensor", "switch", "meter", "gateway")


def make_document(source: random.Random, number: int) -> dict[str, object]:
    return {
        "id": number,
        "type": source.choice(TYPES),
        "labels": {f"label{i}": f"value{source.randrange(1000)}" for i in range(6)},
        "readings": [source.randrange(10**6) / 100 for _ in range(source.randint(4, 24))],
        "children": [{"id": i, "on": bool(i % 2)} for i in range(source.randint(0, 4))],
    }


def run(documents: int, trips: int, seed: int) -> str:
    source = random.Random(seed)
    store = [make_document(source, number) for number in range(documents)]
    digest = hashlib.sha256()
    for trip in range(trips):
        text = json.dumps(store, sort_keys=True)
        digest.update(text.encode())
        decoded = json.loads(text)
        if decoded != store:
            raise SystemExit(f"trip {trip}: what was decoded differs from what was encoded")
        for document in decoded[:: trip + 2]:
            document["labels"][f"trip{trip}"] = "seen"
        store = decoded
    return f"documents {documents} trips {trips} digest {digest.hexdigest()[:16]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--trips", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(run(arguments.documents, arguments.trips, arguments.seed))


if __name__ == "__main__":
    main()
