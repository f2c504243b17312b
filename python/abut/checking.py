"""The form of abut's heap that finds writes beyond blocks, and uses of what was freed."""

import dataclasses
from collections.abc import Iterable

from abut.errors import USAGE, AbutError, unknown
from abut.heaps import Heap
from abut.places import built, native_folder

CHECKS = ("tail", "quarantine")


_PLACING = {"ABUT_PLACE", "ABUT_PLAN", "ABUT_PROFILE", "ABUT_EXPLAIN", "ABUT_EXPLAIN_FILE"}


def checked_heap(heap: Heap, checks: str, settings: Iterable[str] = ()) -> Heap:
    """`heap`, which is abut's, with the library that looks for what `checks` names.

    `settings` are the variables that are set beside the heap's own.
    """
    for word in checks.split(","):
        if word not in CHECKS:
            raise unknown("check", word, CHECKS, ", or both: tail,quarantine")
    if heap.name.partition("+")[0] != "abut":
        raise AbutError(
            f"--check is abut's, and the heap is {heap.name}",
            fix="leave --check out, or leave --heap out",
            exit_code=USAGE,
        )
    if not _PLACING.isdisjoint([*heap.environment, *settings]):
        raise AbutError(
            "--check: the heap that checks puts no objects beside others",
            fix="leave out --plan, --profile, --explain, --json and the option place",
            exit_code=USAGE,
        )
    library = built(native_folder() / "libabut_checked.so", "checking library", "abut_checked")
    environment = {**heap.environment, "ABUT_CHECK": checks}
    return dataclasses.replace(heap, library=library, environment=environment)
