"""Prints the shape of a JSON file: every member, and the kind of its value.

usage: json_shape.py FILE [DEEPEST]
"""

import json
import sys
from itertools import groupby
from pathlib import Path


def shape(value: object, deepest: int = 100) -> list[str]:
    """What stands in a value, a line a member; members of one shape share theirs."""
    if deepest == 0:
        return ["  ..."] if isinstance(value, (dict, list)) and value else []
    if isinstance(value, list) and value:
        return [
            f"  each: {kind(value[0])}",
            *(f"  {line}" for line in shape(value[0], deepest - 1)),
        ]
    lines = []
    members = value.items() if isinstance(value, dict) else ()
    for (kind_of, inner), group in groupby(
        members, lambda item: (kind(item[1]), shape(item[1], deepest - 1))
    ):
        names = ", ".join(name for name, _ in group)
        lines += [f"  {names}: {kind_of}", *(f"  {line}" for line in inner)]
    return lines


def kind(value: object) -> str:
    """JSON's word for it."""
    words = {dict: "object", list: "list", str: "text", bool: "true or false", type(None): "null"}
    return words.get(type(value), "number")


_deepest = [int(one) for one in sys.argv[2:3]]
print("\n".join(shape(json.loads(Path(sys.argv[1]).read_text()), *_deepest)))
