"""Plan files: made from layouts, read and checked.

The format is described in src/runtime/placement/plan/format.hpp.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abut.errors import AbutError, refused
from abut.targets import write
from abut.trace.native import Array, native_module
from abut.tuning.keys import MOST_DEPTH, Key

GRANULE, PAGE = 16, 4096
VERSION = 2
_FIX = "make it again with `abut place` or `abut tune`"
MAGIC = b"abutpln\n"
_HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("steps", "<u4"),
        ("file_bytes", "<u8"),
        ("checksum", "<u8"),
        ("memory_bytes", "<u8"),
        ("modules", "<u4"),
        ("contexts", "<u4"),
        ("pools", "<u4"),
        ("reserved", "<u4"),
        ("slots", "<u8"),
        ("strategy", "S56"),
        ("head_checksum", "<u8"),
    ]
)
_MODULE = np.dtype([("build_id", "u1", 20), ("length", "<u4")])
_STEP = np.dtype([("module", "<u4"), ("offset", "<u4")])
_CONTEXT = np.dtype(
    [("steps", _STEP, MOST_DEPTH), ("first_byte", "<u8"), ("slots", "<u4"), ("pool", "<u4")]
)
_POOL = np.dtype([("offset", "<u8"), ("bytes", "<u8")])
SLOT = np.dtype([("offset", "<u4"), ("requested", "<u2"), ("kept", "<u2")])


@dataclass(frozen=True, slots=True)
class PlannedContext:
    """What a plan holds for a context: slots for its first objects, or a pool, from 1, for all."""

    key: Key
    slots: Array
    pool: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: contexts with their slots, and the memory that those lie in.

    `program`: the build-id of what was recorded, in hexadecimal. `pools`: the begin and length of
    each, in bytes. `steps`: how long keys are at the most.
    """

    program: str
    strategy: str
    steps: int
    memory_bytes: int
    contexts: Sequence[PlannedContext]
    pools: Sequence[tuple[int, int]] = ()

    @property
    def placed(self) -> int:
        """How many objects have a slot."""
        return sum(int((context.slots["kept"] != 0).sum()) for context in self.contexts)

    def by_key(self) -> Mapping[Key, PlannedContext]:
        """The contexts by their keys."""
        return {context.key: context for context in self.contexts}


def plan_bytes(plan: Plan) -> bytes:
    """The file's contents."""
    module = native_module()
    numbers = {plan.program: 1}
    for context in plan.contexts:
        for build_id, _ in context.key:
            numbers.setdefault(build_id, len(numbers) + 1)
    modules = np.zeros(len(numbers), _MODULE)
    for row, build_id in enumerate(numbers):
        raw = bytes.fromhex(build_id)
        modules[row]["build_id"][: len(raw)] = np.frombuffer(raw, np.uint8)
        modules[row]["length"] = len(raw)
    contexts = np.zeros(len(plan.contexts), _CONTEXT)
    coded, first = [], 0
    for row, context in enumerate(plan.contexts):
        for step, (build_id, offset) in enumerate(context.key):
            contexts[row]["steps"][step] = (numbers[build_id], offset)
        contexts[row]["first_byte"] = first
        contexts[row]["slots"] = len(context.slots)
        contexts[row]["pool"] = context.pool
        coded.append(module.code_slots(context.slots.tobytes()))
        first += len(coded[-1])
    pools = np.array(list(plan.pools), _POOL)
    body = b"".join([*(part.tobytes() for part in (modules, contexts, pools)), *coded])
    header = np.zeros(1, _HEADER)
    header["magic"] = MAGIC
    header["version"] = VERSION
    header["steps"] = plan.steps
    header["file_bytes"] = _HEADER.itemsize + len(body)
    header["checksum"] = module.plan_checksum(body)
    header["memory_bytes"] = plan.memory_bytes
    header["modules"], header["contexts"] = len(modules), len(contexts)
    header["pools"] = len(pools)
    header["slots"] = sum(len(context.slots) for context in plan.contexts)
    header["strategy"] = plan.strategy.encode()[:55]
    header["head_checksum"] = module.plan_checksum(header.tobytes()[:-8])
    return header.tobytes() + body


def write_plan(plan: Plan, path: Path) -> None:
    """Write the file, or none: what is there is replaced when all is written."""
    write(path, plan_bytes(plan))


def read_plan(path: Path) -> Plan:
    """The plan in a file, checked in full. Raises AbutError that says what is wrong."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise refused(path, error) from error
    if wrong := native_module().check_plan(data):
        raise AbutError(f"{path}: {wrong}", fix=_FIX)
    header = np.frombuffer(data, _HEADER, 1)[0]
    at = _HEADER.itemsize
    parts = []
    for dtype, name in ((_MODULE, "modules"), (_CONTEXT, "contexts"), (_POOL, "pools")):
        parts.append(np.frombuffer(data, dtype, int(header[name]), at))
        at += dtype.itemsize * int(header[name])
    modules, contexts, pools = parts
    if not len(modules):
        raise AbutError(f"{path}: it names no program", fix=_FIX)
    build_ids = [bytes(row["build_id"][: row["length"]]).hex() for row in modules]
    return Plan(
        program=build_ids[0],
        strategy=header["strategy"].decode("utf-8", "replace"),
        steps=int(header["steps"]),
        memory_bytes=int(header["memory_bytes"]),
        contexts=[
            PlannedContext(
                tuple(
                    (build_ids[int(step["module"]) - 1], int(step["offset"]))
                    for step in row["steps"]
                    if step["module"]
                ),
                _slots(data, at + int(row["first_byte"]), int(row["slots"])),
                int(row["pool"]),
            )
            for row in contexts
        ],
        pools=[(int(row["offset"]), int(row["bytes"])) for row in pools],
    )


def _slots(data: bytes, at: int, count: int) -> Array:
    return np.frombuffer(native_module().read_slots(data, at, count), SLOT)
