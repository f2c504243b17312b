"""Names of contexts that tell them apart."""

from collections.abc import Sequence
from typing import Any


def distinct_names(chains: Sequence[Sequence[str]]) -> list[str]:
    """For each chain its first step; where several have the same, with the callers in which they
    begin to differ.
    """
    names = []
    for number, chain in enumerate(chains):
        alike = [other for n, other in enumerate(chains) if n != number and other[:1] == chain[:1]]
        shared = max((_shared(chain, other) for other in alike), default=0)
        gap = " … " if shared > 1 else " < "
        callers = chain[shared : shared + 1] if shared else []
        names.append(gap.join([*chain[:1], *callers]) or "unknown")
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[number] = f"{name} ({seen[name]})"
    return names


def share_names(named: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> None:
    """Give contexts the names that they have in another document of the same trace."""
    names = {row["id"]: row["name"] for row in named}
    for row in others:
        row["name"] = names.get(row["id"], row["name"])


def _shared(chain: Sequence[str], other: Sequence[str]) -> int:
    """How many steps both begin with."""
    both = zip(chain, other, strict=False)
    return next((n for n, (a, b) in enumerate(both) if a != b), min(len(chain), len(other)))
