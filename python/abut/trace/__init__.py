"""Recorded runs: `Trace(path)` reads one, `TraceWriter(path)` writes one."""

from abut.trace.reader import (
    Batch,
    Check,
    Damage,
    EventKind,
    Events,
    Frame,
    Info,
    Module,
    Trace,
)
from abut.trace.writer import TraceWriter

__all__ = [
    "Batch",
    "Check",
    "Damage",
    "EventKind",
    "Events",
    "Frame",
    "Info",
    "Module",
    "Trace",
    "TraceWriter",
]
