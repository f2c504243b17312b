"""Writes a seeded JSON document: a list of events with nested objects and lists."""

import argparse
import json
import random
from pathlib import Path

PLACES = ("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbour", "inlet")


def event(source: random.Random, number: int) -> dict[str, object]:
    return {
        "id": number,
        "place": source.choice(PLACES),
        "user": {"name": f"user{source.randrange(3000)}", "age": source.randint(18, 90)},
        "values": [source.randrange(10_000) for _ in range(source.randint(0, 8))],
        "tags": source.sample(PLACES, source.randint(0, 3)),
        "text": " ".join(source.choices(PLACES, k=source.randint(2, 12))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    events = [event(source, number) for number in range(arguments.events)]
    arguments.out.write_text(json.dumps(events), encoding="utf-8")


if __name__ == "__main__":
    main()
