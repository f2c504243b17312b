"""Cyll's tables, and his figures as charts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.table import Table

from abut.heaps import GLIBC
from abut.papers import Claim
from abut.reporters.charts import Chart
from abut.reporters.grid import grid
from abut_papers.common.bars import bars
from abut_papers.cyll import figures
from abut_papers.cyll.figures import NO_PLAN, REFERENCE, ProgramRuns


@dataclass(frozen=True, slots=True)
class CyllResult:
    """All programs."""

    programs: Sequence[ProgramRuns]
    heaps: Sequence[str]

    def claims(self) -> list[Claim]:
        """Tables 5.2, 5.4, 5.11, 5.13: what he points out, of the programs that were measured."""
        return [
            Claim(f"{what}, {one.program}", f"{his:.2f}", f"{ours:.2f}", why)
            for one in self.programs
            for what, his, ours, why in points(one)
        ]

    def tables(self) -> list[Table]:
        """Times, then misses, then the heaps."""
        slim = [one for one in self.programs if one.slim_time(REFERENCE) is not None]
        strategies = _strategies(self.programs)
        return [
            _times_table(strategies, self.programs),
            *(_misses_table(strategies, self.programs, level) for level in (0, 1)),
            *(system_table(program) for program in self.programs if program.references),
            _table(
                "heaps without a plan: time / simple's (his system's): tables 5.11 and 5.12",
                (self.heaps, self.programs),
                lambda program, heap: _by_simple(program.seconds, heap),
                lambda program, heap: (
                    figures.his_system_time(program) if heap == GLIBC.name else None
                ),
            ),
            _table(
                "a plan under cyll / under abut (his that only follows): tables 5.13 and 5.14",
                (_strategies(slim), slim),
                lambda program, strategy: program.slim_time(strategy),
                figures.his_slim_time,
            ),
        ][: None if slim else -1]

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
                {
                    one.program: {
                        name: time for name in names if (time := _by_simple(value(one), name))
                    }
                    for one in self.programs
                },
            )
            for title, names, value in drawn
        ]


def _table(
    title: str,
    of: tuple[Sequence[str], Sequence[ProgramRuns]],
    ours: Callable[[ProgramRuns, str], float | None],
    his: Callable[[str, str], float | None],
) -> Table:
    """A row a strategy or heap, a column a program: ours, and his in brackets."""
    names, programs = of
    table = grid(title, ["strategy", *(program.program for program in programs)])
    for name in names:
        cells = [(ours(program, name), his(program.program, name)) for program in programs]
        table.add_row(name, *("-" if one is None else _beside(one, other) for one, other in cells))
    return table


def _by_simple(values: Mapping[str, float], name: str) -> float | None:
    return values[name] / (values[REFERENCE] or 1) if name in values else None


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
    found = []
    for one in ("random", "usage-df by ping"):
        time, misses = (_by_simple(of, one) for of in (program.seconds, program.of_level(1)))
        his_time = figures.his_time(program.program, one)
        his_misses = figures.his_misses(program.program, one, 1)
        found.append((f"time of {one}", his_time, time, _WHY.get(one, "")))
        found.append((f"L2 misses of {one}", his_misses, misses, ""))
    time, his = _by_simple(program.seconds, "glibc"), figures.his_system_time(program.program)
    found.append(("time of the system's", his, time, _WHY["glibc"]))
    time, his = program.slim_time(REFERENCE), figures.his_slim_time(program.program, REFERENCE)
    found.append(("time of a library that only follows, by the other", his, time, ""))
    for what, theirs, ours, why in found:
        if theirs is not None and ours is not None:
            yield what, theirs, ours, why if ours < theirs else ""


def _times_table(strategies: Sequence[str], programs: Sequence[ProgramRuns]) -> Table:
    """Tables 5.1 and 5.2: the least times, as multiples of `simple`'s; his in brackets."""
    table = _table(
        "time / simple's (his): tables 5.1 and 5.2",
        (strategies, programs),
        lambda program, strategy: _by_simple(program.seconds, strategy),
        figures.his_time,
    )
    cells = []
    for one in programs:
        his = figures.his_seconds(one.program, REFERENCE)
        shown = f"{one.seconds[REFERENCE] * 1000:.1f}"
        cells.append(shown + (f" ({his * 1000:.1f})" if his is not None else ""))
    table.add_row("simple, in ms", *cells)
    return table


def _misses_table(strategies: Sequence[str], programs: Sequence[ProgramRuns], level: int) -> Table:
    """Tables 5.3 to 5.8: simulated misses of one level, as multiples of `simple`'s."""
    table = _table(
        f"simulated L{level + 1} misses / simple's (his): tables 5.3 to 5.8",
        ([*strategies, NO_PLAN], programs),
        lambda program, strategy: _by_simple(program.of_level(level), strategy),
        partial(figures.his_misses, level=level),
    )
    table.add_row("simple misses", *(f"{one.misses[REFERENCE][level]:,}" for one in programs))
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
