"""A trace's accesses, brought to simulators."""

from collections.abc import Iterator, Sequence
from typing import Any

from abut.simulation.caches import Simulator
from abut.simulation.owners import NO_OWNER
from abut.simulation.windows import Windows
from abut.trace.native import Array, failures, native_module
from abut.trace.reader import Trace

Layout = str | Array | tuple[Array, Array, Array]


def open_replay(
    trace: Trace,
    layout: Layout = "recorded",
    *,
    seed: int = 1,
    by: str = NO_OWNER,
    owners: Sequence[int] = (),
    side: str = "all",
    windows: Windows | None = None,
    **more: Any,
) -> Any:
    """The native module's replay, to be fed from.

    A layout is a name (recorded, line, random, size) or an array: object i + 1 lies at element i;
    of three, objects are in two parts. `by`: what the owners of accesses are, `owners` which one
    each context is. `side`: all, application or allocator. Of long traces, `windows` of chunks.
    """
    return native_module().Replay(
        trace.native, layout, seed, by, owners, side, windows=windows or [], **more
    )


def feed(
    trace: Trace, simulators: Sequence[Simulator], layout: Layout = "recorded", **settings: Any
) -> Any:
    """Bring all accesses to the simulators, in one pass. The replay that was fed from, which has
    such settings.
    """
    with failures():
        replay = open_replay(trace, layout, **settings)
        replay.feed([one.native for one in simulators])
        return replay


def feed_by_context(
    trace: Trace, simulators: Sequence[Simulator], layout: Layout = "recorded", **settings: Any
) -> None:
    """The same, counted by context, from 0."""
    contexts = range(len(trace.contexts()) + 1)
    feed(trace, simulators, layout, by="context", owners=list(contexts), **settings)


def feed_up_to(trace: Trace, simulators: Sequence[Simulator], ends: Sequence[int]) -> Iterator[int]:
    """Stops behind so many accesses, ascending, or some thousands later: yields how many were fed
    at each.
    """
    fed = 0
    with failures():
        replay = open_replay(trace)
        natives = [one.native for one in simulators]
        for end in ends:
            while fed < end and (taken := replay.feed(natives, end - fed)):
                fed += taken
            yield fed
