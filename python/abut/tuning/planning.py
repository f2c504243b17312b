"""From traces to a plan, and from a plan back to where a trace's objects would lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from abut.errors import AbutError
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.tuning.keys import Key, Keys, keys_of
from abut.tuning.objects import LEAST, MOST, Cache, Layout, Objects, in_order, read_objects
from abut.tuning.plan import GRANULE, PAGE, SLOT, Plan, PlannedContext
from abut.tuning.strategies import Strategy

BASE = 1 << 44  # where a simulated plan's memory begins: far from where programs have theirs
_LEAST_SHARE = 1 / 16  # of a context's objects: if fewer are placed, it is left out
_POOL_ROOM = 8  # times what was recorded: other inputs may need more, and room costs nothing
_LEAST_POOL = 4 << 20
_MOST_MEMORY = 1 << 36


@dataclass(frozen=True, slots=True)
class Recorded:
    """A trace's objects, with the keys of its contexts; `program`: its build-id."""

    program: str
    keys: Keys
    objects: Objects


def read_recorded(
    trace: Trace,
    *,
    depth: int | None = None,
    windows: Sequence[tuple[int, int]] = (),
    cache: Cache | None = None,
    seed: int = 1,
) -> Recorded:
    """Read a trace for strategies; of accesses, those in `windows` (ranges of chunks) if there are.

    Raises AbutError where it holds nothing that can be placed.
    """
    keys = keys_of(trace, depth)
    objects = read_objects(trace, numbers=keys.numbers, windows=windows, cache=cache, seed=seed)
    if not objects.placeable.any():
        damage = f"; damaged, {trace.damages[0]}" if trace.damages else ""
        raise AbutError(
            f"{trace.path}: no object can be placed: none is of 9 to 512 bytes and from a program "
            f"or library with a build-id{damage}",
            fix="record a program that allocates, linked with --build-id",
        )
    modules = trace.modules()
    program = modules[0].build_id if modules else ""
    if not program:
        raise AbutError(
            f"{trace.path}: the program has no build-id, so no plan could be matched to it",
            fix="link it with -Wl,--build-id",
        )
    return Recorded(program, keys, objects)


def check_layout(objects: Objects, layout: Layout, strategy: Strategy) -> None:
    """Raise AbutError where a strategy's answer is none."""
    offsets = layout.offsets
    if len(offsets) != len(objects):
        wrong = f"{len(offsets)} offsets for {len(objects)} objects"
    elif not np.issubdtype(offsets.dtype, np.integer):
        wrong = "offsets that are no whole numbers"
    elif (offsets[offsets >= 0] % GRANULE).any():
        wrong = f"offsets that are no multiples of {GRANULE}"
    elif (offsets[~objects.placeable] >= 0).any():
        wrong = "offsets for objects that cannot be placed"
    elif int(offsets.max(initial=-1)) > _MOST_MEMORY - PAGE:
        wrong = "offsets beyond what a plan can have"
    else:
        return
    raise AbutError(f"strategy {strategy.name}: gave {wrong}", fix="see docs/guides/strategy.md")


