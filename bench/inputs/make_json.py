"""Writes a seeded JSON document: a list of events with nested objects and lists."""

import json
import random

from generator import FEW_WORDS, arguments


def event(source: random.Random, number: int) -> dict[str, object]:
    return {
        "id": number,
        "place": source.choice(FEW_WORDS),
        "user": {"name": f"user{source.randrange(3000)}", "age": source.randint(18, 90)},
        "values": [source.randrange(10_000) for _ in range(source.randint(0, 8))],
        "tags": source.sample(FEW_WORDS, source.randint(0, 3)),
        "text": " ".join(source.choices(FEW_WORDS, k=source.randint(2, 12))),
    }


def main() -> None:
    given = arguments(__doc__, events=50_000)
    events = [event(given.source, number) for number in range(given.events)]
    given.out.write_text(json.dumps(events), encoding="utf-8")


if __name__ == "__main__":
    main()
