"""The run that a plan is made from: recorded whole, or in parts."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from abut.recording import record_run

# Times the program's own time, as docs/guides/record.md measures it: of accesses, and of events.
_RECORDING_COSTS, _SKIPPING_COSTS = 30.0, 6.0
_PERIOD = 4000  # million instructions; a window shall see whole walks of the program
_LEAST_SHARE, _MOST_SHARE = 0.05, 0.5  # of each period, that is recorded
_PATIENCE = 1.5  # times the limit: half a run is of less use than a late one


def least_seconds(seconds: float) -> float:
    """How long it takes to record anything of use of a program that takes so many seconds."""
    return seconds * (_SKIPPING_COSTS + _LEAST_SHARE * (_RECORDING_COSTS - _SKIPPING_COSTS))


def window_for(seconds: float, limit: float) -> list[str]:
    """The option by which `abut record` records as much of a program that takes so many seconds
    as it can in `limit` seconds; empty for all of it.
    """
    if seconds * _RECORDING_COSTS <= limit:
        return []
    affordable = limit / seconds - _SKIPPING_COSTS
    share = affordable / (_RECORDING_COSTS - _SKIPPING_COSTS)
    share = min(max(share, _LEAST_SHARE), _MOST_SHARE)
    return ["--window", f"{round(share * _PERIOD)}M/{_PERIOD}M"]


def record(
    argv: Sequence[str],
    seconds: float,
    limit: float,
    path: Path,
    progress: Callable[[str], None],
    *,
    heap: str = "",
    variables: Mapping[str, str] | None = None,
    stdin: Path | None = None,
) -> None:
    """Record a run in a trace, or parts of it where that would take longer than `limit` seconds or
    a little more; `seconds` is what it takes by itself. Raises AbutError where it cannot be
    recorded.
    """
    window = window_for(seconds, limit)
    progress(f"recording {'parts of ' if window else ''}a run")
    under = ["--heap", heap] if heap else []
    given = stdin or Path(os.devnull)
    record_run.record(
        path, argv, *window, *under, variables=variables, stdin=given, limit=limit * _PATIENCE
    )
