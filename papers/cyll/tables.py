"""Cyll's tables, and his figures as charts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from abut.heaps import GLIBC
from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut_papers.common.bars import bars
from abut_papers.cyll import figures
from abut_papers.cyll.figures import NO_PLAN, REFERENCE, ProgramRuns

# Ours, of a program under a strategy or heap, and his where he has it; None where there is none.
_Cell = tuple[float, float | None] | None


@dataclass(frozen=True, slots=True)
class CyllResult:
    """All programs."""

    programs: Sequence[ProgramRuns]
    heaps: Sequence[str]

    def claims(self) -> list[Claim]:
        """Tables 5.2, 5.4 and 5.11: what he points out, of the programs that were measured."""
        return [
            Claim(f"{what}, {one.program}", f"{his:.2f}", f"{ours:.2f}", why)
            for one in self.programs
            for what, his, ours, why in points(one)
        ]

    def tables(self) -> list[Table]:
        """Times, then misses, then the heaps."""
        slim = [one for one in self.programs if one.slim_time(REFERENCE) is not None]
        return [
            times_table(self.programs),
            misses_table(self.programs, 0),
            misses_table(self.programs, 1),
            *(system_table(program) for program in self.programs if program.references),
            heaps_table(self.programs, self.heaps),
            *([slim_table(slim)] if slim else []),
        ]

    def document(self) -> dict[str, Any]:
        """All of it."""
        return {"programs": [asdict(one) for one in self.programs]}

    def charts(self) -> list[Chart]:
        """His figures 5.1 to 5.8, as multiples of `simple`'s: a group of bars a program."""
        strategies = _strategies(self.programs)
        drawn: list[tuple[str, Sequence[str], Callable[[ProgramRuns], Mapping[str, float]]]] = [
            ("figures 5.1 to 5.3: time", strategies, lambda one: one.seconds),
            ("figures 5.4 to 5.6: L1 misses", strategies, lambda one: one.of_level(0)),
            ("figures 5.4 to 5.6: L2 misses", strategies, lambda one: one.of_level(1)),
            ("figures 5.7 and 5.8: time of heaps", self.heaps, lambda one: one.seconds),
        ]
        return [
            bars(
                title,
                "by simple's",
                {one.program: _by_simple(value(one), names) for one in self.programs},
            )
            for title, names, value in drawn
        ]


def _table(
    title: str,
    names: Sequence[str],
    programs: Sequence[ProgramRuns],
    cell: Callable[[ProgramRuns, str], _Cell],
) -> Table:
    """A row a strategy or heap, a column a program: ours, and his in brackets."""
    table = grid(title, ["strategy", *(program.program for program in programs)])
    for name in names:
        found = [cell(program, name) for program in programs]
        table.add_row(name, *(_beside(*both) if both else "-" for both in found))
    return table


def _strategies(programs: Sequence[ProgramRuns]) -> list[str]:
    """Of all programs: some know no pings."""
    return list(dict.fromkeys(name for one in programs for name in one.strategies()))


def _beside(ours: float, his: float | None) -> str:
    return f"{ours:.3f}" if his is None else f"{ours:.3f} ({his:.3f})"


_WHY = {  # where ours is less
    "random": "caches of today hold more of it",
    "glibc": "the system's allocator of today is as fast as one that only follows",
}


def points(program: ProgramRuns) -> Iterator[tuple[str, float, float, str]]:
    """What he points out of a program: what it is, his figure, ours, and why they may differ."""
    simple = program.seconds[REFERENCE]
    for strategy in ("random", "usage-df by ping"):
        his = figures.his_time(program.program, strategy)
        if his is not None and strategy in program.seconds:
            ours = program.seconds[strategy] / simple
            yield f"time of {strategy}", his, ours, _WHY.get(strategy, "") if ours < his else ""
        his = figures.his_misses(program.program, strategy, 1)
        if his is not None and strategy in program.misses:
            ours = program.misses[strategy][1] / max(1, program.misses[REFERENCE][1])
            yield f"L2 misses of {strategy}", his, ours, ""
    his = figures.his_system_time(program.program)
    if his is not None and GLIBC.name in program.seconds:
        ours = program.seconds[GLIBC.name] / simple
        yield "time of the system's", his, ours, _WHY[GLIBC.name] if ours < his else ""


