"""Plans of many objects: what of them stays in memory, and how much it takes to follow them."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abut.places import library_candidate
from abut.preloading import preloadable
from abut.tuning.plan import PAGE, write_plan
from conftest import abut_environment
from follow_help import Planned

MANY = 200_000


@pytest.fixture(scope="module")
def long_plan(planned: Planned) -> Path:
    """For many more objects than were recorded: every thousand of them lie where they are born,
    but in another order. It takes two bytes a slot.
    """
    rows = np.arange(MANY)
    order = rows // 1000 * 1000 + rows * 7 % 1000
    contexts = []
    for context in planned.plan.contexts:
        size = int(context.slots["requested"][0])
        slots = np.resize(context.slots, MANY)
        slots["offset"] = order * 5 + (0 if size == 3 else 3)
        contexts.append(replace(context, slots=slots))
    path = planned.folder / "many.plan"
    write_plan(
        replace(planned.plan, contexts=contexts, memory_bytes=-(-MANY * 80 // PAGE) * PAGE), path
    )
    return path


def test_a_plan_that_packs_adds_hardly_any_resident_memory(
    planned: Planned, long_plan: Path
) -> None:
    without = _memory(planned, "")
    # It is given back as it is followed: the most that is resident does not grow by all of it.
    assert _memory(planned, str(long_plan)) < 1.02 * without


def test_all_of_a_long_plan_is_followed(planned: Planned, long_plan: Path) -> None:
    stats = planned.folder / "long.json"
    _memory(planned, str(long_plan), ABUT_STATS=str(stats))
    counts = json.loads(stats.read_text())["plan"]
    assert counts["placed"] == 2 * MANY
    assert counts["missed"] == counts["occupied"] == 0


def test_a_plans_file_may_be_cut_short_meanwhile(planned: Planned, long_plan: Path) -> None:
    plan = planned.folder / "cut.plan"
    plan.write_bytes(long_plan.read_bytes())
    stats = planned.folder / "cut.json"
    run = [str(planned.program), "truncates", str(MANY)]
    preload = str(preloadable(library_candidate()))
    variables = {"LD_PRELOAD": preload, "ABUT_PLAN": str(plan), "ABUT_STATS": str(stats)}
    environment = abut_environment(**variables)
    subprocess.run(run, env=environment, stdout=subprocess.DEVNULL, check=True)
    assert plan.stat().st_size == 0
    assert json.loads(stats.read_text())["plan"]["placed"] == 2 * MANY


def _memory(planned: Planned, plan: str, **variables: str) -> int:
    """The most that was resident when all objects are there: bytes."""
    variables |= {"LD_PRELOAD": str(preloadable(library_candidate())), "ABUT_PLAN": plan}
    done = subprocess.run(
        [str(planned.program), "peak", str(MANY)],
        capture_output=True,
        text=True,
        env=abut_environment(**variables),
        check=True,
    )
    return int(done.stdout.split()[1]) * 1024
