"""How much lives when, in all and by the contexts that have most at one time."""

from collections.abc import Iterator, Mapping

import numpy as np

from abut.trace.native import Array
from abut.trace.reader import EventKind, Trace

_POINTS, _CONTEXTS = 2000, 12
_CHANGING = (EventKind.ALLOCATE, EventKind.FREE, EventKind.RESIZE, EventKind.MOVE)
Sample = tuple[float, dict[str, int]]


def live_over_time(trace: Trace, names: Mapping[int, str]) -> Iterator[Sample]:
    """Times in microseconds, and the bytes that live then, by name; `names`: of contexts."""
    times, contexts, changes = _changes(trace)
    if not len(times):
        return
    at = np.unique(np.linspace(0, len(times) - 1, _POINTS).astype(np.int64))
    series = {"live bytes": np.cumsum(changes)[at]}
    for context in _foremost(contexts, changes):
        part = np.cumsum(np.where(contexts == context, changes, 0))[at]
        series[f"live: {names.get(context, f'context {context}')}"] = part
    for i, index in enumerate(at.tolist()):
        yield float(times[index]) / 1000, {name: int(values[i]) for name, values in series.items()}


def _changes(trace: Trace) -> tuple[Array, Array, Array]:
    """Times (ns), contexts and changes in bytes of all events that change what lives."""
    parts: list[tuple[Array, Array, Array]] = []
    sizes: dict[int, tuple[int, int]] = {}
    for events in trace.events():
        chosen = np.isin(events.kind, _CHANGING)
        columns = (events.kind, events.object, events.size, events.context)
        rows = zip(*(column[chosen].tolist() for column in columns), strict=True)
        contexts, changes = [], []
        for kind, number, size, context in rows:
            before, owner = sizes.pop(number, (0, context))
            after = 0 if kind == EventKind.FREE else size
            if after:
                sizes[number] = (after, owner)
            contexts.append(owner)
            changes.append(after - before)
        parts.append((events.time[chosen], np.array(contexts), np.array(changes)))
    if not parts:
        return (np.zeros(0, np.int64),) * 3
    times, owners, changed = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(times, kind="stable")
    return times[order], owners[order].astype(np.int64), changed[order].astype(np.int64)


def _foremost(contexts: Array, changes: Array) -> list[int]:
    born = np.bincount(contexts, np.maximum(changes, 0).astype(np.float64))
    candidates = np.argsort(-born, kind="stable")[: 4 * _CONTEXTS]
    peaks = {
        int(one): int(np.cumsum(np.where(contexts == one, changes, 0)).max())
        for one in candidates
        if born[one]
    }
    return sorted(peaks, key=lambda one: -peaks[one])[:_CONTEXTS]
