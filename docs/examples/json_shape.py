"""Prints the shape of a JSON file: every member, and the kind of its value."""

import json
import sys
from itertools import groupby
from pathlib import Path


def shape(value: object) -> list[str]:
    """What stands in a value, a line a member; members of one shape share theirs."""
    if isinstance(value, list) and value:
        return [f"  each: {kind(value[0])}", *(f"  {line}" for line in shape(value[0]))]
    lines = []
    members = value.items() if isinstance(value, dict) else ()
    for (kind_of, inner), group in groupby(members, lambda item: (kind(item[1]), shape(item[1]))):
        names = ", ".join(name for name, _ in group)
        lines += [f"  {names}: {kind_of}", *(f"  {line}" for line in inner)]
    return lines


def kind(value: object) -> str:
    """JSON's word for it."""
    words = {dict: "object", list: "list", str: "text", bool: "true or false", type(None): "null"}
    return words.get(type(value), "number")


print("\n".join(shape(json.loads(Path(sys.argv[1]).read_text()))))