def times_table(programs: Sequence[ProgramRuns]) -> Table:
    """Tables 5.1 and 5.2: the least times, as multiples of `simple`'s; his in brackets."""

    def cell(program: ProgramRuns, strategy: str) -> _Cell:
        if strategy not in program.seconds:
            return None
        time = program.seconds[strategy] / program.seconds[REFERENCE]
        return time, figures.his_time(program.program, strategy)

    title = "time / simple's (his): tables 5.1 and 5.2"
    table = _table(title, _strategies(programs), programs, cell)
    seconds = [
        _milliseconds(program.seconds[REFERENCE], figures.his_seconds(program.program, REFERENCE))
        for program in programs
    ]
    table.add_row("simple, in ms", *seconds)
    return table


def _milliseconds(ours: float, his: float | None) -> str:
    return f"{ours * 1000:.1f}" + (f" ({his * 1000:.1f})" if his is not None else "")


def misses_table(programs: Sequence[ProgramRuns], level: int) -> Table:
    """Tables 5.3 to 5.8: simulated misses of one level, as multiples of `simple`'s."""

    def cell(program: ProgramRuns, strategy: str) -> _Cell:
        if strategy not in program.misses:
            return None
        misses = program.misses[strategy][level] / max(1, program.misses[REFERENCE][level])
        return misses, figures.his_misses(program.program, strategy, level)

    title = f"simulated L{level + 1} misses / simple's (his): tables 5.3 to 5.8"
    table = _table(title, [*_strategies(programs), NO_PLAN], programs, cell)
    counts = [f"{program.misses[REFERENCE][level]:,}" for program in programs]
    table.add_row("simple misses", *counts)
    return table


def system_table(program: ProgramRuns) -> Table:
    """Tables 5.9 and 5.10: the system's allocator; Simple with memory taken beforehand or not."""
    his = figures.HIS_SYSTEM if program.program == figures.SYSTEM_PROGRAM else {}
    table = grid(
        f"{program.program}: tables 5.9 and 5.10 (his)",
        ["allocator", "time / system's", "references", "L1 miss rate", "L2 miss rate"],
    )
    for heap in figures.HIS_SYSTEM:
        if not {heap, GLIBC.name} <= program.seconds.keys():
            continue
        time, his_rates = his.get(heap, (None, None))
        rates = program.rates(heap)
        cells = ["-", "-", "-"]
        if rates is not None:
            pairs = zip(rates, his_rates or (None, None), strict=True)
            references = program.references[figures.SYSTEM if heap == GLIBC.name else heap]
            shown = [f"{own:.1%}" + (f" ({theirs:.1%})" if theirs else "") for own, theirs in pairs]
            cells = [f"{references:,}", *shown]
        table.add_row(
            heap, _beside(program.seconds[heap] / program.seconds[GLIBC.name], time), *cells
        )
    return table


def heaps_table(programs: Sequence[ProgramRuns], heaps: Sequence[str]) -> Table:
    """Tables 5.11 and 5.12: heaps without a plan, as multiples of `simple`'s time."""

    def cell(program: ProgramRuns, heap: str) -> _Cell:
        his = figures.his_system_time(program.program) if heap == GLIBC.name else None
        return program.seconds[heap] / program.seconds[REFERENCE], his

    title = "heaps without a plan: time / simple's (his system's): tables 5.11 and 5.12"
    return _table(title, heaps, programs, cell)


def slim_table(programs: Sequence[ProgramRuns]) -> Table:
    """Tables 5.13 and 5.14: the time with the plan alone as a multiple of that with friends."""

    def cell(program: ProgramRuns, strategy: str) -> _Cell:
        ours = program.slim_time(strategy) if strategy in program.seconds else None
        return (ours, figures.his_slim_time(program.program, strategy)) if ours else None

    title = "the plan alone / with friends (his that only follows): tables 5.13 and 5.14"
    return _table(title, _strategies(programs), programs, cell)


def _by_simple(values: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    simple = max(1e-9, values[REFERENCE])
    return {name: values[name] / simple for name in names if name in values}
