"""Plans and strategies as words and tables."""

from typing import Any

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.tuning.choice import Choice
from abut.tuning.plan import Plan
from abut.tuning.strategies import find_strategy, strategy_names


def strategies_table() -> Table:
    """A row a strategy."""
    table = grid("", ["strategy", "lays objects out"], words=2)
    for name in strategy_names():
        table.add_row(name, find_strategy(name).about)
    return table


def choice_table(choice: Choice) -> Table:
    """A row a candidate, the best first."""
    table = grid(
        "simulated", ["strategy", "AMAT, cycles", "against the best", "memory", "objects placed"]
    )
    best = choice.best.mean_cycles
    for candidate in choice.candidates:
        plan = candidate.plan
        table.add_row(
            candidate.strategy,
            f"{candidate.mean_cycles:.2f}",
            f"{candidate.mean_cycles / best:.2f}" if best else "-",
            amount(plan.memory_bytes, "B"),
            amount(plan.placed, ""),
        )
    return table


def choice_words(choice: Choice) -> str:
    """What was written."""
    plan = choice.best.plan
    pooled = sum(1 for context in plan.contexts if context.pool)
    pools = f", {pooled} of them in {len(plan.pools)} pools" if pooled else ""
    return (
        f"{choice.path}: by {choice.best.strategy}, slots for {amount(plan.placed, '')} of "
        f"{amount(choice.objects, '')} objects, of {len(plan.contexts)} contexts{pools}, "
        f"in {amount(plan.memory_bytes, 'B')}"
    )


def choice_document(choice: Choice) -> dict[str, Any]:
    """The same as JSON has it."""
    return {
        "plan": str(choice.path),
        "objects": choice.objects,
        "damages": choice.damages,
        "candidates": [
            {"strategy": one.strategy, "cycles": one.cycles, **plan_document(one.plan)}
            for one in choice.candidates
        ],
    }


def plan_document(plan: Plan) -> dict[str, Any]:
    """A plan's measures."""
    return {
        "made_by": plan.strategy,
        "steps": plan.steps,
        "memory_bytes": plan.memory_bytes,
        "contexts": len(plan.contexts),
        "pools": len(plan.pools),
        "slots": sum(len(context.slots) for context in plan.contexts),
        "placed": plan.placed,
    }


def plan_table(plan: Plan, top: int) -> Table:
    """A row a context, those with the most objects first."""
    table = Table(title="contexts", title_justify="left")
    table.add_column("objects", justify="right")
    table.add_column("placed", justify="right")
    table.add_column("bytes each", justify="right")
    table.add_column("where")
    table.add_column("chain")
    ranked = sorted(plan.contexts, key=lambda context: -len(context.slots))
    for context in ranked[:top]:
        slots = context.slots
        sizes = sorted(set((slots["requested"] * 16).tolist()))
        shown = ", ".join(map(str, sizes[:3])) + (", ..." if len(sizes) > 3 else "")  # noqa: PLR2004
        table.add_row(
            amount(len(slots), "") if len(slots) else "any",
            amount(int((slots["kept"] != 0).sum()), ""),
            shown,
            f"pool {context.pool}" if context.pool else "slots",
            " < ".join(f"{build_id[:8]}+{offset:#x}" for build_id, offset in context.key),
        )
    return table
