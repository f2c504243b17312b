"""What the report says of one culprit, as plain data; answer.schema.json has its form."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abut.advice.actions import Action
from abut.advice.culprits import Culprit, described
from abut.advice.reasons import line_use, page_use
from abut.advice.sample import Sample


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change saves, as a share of the time, and on variants of the machine."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    sure: bool = True


def finding(
    culprit: Culprit,
    sample: Sample,
    lost: float,
    reason: tuple[str, str],
    action: Action | None,
    gain: Gain,
    *,
    tried: Sequence[dict[str, Any]] = (),
    fields: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """`lost`: the share of the time that it costs; `reason`: its name, and a sentence."""
    use = line_use(culprit, sample)
    return {
        **described(culprit),
        "lost": lost,
        "misses": [int(row[culprit.contexts].sum()) for row in sample.waits.misses],
        "use": dataclasses.asdict(use) | {"empty": use.empty},
        "page_use": page_use(culprit, sample),
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