def make_plan(recorded: Sequence[Recorded], strategy: Strategy) -> Plan:
    """One plan for all traces. A context that several know gets the slots that the one with most
    objects of it gives; each trace's slots lie in a part of the memory of their own.
    """
    if len({run.program for run in recorded}) > 1:
        raise AbutError(
            "the traces are of several programs, or builds of one",
            fix="make a plan for each, from traces of it alone",
        )
    chosen: dict[Key, PlannedContext] = {}
    lengths: list[int] = []  # of pools
    end = 0
    for run in recorded:
        layout = strategy.place(run.objects)
        check_layout(run.objects, layout, strategy)
        numbers: dict[int, int] = {}
        for pool, length in _pool_lengths(run.objects, layout).items():
            lengths.append(length)
            numbers[pool] = len(lengths)
        top = end // GRANULE
        for key, slots, pool in _contexts(run, layout, end // GRANULE):
            if pool and key not in chosen:
                chosen[key] = PlannedContext(key, slots[:0], numbers[pool])
            elif not pool and _placed(slots) > _placed_of(chosen.get(key)):
                chosen[key] = PlannedContext(key, slots)
                top = max(top, _end(slots))
        end = -(-top * GRANULE // PAGE) * PAGE
    begins = list(accumulate(lengths, initial=end))
    return Plan(
        program=recorded[0].program,
        strategy=strategy.name,
        steps=max(run.keys.depth for run in recorded),
        memory_bytes=begins[-1],
        contexts=list(chosen.values()),
        pools=list(zip(begins[:-1], lengths, strict=True)),
    )


def planned_addresses(run: Recorded, plan: Plan) -> Array:
    """Where the trace's objects would lie with the plan; where it has no slot, as recorded."""
    objects = run.objects
    offsets = np.full(len(objects), -1, np.int64)
    known = plan.by_key()
    members: dict[int, list[Array]] = {}
    for key, rows in _rows_by_key(run):
        planned = known.get(key)
        if planned is None:
            continue
        if planned.pool:
            members.setdefault(planned.pool, []).append(rows)
            continue
        count = min(len(rows), len(planned.slots))
        slots, taken = planned.slots[:count], rows[:count]
        fits = (slots["kept"] != 0) & (_granules(objects.size[taken]) == slots["requested"])
        offsets[taken[fits]] = slots["offset"][fits].astype(np.int64) * GRANULE
    for pool, parts in members.items():
        rows = np.sort(np.concatenate(parts))
        begin, length = plan.pools[pool - 1]
        placed = in_order(objects, rows, share=True, begin=begin)[rows]
        offsets[rows] = np.where(placed < begin + length, placed, -1)
    return addresses(objects, offsets)


def addresses(objects: Objects, offsets: Array) -> Array:
    """Addresses for the simulator: of the layout, or as recorded."""
    return np.where(offsets >= 0, offsets + BASE, objects.address).astype(np.uint64)


def _granules(sizes: Array) -> Array:
    return (sizes.astype(np.int64) + GRANULE - 1) // GRANULE


def _rows_by_key(run: Recorded) -> list[tuple[Key, Array]]:
    """For each key the rows that a heap would ask the plan for, in the order of birth."""
    objects = run.objects
    asked = (objects.size >= LEAST) & (objects.size <= MOST) & (objects.align <= GRANULE)
    rows = np.flatnonzero(asked & (objects.context != 0))
    order = rows[np.argsort(objects.context[rows], kind="stable")]
    numbers = objects.context[order]
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(order)]
    return [
        (run.keys.keys[int(numbers[begin]) - 1], order[begin:end])
        for begin, end in pairwise(cuts)
        if begin < end
    ]


def _contexts(run: Recorded, layout: Layout, base: int) -> list[tuple[Key, Array, int]]:
    found = []
    objects = run.objects
    for key, rows in _rows_by_key(run):
        pool = layout.pools.get(int(objects.context[rows[0]]), 0)
        offsets = layout.offsets[rows]
        placed = np.flatnonzero(offsets >= 0)
        if not pool and len(placed) <= _LEAST_SHARE * len(rows):
            continue
        count = 0 if pool else int(placed[-1]) + 1
        slots = np.zeros(count, SLOT)
        kept = offsets[:count] >= 0
        slots["requested"] = _granules(objects.size[rows[:count]])
        slots["kept"] = np.where(kept, _granules(objects.most[rows[:count]]), 0)
        slots["offset"] = np.where(kept, offsets[:count] // GRANULE + base, 0)
        found.append((key, slots, pool))
    return found


def _pool_lengths(objects: Objects, layout: Layout) -> dict[int, int]:
    lengths = {}
    for pool in sorted(set(layout.pools.values())):
        contexts = [context for context, number in layout.pools.items() if number == pool]
        placed = layout.offsets[np.isin(objects.context, contexts) & (layout.offsets >= 0)]
        recorded = int(placed.max() - placed.min()) + MOST if len(placed) else 0
        lengths[pool] = -(-max(_POOL_ROOM * recorded, _LEAST_POOL) // PAGE) * PAGE
    return lengths


def _placed(slots: Array) -> int:
    return int((slots["kept"] != 0).sum())


def _placed_of(context: PlannedContext | None) -> int:
    return _placed(context.slots) if context else 0


def _end(slots: Array) -> int:
    return int((slots["offset"].astype(np.int64) + slots["kept"]).max(initial=0))
