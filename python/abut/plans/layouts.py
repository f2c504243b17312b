"""Layouts for the simulator by name: of a strategy, or as a plan's file has them."""

from pathlib import Path
from typing import TYPE_CHECKING

from abut.trace.native import Array
from abut.trace.reader import Trace

if TYPE_CHECKING:
    from abut.analysis.simulation import Job

_PREFIX = "strategy:"


def is_plan(name: str) -> bool:
    """Whether a layout's name is a plan's file."""
    return name.endswith(".plan") or "/" in name


def is_planned(name: str) -> bool:
    """Whether a layout is computed here: a plan's or a strategy's, not a heap's."""
    return is_plan(name) or name in strategy_layouts()


def strategy_layouts() -> list[str]:
    """The strategies; where simple layouts have the same names, `strategy:` tells them apart."""
    from abut.strategies import strategy_names

    names = strategy_names()
    return [*names, *(_PREFIX + name for name in names)]


def layout_addresses(trace: Trace, job: "Job") -> Array:
    """Where the objects of a trace lie. Raises AbutError where the layout cannot be."""
    from abut.plans.choice import cache_of
    from abut.plans.planning import addresses, check_layout, planned_addresses, read_recorded

    cache = cache_of(job.preset) if job.preset.levels else None
    if is_plan(job.layout):
        from abut.plans.file import read_plan

        plan = read_plan(Path(job.layout))
        return planned_addresses(read_recorded(trace, depth=plan.steps, cache=cache), plan)
    from abut.strategies import find_strategy

    strategy = find_strategy(job.layout.removeprefix(_PREFIX))
    objects = read_recorded(trace, cache=cache, seed=job.seed).objects
    layout = strategy.place(objects)
    check_layout(objects, layout, strategy)
    return addresses(objects, layout.offsets)
