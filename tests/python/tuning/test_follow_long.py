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


def test_a_plan_that_packs_adds_a_tenth_of_memory_at_the_most(
    planned: Planned, long_plan: Path
) -> None:
    without, _ = _memory(planned, "")
    with_plan, mapped = _memory(planned, str(long_plan))
    assert with_plan < 1.1 * without
    # The begin and the end of what each of the two contexts has.
    assert 0 < mapped <= 4 * 65536 + PAGE


def test_all_of_a_long_plan_is_followed(planned: Planned, long_plan: Path) -> None:
    stats = planned.folder / "long.json"
    _memory(planned, str(long_plan), ABUT_STATS=str(stats))
    counts = json.loads(stats.read_text())["plan"]
    assert counts["placed"] == 2 * MANY
    assert counts["missed"] == counts["occupied"] == 0


def test_a_short_plan_is_read_and_not_mapped(planned: Planned) -> None:
    _, mapped = _memory(planned, str(planned.plan_file))
    assert mapped == 0


def _memory(planned: Planned, plan: str, **variables: str) -> tuple[int, int]:
    """The most that was resident, and how much of the plan's file is mapped when all objects are
    there: bytes.
    """
    variables |= {"LD_PRELOAD": str(preloadable(library_candidate())), "ABUT_PLAN": plan}
    done = subprocess.run(
        [str(planned.program), "maps", str(MANY)],
        capture_output=True,
        text=True,
        env=abut_environment(**variables),
        check=True,
    )
    resident, *ranges = done.stdout.splitlines()
    ends = [line.split()[0].split("-") for line in ranges]
    return int(resident.split()[1]) * 1024, sum(
        int(end, 16) - int(begin, 16) for begin, end in ends
    )
