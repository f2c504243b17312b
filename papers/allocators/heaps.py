"""The papers' heaps, as the library that composes them lists them; `abut` finds them here."""

import ctypes
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from typing import ClassVar

from abut.errors import USAGE, AbutError
from abut.heaps import Heap
from abut.library import load_library
from abut.places import build_fix, library_candidate
from abut.settings import environment_of

_SETTINGS = {f"align={grain}": {"ABUT_ALIGN": grain} for grain in ("8", "16")}
OFFLOAD = "offload"
FOLLOWER = "cyll"
_DPA = {
    "dpa-patched": "pools for groups, which call sites name (section 4)",
    "dpa-forwarded": "all that pools need, and none: what that costs (figure 13)",
    "dpa-padded": "pools for groups, whose objects have headers (figure 14)",
}
_FIELDS = ("name", "about", "paper", "section")


class _Entry(ctypes.Structure):
    _fields_: ClassVar = [(field, ctypes.c_char_p) for field in _FIELDS]


def papers_library() -> Path:
    """Where the library of the papers' allocators should be: beside abut's own."""
    return library_candidate().with_name("libabut_papers.so")


@cache
def composed_heaps() -> dict[str, str]:
    """What each allocator is, and the paper and section that describe it, by its name; none where
    the library is not built.
    """
    try:
        native = ctypes.CDLL(str(papers_library()))
        native.abut_heap_at.restype = ctypes.POINTER(_Entry)
        native.abut_heap_at.argtypes = [ctypes.c_size_t]
    except (OSError, AttributeError):
        return {}
    entries = takewhile(bool, map(native.abut_heap_at, count()))
    rows = ([getattr(one[0], field).decode() for field in _FIELDS] for one in entries)
    return {name: f"{about} ({paper}, section {place})" for name, about, paper, place in rows}


def served_heap(name: str) -> str | None:
    """The allocator that another process serves under this name; None for any other heap."""
    server, colon, inner = name.partition(":")
    return (inner if colon else "vam") if server == OFFLOAD else None


def heap_names() -> list[str]:
    """For lists; none where the library is not built."""
    return [*composed_heaps(), OFFLOAD, *_DPA, FOLLOWER] if composed_heaps() else []


def fix() -> str:
    """What to type to have them; empty where the library is built."""
    return "" if composed_heaps() else f"for the papers' heaps: {build_fix('abut_papers')}"


def heap_of(name: str) -> Heap | None:
    """A heap by name: `NAME[+align=8]` is one of the allocators, with blocks at multiples of eight
    where the paper's programs allow that. `offload[:NAME]` is one that a process of its own serves
    on another processor. `dpa-patched` and its like are abut's, with pools for groups.
    `cyll[+plan=PLAN]` is glibc's, behind the slots of a plan.
    """
    if name in _DPA and composed_heaps():
        about = f"{_DPA[name]} (Wang, Wu and Yew 2010)"
        variables = {"ABUT_PLACE": "pools:linked", "ABUT_DPA": name.removeprefix("dpa-")}
        if name == "dpa-padded":
            variables["ABUT_GROUP_BYTES"] = "144"  # of an object, with its header
        return Heap(name, about, papers_library().with_name("libabut_dpa.so"), "", variables)
    base, _, setting = name.partition("+")
    if base == FOLLOWER and composed_heaps():
        return _follower(name, setting)
    inner = served_heap(base)
    known = composed_heaps().get(base if inner is None else inner)
    if known is None:
        return None
    if setting not in ("", *_SETTINGS):
        fix = f"write {base}+align=8 or {base}"
        raise AbutError(f"heap '{name}': no such setting", fix=fix, exit_code=USAGE)
    variables = {"ABUT_HEAP": base, **_SETTINGS.get(setting, {})}
    if inner is not None:
        known = f"{inner} served by a process of its own (Rezaei and Kavi, section 4)"
    return Heap(name, known, papers_library(), "", variables)


def _follower(name: str, setting: str) -> Heap:
    options = [one for one in load_library().options() if one.name in ("plan", "explain")]
    variables = environment_of([setting] if setting else [], options)
    about = "a plan's slots, and glibc's heap for all else (Cyll 2004, sections 5.5 and 6.3)"
    library = papers_library().with_name("libabut_cyll.so")
    return Heap(name, about, library, "", variables, frozenset(one.name for one in options))
