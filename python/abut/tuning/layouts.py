"""Layouts for the simulator by name: of a strategy, or as a plan's file has them."""

from collections.abc import Callable
from pathlib import Path

from abut.simulation.jobs import LAYOUTS, Job
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.tuning.choice import cache_of
from abut.tuning.plan import read_plan
from abut.tuning.planning import addresses, check_layout, planned_addresses, read_recorded
from abut.tuning.strategies import find_strategy, strategy_names, uses

_PREFIX = "strategy:"


def is_plan(name: str) -> bool:
    """Whether a layout's name is a plan's file."""
    return name.endswith(".plan") or "/" in name


def placer_of(name: str) -> Callable[[Trace, Job], Array] | None:
    """What computes a layout, a plan's or a strategy's; None for those that the simulator knows."""
    if name in LAYOUTS:
        return None
    return layout_addresses if is_plan(name) or name in strategy_layouts() else None


def strategy_layouts() -> list[str]:
    """The strategies; where simple layouts have the same names, `strategy:` tells them apart."""
    names = strategy_names()
    return [*names, *(_PREFIX + name for name in names)]


def is_drawn(name: str) -> bool:
    """Whether the seed may change a layout."""
    return not is_plan(name) and uses(name.removeprefix(_PREFIX), "seed")


def layout_addresses(trace: Trace, job: Job) -> Array:
    """Where the objects of a trace lie. Raises AbutError where the layout cannot be."""
    cache = cache_of(job.preset) if job.preset.levels else None
    if is_plan(job.layout):
        plan = read_plan(Path(job.layout))
        return planned_addresses(read_recorded(trace, depth=plan.steps, cache=cache), plan)
    strategy = find_strategy(job.layout.removeprefix(_PREFIX))
    objects = read_recorded(trace, cache=cache, seed=job.seed).objects
    layout = strategy.place(objects)
    check_layout(objects, layout, strategy)
    return addresses(objects, layout.offsets)
