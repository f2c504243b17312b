"""What the report says of one culprit, as plain data; answer.schema.json has its form."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abut.advice.actions import Action
from abut.advice.culprits import Culprit, described


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change saves, as a share of the time, and on variants of the machine."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    sure: bool = True


def finding(
    culprit: Culprit,
    lost: float,
    reason: tuple[str, str],
    action: Action | None,
    gain: Gain,
    *,
    misses: Sequence[int] = (),
    use: dict[str, float] | None = None,
    tried: Sequence[dict[str, Any]] = (),
    fields: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """`lost`: the share of the time that it costs; `reason`: its name, and a sentence."""
    return {
        **described(culprit),
        "lost": lost,
        "misses": list(misses),
        "use": use,
        "reason": reason[0],
        "why": reason[1],
        "action": dataclasses.asdict(action) if action else None,
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "sure": gain.sure,
        "tried": list(tried),
        "fields": fields,
    }
