"""Plans that are followed: by the run that was recorded, and by runs that part from it."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from abut.trace.native import Array
from abut.tuning.plan import PAGE, Plan, read_plan, write_plan
from conftest import abut_environment
from follow_help import COUNT, Planned


def offsets_of(plan: Plan) -> tuple[list[int], list[int]]:
    """The slots of nodes (48 bytes) and of names (24)."""
    by_size = {int(context.slots["requested"][0]): context for context in plan.contexts}
    nodes, names = ((by_size[n].slots["offset"].astype(int) * 16).tolist() for n in (3, 2))
    return nodes, names


def test_the_recorded_run_gets_the_addresses_that_were_computed(planned: Planned) -> None:
    places, counts = planned.follow("exact")
    nodes, names = offsets_of(planned.plan)
    base = places[0][0] - nodes[0]
    assert [node - base for node, _ in places] == nodes
    assert [name - base for _, name in places] == names
    assert counts["placed"] == 2 * COUNT
    assert counts["missed"] == counts["skipped"] == counts["occupied"] == 0


@pytest.mark.parametrize("mode", ["extra", "missing", "resized", "backwards", "again"])
def test_what_parts_from_the_plan_does_not_derail_the_rest(planned: Planned, mode: str) -> None:
    places, counts = planned.follow(mode)
    assert counts["placed"] >= 0.95 * 2 * COUNT
    assert counts["disabled"] == 0
    blocks = sorted(place for row in places for place in row if place)
    assert len(set(blocks)) == len(blocks)
    odd = sum(1 for row in range(COUNT) if row % 50 == 7)
    assert counts["missed"] == (odd if mode in ("extra", "resized") else 0)


def test_an_object_that_is_missing_shifts_only_its_own_context(planned: Planned) -> None:
    places, _ = planned.follow("missing")
    _, names = offsets_of(planned.plan)
    base = places[0][1] - names[0]
    assert [name - base for _, name in places] == names


@pytest.mark.parametrize("count", [COUNT // 2, 3 * COUNT])
def test_another_input_uses_the_slots_that_there_are(planned: Planned, count: int) -> None:
    places, counts = planned.follow("exact", count)
    assert len(places) == count
    assert counts["placed"] == 2 * min(count, COUNT)


def test_threads_are_served_first_come(planned: Planned) -> None:
    places, counts = planned.follow("threads")
    nodes, names = offsets_of(planned.plan)
    assert counts["placed"] == 2 * COUNT
    base = min(min(row) for row in places) - min(nodes + names)
    assert sorted(node - base for node, _ in places) == sorted(nodes)
    assert sorted(name - base for _, name in places) == sorted(names)


def test_pools_take_what_was_never_recorded(planned: Planned) -> None:
    planned.abut("place", "-s", "affinity", "-o", "pools.plan", "objects.trace")
    stats = planned.folder / "pools.json"
    run = ["run", "--plan", "pools.plan", "--stats", str(stats), "--"]
    done = planned.abut(*run, str(planned.program), "again", str(3 * COUNT))
    assert done.returncode == 0, done.stderr
    counts = json.loads(stats.read_text())["plan"]
    assert counts["placed"] >= 4 * 3 * COUNT
    assert counts["missed"] == 0


def test_a_fork_finds_the_plan_unlocked(planned: Planned) -> None:
    planned.abut("place", "-s", "affinity", "-o", "forks.plan", "objects.trace")
    run = ["run", "--plan", "forks.plan", "--", str(planned.program)]
    done = planned.abut(*run, "forks", str(200 * COUNT))
    assert done.returncode == 0, done.stderr


def test_a_context_that_finds_nothing_is_disabled(planned: Planned) -> None:
    done = planned.abut("place", "-s", "simple", "-o", "x.plan", "objects.trace")
    assert done.returncode == 0

    def ask_for_other_sizes(slots: Array) -> None:
        slots["requested"] = slots["kept"] = 8

    _write_other(
        read_plan(planned.folder / "x.plan"), planned.folder / "x.plan", ask_for_other_sizes
    )
    stats = planned.folder / "x.json"
    run = ["run", "--plan", "x.plan", "--stats", str(stats), "--", str(planned.program)]
    assert planned.abut(*run).returncode == 0
    counts = json.loads(stats.read_text())["plan"]
    assert counts["disabled"] == counts["met"] == 2
    assert counts["placed"] == 0
    assert counts["missed"] < 2 * COUNT / 4


def _write_other(plan: Plan, path: Path, change: Callable[[Array], None]) -> None:
    """Write the plan with its slots changed, and a page more of memory."""
    contexts = []
    for context in plan.contexts:
        slots = context.slots.copy()
        change(slots)
        contexts.append(replace(context, slots=slots))
    write_plan(replace(plan, contexts=contexts, memory_bytes=plan.memory_bytes + PAGE), path)


@pytest.mark.parametrize("mode", ["exact", "again", "threads"])
def test_a_plan_made_to_do_harm_gives_no_place_to_two(planned: Planned, mode: str) -> None:

    def overlap(slots: Array) -> None:
        # A few places, that overlap by one granule or by all.
        slots["offset"] = np.arange(len(slots)) * 7 % 23 * 2 % 31

    _write_other(planned.plan, planned.folder / "harm.plan", overlap)
    stats = planned.folder / "harm.json"
    run = [
        "run",
        "--plan",
        "harm.plan",
        "--force",
        "--stats",
        str(stats),
        "--",
        str(planned.program),
    ]
    done = planned.abut(*run, mode, str(COUNT))
    assert done.returncode == 0, done.stderr
    blocks = [
        (int(word, 16), size)
        for line in done.stdout.splitlines()
        for word, size in zip(line.split(), (48, 24), strict=True)
    ]
    blocks.sort()
    assert all(one + size <= other for (one, size), (other, _) in pairwise(blocks))
    counts = json.loads(stats.read_text())["plan"]
    assert counts["placed"] > 0
    assert counts["occupied"] > COUNT


def test_a_program_that_has_nothing_to_do_with_its_plan_is_left_alone(planned: Planned) -> None:
    _, counts = planned.follow("else")
    assert counts["rests"] >= 2  # once for good, and again after each look at a heap that grew
    assert counts["rests"] <= 64
    assert counts["missed"] == counts["disabled"] == 0


def test_a_plan_for_another_program_is_refused_with_a_reason(planned: Planned) -> None:
    refused = planned.abut("run", "--plan", "objects.plan", "--", "/bin/true")
    assert refused.returncode == 125
    assert "made for another program, or another build" in refused.stderr
    child = planned.abut("run", "--", "/bin/ls", ABUT_PLAN=str(planned.plan_file))
    assert (child.returncode, child.stderr) == (0, "")
    explained = planned.abut("run", "--explain", "--", "/bin/ls", ABUT_PLAN=str(planned.plan_file))
    assert "it is for another program, or another build of this one" in explained.stderr


def test_a_damaged_plan_is_said_to_be_and_the_program_runs(planned: Planned) -> None:
    damaged = planned.folder / "damaged.plan"
    data = planned.plan_file.read_bytes()
    damaged.write_bytes(data[:-3] + b"abc")
    done = planned.abut("run", "--", str(planned.program), ABUT_PLAN=str(damaged))
    assert done.returncode == 0
    assert "it is damaged; the program runs without it" in done.stderr
    assert len(done.stdout.splitlines()) == COUNT


def test_a_plan_can_be_handed_over_as_an_open_file(planned: Planned) -> None:
    stats = planned.folder / "handed.json"
    with planned.plan_file.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "abut", "run", "--stats", str(stats), "--", planned.program],
            env=abut_environment(ABUT_PLAN=f"@{file.fileno()}"),
            pass_fds=[file.fileno()],
            capture_output=True,
            text=True,
            check=True,
        )
    assert json.loads(stats.read_text())["plan"]["placed"] == 2 * COUNT
    assert done.stderr == ""


@pytest.mark.parametrize(
    "name", ["@", "@77", "@-1", "@9x", "@99999999999999999999", "/", "no.plan"]
)
def test_what_is_no_file_is_said_to_be_and_the_program_runs(planned: Planned, name: str) -> None:
    done = planned.abut("run", "--", str(planned.program), ABUT_PLAN=name)
    assert done.returncode == 0
    assert f"ABUT_PLAN={name}: it cannot be read" in done.stderr
    assert len(done.stdout.splitlines()) == COUNT


def test_a_plan_adds_hardly_any_memory(planned: Planned) -> None:
    planned.abut("place", "-s", "lifetime", "-o", "lifetime.plan", "objects.trace")
    plan = read_plan(planned.folder / "lifetime.plan")
    recorded = COUNT * (48 + 32)
    assert recorded <= plan.memory_bytes <= 1.1 * recorded
