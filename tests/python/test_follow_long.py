"""Plans of many objects: what of them stays in memory, and how much it takes to follow them."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.places import library_candidate
from abut.plans.file import PAGE, write_plan
from conftest import abut_environment
from follow_help import Planned

MANY = 200_000


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return Planned(tmp_path_factory.mktemp("follow"))


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
    without, _ = _most_resident(planned, "")
    with_plan, counts = _most_resident(planned, str(long_plan))
    assert counts["placed"] == 2 * MANY
    assert counts["missed"] == counts["occupied"] == 0
    assert with_plan < 1.1 * without


def _most_resident(planned: Planned, plan: str) -> tuple[int, dict[str, Any]]:
    stats = planned.folder / "most.json"
    variables = {"LD_PRELOAD": str(library_candidate()), "ABUT_PLAN": plan}
    process = subprocess.Popen(
        [str(planned.program), "maps", str(MANY)],
        stdout=subprocess.DEVNULL,
        env=abut_environment(ABUT_STATS=str(stats), **variables),
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss, json.loads(stats.read_text()).get("plan", {})


def test_of_a_long_plan_what_has_been_followed_is_not_mapped_any_more(
    planned: Planned, long_plan: Path
) -> None:
    assert long_plan.stat().st_size > 2 * 2 * MANY
    # The begin and the end of what each of the two contexts has.
    assert 0 < _mapped_bytes(planned, long_plan) <= 4 * 65536 + PAGE


def test_a_short_plan_is_read_and_not_mapped(planned: Planned) -> None:
    assert _mapped_bytes(planned, planned.plan_file) == 0


def _mapped_bytes(planned: Planned, plan: Path) -> int:
    """How much of the plan's file is mapped when the objects are there."""
    done = planned.abut("run", "--plan", str(plan), "--", str(planned.program), "maps", str(MANY))
    assert done.returncode == 0, done.stderr
    ranges = [line.split()[0].split("-") for line in done.stdout.splitlines()]
    return sum(int(end, 16) - int(begin, 16) for begin, end in ranges)
