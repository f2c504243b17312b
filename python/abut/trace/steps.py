"""A trace step by step, as tuples, accesses and events in order. For people, not for speed."""

from collections.abc import Iterator
from typing import NamedTuple

from abut.trace.reader import Batch, EventKind, Events, Trace

SIDES = ("application", "allocator")

_ADDRESSES = 2**64 - 1


class AccessStep(NamedTuple):
    """One access."""

    number: int
    object: int
    offset: int
    size: int
    write: bool
    side: str
    thread: int
    code: int
    source: int | None = None  # the access that its address, or what it writes, comes from


class EventStep(NamedTuple):
    """One event."""

    kind: str
    time: int
    thread: int
    context: int
    object: int
    address: int
    size: int
    detail: int
    position: int


Step = AccessStep | EventStep


def steps(trace: Trace, skip: int = 0) -> Iterator[Step]:
    """Everything that happened from access number `skip` on, and the events since then."""
    chunks = trace.chunks()
    # Chunks of events alone begin at the access that the next one begins at.
    first = sum(1 for chunk in chunks[1:] if chunk.first_access < skip)
    for batch in trace.batches(most=1 << 14, first=first, codes=True):
        if batch.first_access + len(batch) >= skip:
            yield from _from(batch, skip)


def _from(batch: Batch, skip: int) -> Iterator[Step]:
    events = _event_steps(batch.events)
    event = next(events, None)
    known = (batch.object, batch.offset, batch.size, batch.write, batch.side, batch.thread)
    columns = [column.tolist() for column in known]
    codes, sources = (
        column.tolist() if column is not None else [0] * len(batch)
        for column in (batch.code, batch.source)
    )
    for index, (thing, offset, size, write, side, thread, code, back) in enumerate(
        zip(*columns, codes, sources, strict=True)
    ):
        number = batch.first_access + index
        while event is not None and event.position <= number:
            if event.position >= skip:
                yield event
            event = next(events, None)
        if number >= skip:
            source = number + 1 - back if back > 1 else None
            at = offset if thing else offset & _ADDRESSES  # of no object: its address
            yield AccessStep(number, thing, at, size, write, SIDES[side], thread, code, source)
    while event is not None:
        if event.position >= skip:
            yield event
        event = next(events, None)


def _event_steps(events: Events) -> Iterator[EventStep]:
    columns = (events.time, events.thread, events.context, events.object, events.address)
    more = (events.size, events.detail, events.position)
    for kind, *rest in zip(
        events.kind.tolist(), *(column.tolist() for column in (*columns, *more)), strict=True
    ):
        yield EventStep(EventKind(kind).name.lower(), *rest)


def text_of(step: Step) -> str:
    """One line for a step."""
    if isinstance(step, AccessStep):
        verb = "write" if step.write else "read"
        where = f"object {step.object} +{step.offset}" if step.object else f"at {step.offset:#x}"
        code = f" code {step.code:#x}" if step.code else ""
        source = f" from {step.source}" if step.source is not None else ""
        who = f"{step.side} thread {step.thread}"
        return f"{step.number} {verb} {step.size} {where} {who}{code}{source}"
    origin = f"thread {step.thread} context {step.context} time {step.time}"
    return f"- {step.kind} {_event_text(step)}{origin}"


def _event_text(step: EventStep) -> str:
    about = f"object {step.object} " if step.object else ""
    match step.kind:
        case "allocate":
            return f"{about}size {step.size} align {step.detail} at {step.address:#x} "
        case "resize" | "move" | "discard":
            return f"{about}size {step.size} at {step.address:#x} "
        case "near":
            return f"{about}to {step.detail} "
        case "touch":
            return f"{about}weight {step.detail} "
        case "gap":
            return f"of {step.detail} accesses "
    return about
