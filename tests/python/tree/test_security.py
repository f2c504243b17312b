"""Faults of programs that the heap promises to notice, committed one by one."""

import pytest

from abut.heaps import Heap, find_heap
from security.faults import CAUGHT, CHECKED, MISLED, SIZES, faults, heap_called, outcome, outcomes

# Those of other threads, and writes to blocks that are freed or beyond, are not promised.
PROMISED = (
    *("double_free", "double_free_with_another_between", "double_free_after_many"),
    *("double_free_after_reuse", "double_free_by_two_threads", "free_after_realloc"),
    *("realloc_after_free", "free_inside", "free_misaligned", "free_at_the_end"),
    *("free_of_the_stack", "free_of_static_data", "free_of_a_forged_block"),
    *("free_of_a_mapping", "free_of_no_address", "realloc_inside"),
)


@pytest.mark.parametrize("kind", PROMISED)
def test_a_fault_is_noticed_for_blocks_of_all_sizes(kind: str) -> None:
    assert kind in faults()
    heap = find_heap("abut")
    assert isinstance(heap, Heap)
    found = {size: outcome(heap, (kind, size)) for size in SIZES}
    assert found == dict.fromkeys(SIZES, CAUGHT)


def test_the_c_librarys_heap_does_not_notice_all_of_them() -> None:
    """So that what is caught above is caught by the heap under test."""
    heap = find_heap("glibc")
    assert isinstance(heap, Heap)
    assert outcome(heap, ("free_of_a_forged_block", 200)) != CAUGHT


@pytest.mark.parametrize(
    "size", [24, *(pytest.param(s, marks=pytest.mark.long) for s in SIZES[1:])]
)
def test_all_that_the_c_librarys_heap_catches_is_caught_under_check(size: int) -> None:
    glibc, checked = heap_called("glibc"), heap_called(CHECKED)
    assert isinstance(glibc, Heap)
    assert isinstance(checked, Heap)
    theirs, ours = outcomes(glibc, [size]), outcomes(checked, [size])
    assert CAUGHT in theirs.values()
    missed = [fault for fault, what in theirs.items() if what == CAUGHT and ours[fault] != CAUGHT]
    assert missed == []
    assert MISLED not in ours.values()
