"""`abut heaps`: the heaps that programs can be run under."""

from abut.errors import AbutError
from abut.heaps import ABUT_ABOUT, Heap, MissingHeap, find_heap, heap_names


def command() -> None:
    """List the heaps that are known: where each one is, or what installs it.

    Example:

        abut heaps
    """
    from abut.commands.console import console
    from abut.reporters.listing import heaps_table

    console().print(heaps_table([_state(name) for name in heap_names()]))


def _state(name: str) -> Heap | MissingHeap:
    try:
        return find_heap(name)
    except AbutError:
        return MissingHeap(name, ABUT_ABOUT, "")
