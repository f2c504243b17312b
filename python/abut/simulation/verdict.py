"""What a simulation comes to, in a sentence or two: the first thing that a reader should know."""

from collections.abc import Iterator, Sequence

from abut.simulation.caches import LevelCounts
from abut.simulation.jobs import Result
from abut.simulation.owners import OwnerRow

_FEW = 3
_MOST = 0.5
_NOTABLE = 0.01


def verdict(result: Result) -> list[str]:
    """Sentences, the most telling first."""
    if not result.total_references:
        return ["the trace holds no accesses"]
    return [*_use_of_lines(result), *_concentration(result), *_pollution(result)]


def first_hurting_level(result: Result) -> int:
    """The level whose misses cost the most beyond hits in it."""
    preset = result.job.preset
    cycles = {level.name: level.cycles for level in preset.levels}
    lost = [
        level.total_misses * max(0.0, cycles.get(own.below, preset.memory_cycles) - own.cycles)
        for level, own in zip(result.levels, preset.levels, strict=True)
    ]
    return lost.index(max(lost))


def pollution(result: Result) -> tuple[int, int, int] | None:
    """Misses of the first level: all in shared caches, the application's there, and its own when
    the allocator has other caches. None where that was not simulated.
    """
    if not result.split:
        return None
    shared, alone = result.levels[0], _named(result.split, result.levels[0].name)
    return shared.total_misses, shared.of_side(0)[1], alone.of_side(0)[1]


def _use_of_lines(result: Result) -> Iterator[str]:
    used = result.utilisation[0]
    if used.share is not None:
        line = f"{used.line_bytes}-byte line"
        yield f"{used.share:.0%} of each {line} brought into {result.levels[0].name} is used"


def _concentration(result: Result) -> Iterator[str]:
    number = first_hurting_level(result)
    level = result.levels[number]
    total = level.total_misses
    if not total:
        yield f"nothing misses {level.name}"
        return
    rate = level.total_misses / result.total_references
    nobodys = sum(row.misses[number] for row in result.owners if not row.owner)
    rows = sorted((row for row in result.owners if row.owner), key=lambda row: -row.misses[number])
    if rate < _NOTABLE / 10 or not result.owners:
        yield f"{level.name} misses {1000 * rate:.2f} times in 1000 accesses, which hardly matters"
        return
    if nobodys >= _MOST * total or not rows:
        own = level.of_side(1)[1] / total
        yield (
            f"{nobodys / total:.0%} of {level.name} misses are to memory of no known object; "
            f"{own:.0%} are the allocator's"
        )
        return
    chosen = _fewest(rows, number, total)
    share = sum(row.misses[number] for row in chosen) / total
    what = result.job.by + ("s" if len(chosen) > 1 else "")
    yield f"{share:.0%} of {level.name} misses come from {len(chosen)} {what}"


def _fewest(rows: Sequence[OwnerRow], number: int, total: int) -> Sequence[OwnerRow]:
    """The fewest owners that make up half of the misses, or the first few."""
    sum_of_misses = 0
    for count, row in enumerate(rows[:_FEW], 1):
        sum_of_misses += row.misses[number]
        if sum_of_misses >= _MOST * total:
            return rows[:count]
    return rows[:_FEW]


def _pollution(result: Result) -> Iterator[str]:
    found = pollution(result)
    if found is None or not found[0]:
        return
    every, _, alone = found
    name = result.levels[0].name
    removed = 1 - alone / every
    if removed >= 0:
        yield f"with caches of its own for the allocator, {removed:.0%} of {name} misses go"
    else:
        yield f"with caches of its own for the allocator, {name} misses {-removed:.0%} more often"


def _named(levels: Sequence[LevelCounts], name: str) -> LevelCounts:
    return next(level for level in levels if level.name == name)
