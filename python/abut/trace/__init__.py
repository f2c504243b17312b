"""Recorded runs: `Trace(path)` reads one; see docs/reference/trace.md."""

from abut.trace.reader import Batch, Check, Damage, Events, Frame, Info, Module, Trace

__all__ = ["Batch", "Check", "Damage", "Events", "Frame", "Info", "Module", "Trace"]
