"""`abut heaps`: the heaps that programs can be run under."""

from abut.composed import SERVERS, composed_heaps
from abut.errors import AbutError
from abut.heaps import ABUT_ABOUT, NAMES, Heap, MissingHeap, find_heap


def command() -> None:
    """List the heaps that are known: where each one is, or what installs it.

    Example:

        abut heaps
    """
    from abut.commands.console import console
    from abut.reporters.listing import heaps_table

    composed = (*composed_heaps(), *SERVERS) if composed_heaps() else ()
    console().print(heaps_table([_state(name) for name in (*NAMES, *composed)]))


def _state(name: str) -> Heap | MissingHeap:
    try:
        return find_heap(name)
    except AbutError:
        return MissingHeap(name, ABUT_ABOUT, "")
