"""The papers' allocators, as the library that composes them lists them."""

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from abut.places import library_candidate

GRAINS = ("8", "16")
OFFLOAD = "offload"
SERVERS = {OFFLOAD: "a thread", "offload-process": "a process"}


@dataclass(frozen=True, slots=True)
class ComposedHeap:
    """One allocator, and the paper and section that describe it."""

    name: str
    about: str
    paper: str
    section: str

    @property
    def description(self) -> str:
        """One line for a list."""
        return f"{self.about} ({self.paper}, section {self.section})"


_FIELDS = ("name", "about", "paper", "section")


class _Entry(ctypes.Structure):
    _fields_: ClassVar = [(field, ctypes.c_char_p) for field in _FIELDS]


def papers_library() -> Path:
    """Where the library of the papers' allocators should be: beside abut's own."""
    return library_candidate().with_name("libabut_papers.so")


@cache
def composed_heaps() -> dict[str, ComposedHeap]:
    """Each allocator by its name; none where the library is not built."""
    try:
        native = ctypes.CDLL(str(papers_library()))
        native.abut_heap_count.restype = ctypes.c_size_t
        native.abut_heap_at.restype = _Entry
        native.abut_heap_at.argtypes = [ctypes.c_size_t]
    except (OSError, AttributeError):
        return {}
    entries = (native.abut_heap_at(index) for index in range(native.abut_heap_count()))
    heaps = (
        ComposedHeap(*(getattr(entry, field).decode() for field in _FIELDS)) for entry in entries
    )
    return {heap.name: heap for heap in heaps}


def served_heap(name: str) -> str | None:
    """The allocator that a thread or a process serves under this name; None for any other heap."""
    server, _, inner = name.partition(":")
    return (inner or "vam") if server in SERVERS else None
