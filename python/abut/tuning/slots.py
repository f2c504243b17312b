"""Plans of a slot an object, for what pools of contexts leave: those that the simulator sees a gain
in.
"""

from collections.abc import Callable
from pathlib import Path

from abut.tuning.contexts import NEXT_STEP
from abut.tuning.plan import write_plan
from abut.tuning.planning import make_plan, planned_addresses
from abut.tuning.policies import Policy
from abut.tuning.predictor import Predictor
from abut.tuning.strategies import find_strategy

STRATEGIES = ("combined", "usage-df", "hot-streams", "hot-cold", "lifetime", "affinity", "simple")
_MOST = 3  # plans to race


def slot_policies(
    predictor: Predictor, best: float, folder: Path, progress: Callable[[str], None]
) -> list[Policy]:
    """The plans that promise most, as policies; none where none promises a gain beyond `best`, the
    time that is predicted of other layouts. Plans lie in `folder`.
    """
    found: list[tuple[float, Policy]] = []
    for name in STRATEGIES:
        if not predictor.has_time:
            break
        progress(f"placing and simulating {name}")
        plan = make_plan([predictor.run], find_strategy(name))
        if not plan.contexts:
            continue
        predicted = predictor.predicted(planned_addresses(predictor.run, plan))
        file = folder / f"{name}.plan"
        write_plan(plan, file)
        why = f"a slot an object; {predicted:.3f} of the time, simulated"
        found.append((predicted, Policy(f"slots-{name}", {"plan": str(file)}, why)))
    promising = [one for one in found if one[0] <= NEXT_STEP * min(1.0, best)]
    return [policy for _, policy in sorted(promising, key=lambda one: one[0])[:_MOST]]
