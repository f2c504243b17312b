"""Keys of contexts: what tells, in another process, that the same piece of code allocates.

A key is the innermost one to four steps of a call chain, each a module's build-id and the offset of
a call in its file: the same in every run of the same build, wherever it is loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abut.trace.native import Array
from abut.trace.reader import Frame, Module, Trace
from abut.tuning.objects import GRANULE

MOST_DEPTH = 4
_MOST_OFFSET = 1 << 32
_ONE_SIZE = 0.9  # of a context's objects, so that it stands for a type
_ENOUGH = 0.8  # of all objects in such contexts
_BUILD_ID_DIGITS = 40

Step = tuple[str, int]
Key = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a trace: number n is `keys[n - 1]`; `numbers` has one a context, 0 for none."""

    depth: int
    keys: list[Key]
    numbers: Array


def key_of(chain: Sequence[Frame], modules: Sequence[Module], depth: int) -> Key | None:
    """The chain's key; None where its first step has no file with a build-id."""
    steps: list[Step] = []
    for frame in chain[:depth]:
        # A damaged trace lacks modules and contexts that it speaks of.
        build_id = modules[frame.module - 1].build_id if 0 < frame.module <= len(modules) else ""
        if not build_id or len(build_id) > _BUILD_ID_DIGITS or frame.offset >= _MOST_OFFSET:
            break
        steps.append((build_id, frame.offset))
    return tuple(steps) or None


def keys_of(trace: Trace, depth: int | None = None) -> Keys:
    """The keys of all contexts, of `depth` steps, or as many as distinguish types."""
    if depth is None:
        depth = _depth_that_tells_types(trace)
    modules = trace.modules()
    known: dict[Key, int] = {}
    prefix_of, prefixes = trace.call_prefixes(depth)
    number_of = np.zeros(len(prefixes) + 1, np.uint32)
    for prefix, frames in enumerate(prefixes, 1):
        key = key_of(frames, modules, depth)
        if key:
            number_of[prefix] = known.setdefault(key, len(known) + 1)
    numbers = number_of[prefix_of]
    return Keys(depth, list(known), numbers)


def _depth_that_tells_types(trace: Trace) -> int:
    """The fewest steps with which most objects are of contexts of one size, or what comes nearest.

    One step does for programs that call malloc from where they need it; those that have a function
    of their own in between need two or three.
    """
    objects = trace.objects(accesses=False)
    shares = []
    for depth in range(1, MOST_DEPTH + 1):
        numbers = keys_of(trace, depth).numbers
        known = np.where(objects["context"] < len(numbers), objects["context"], 0)
        share = _share_of_one_size(numbers[known], objects["size"])
        if share >= _ENOUGH:
            return depth
        shares.append(share)
    return 1 + int(np.argmax(shares))


def _share_of_one_size(numbers: Array, sizes: Array) -> float:
    if not len(numbers):
        return 1.0
    granules = np.minimum((sizes + GRANULE - 1) // GRANULE, 1 << 20)
    pairs, counts = np.unique(numbers.astype(np.int64) << 32 | granules, return_counts=True)
    context = pairs >> 32
    all_of = np.bincount(context, counts)
    most_of = np.zeros(len(all_of))
    np.maximum.at(most_of, context, counts)
    typed = most_of >= _ONE_SIZE * np.maximum(all_of, 1)
    return float(all_of[typed].sum() / all_of.sum())
