"""Plans that are followed: by the run that was recorded, and by runs that part from it."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abut.plans.file import Plan, read_plan
from conftest import ROOT, Abut, abut_environment

COUNT = 1000


class Planned:
    """A program that was recorded, and its plan."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "objects"
        self.plan_file = folder / "objects.plan"
        source = ROOT / "tests" / "follow" / "objects.c"
        flags = ["-O1", "-g", "-pthread", "-Wl,--build-id"]
        subprocess.run(["gcc", *flags, "-o", str(self.program), str(source)], check=True)
        self.abut("record", "--quiet", "-o", "objects.trace", "--", str(self.program))
        self.abut("place", "-s", "usage-df", "-o", "objects.plan", "objects.trace")

    @property
    def plan(self) -> Plan:
        return read_plan(self.plan_file)

    def abut(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "abut", *arguments],
            capture_output=True,
            text=True,
            env=abut_environment(**variables),
            cwd=self.folder,
            check=False,
            timeout=120,
        )

    def follow(self, mode: str, count: int = COUNT) -> tuple[list[tuple[int, int]], dict[str, Any]]:
        """Where the objects of a run lie, and how it followed the plan."""
        stats = self.folder / "stats.json"
        run = ["run", "--plan", "objects.plan", "--stats", str(stats), "--"]
        done = self.abut(*run, str(self.program), mode, str(count))
        assert done.returncode == 0, done.stderr
        rows = [line.split() for line in done.stdout.splitlines()]
        places = [
            (0 if one == "(nil)" else int(one, 16), 0 if other == "(nil)" else int(other, 16))
            for one, other in rows
        ]
        return places, json.loads(stats.read_text())["plan"]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return Planned(tmp_path_factory.mktemp("follow"))


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
    assert counts["given_up"] == 0
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


def test_a_context_that_finds_nothing_is_given_up(planned: Planned) -> None:
    done = planned.abut("place", "-s", "simple", "-o", "x.plan", "objects.trace")
    assert done.returncode == 0
    data = bytearray((planned.folder / "x.plan").read_bytes())
    _ask_for_other_sizes(data)
    (planned.folder / "x.plan").write_bytes(data)
    stats = planned.folder / "x.json"
    run = ["run", "--plan", "x.plan", "--stats", str(stats), "--", str(planned.program)]
    assert planned.abut(*run).returncode == 0
    counts = json.loads(stats.read_text())["plan"]
    assert counts["given_up"] == counts["met"] == 2
    assert counts["placed"] == 0
    assert counts["missed"] < 2 * COUNT / 4


def _ask_for_other_sizes(data: bytearray) -> None:
    """Has every slot wait for an object of 128 bytes, which never comes."""
    for at in _slots_of(data):
        data[at + 4 : at + 8] = bytes([8, 0, 8, 0])
    _mend(data)


def _slots_of(data: bytearray) -> range:
    """Where each slot stands in the file."""
    modules, contexts, pools = (int.from_bytes(data[at : at + 4], "little") for at in (40, 44, 48))
    return range(128 + 24 * modules + 48 * contexts + 16 * pools, len(data), 8)


def _mend(data: bytearray) -> None:
    """Has the file's checksums be those of what it holds, and gives it a page more of memory."""
    from abut.trace.native import native_module

    checksum = native_module().plan_checksum
    memory = int.from_bytes(data[32:40], "little") + 4096
    data[32:40] = memory.to_bytes(8, "little")
    data[24:32] = checksum(bytes(data[128:])).to_bytes(8, "little")
    data[120:128] = checksum(bytes(data[:120])).to_bytes(8, "little")


@pytest.mark.parametrize("mode", ["exact", "again", "threads"])
def test_a_plan_made_to_do_harm_gives_no_place_to_two(planned: Planned, mode: str) -> None:
    data = bytearray(planned.plan_file.read_bytes())
    for number, at in enumerate(_slots_of(data)):
        # A few places, that overlap by one granule or by all.
        data[at : at + 4] = (number * 7 % 23 * 2 % 31).to_bytes(4, "little")
    _mend(data)
    (planned.folder / "harm.plan").write_bytes(data)
    stats = planned.folder / "harm.json"
    run = ["run", "--plan", "harm.plan", "--stats", str(stats), "--", str(planned.program)]
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
    assert counts["missed"] == counts["given_up"] == 0


def test_a_plan_for_another_program_is_refused_with_a_reason(planned: Planned) -> None:
    refused = planned.abut("run", "--plan", "objects.plan", "--", "/bin/true")
    assert refused.returncode == 125
    assert "made for another program, or another build" in refused.stderr
    child = planned.abut("run", "--", "/bin/ls", ABUT_PLAN=str(planned.plan_file))
    assert (child.returncode, child.stderr) == (0, "")
    told = planned.abut("run", "--explain", "--", "/bin/ls", ABUT_PLAN=str(planned.plan_file))
    assert "it is for another program, or another build of this one" in told.stderr


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


def test_a_plan_is_mapped_where_it_is_long_and_read_where_it_is_short(planned: Planned) -> None:
    count = 6000  # objects of each of the two contexts, of 8 bytes a slot
    planned.abut(
        "record", "-q", "-o", "long.trace", "--", str(planned.program), "exact", str(count)
    )
    planned.abut("place", "-s", "simple", "-o", "long.plan", "long.trace")
    assert (planned.folder / "long.plan").stat().st_size > 65536
    stats = planned.folder / "long.json"
    run = ["run", "--plan", "long.plan", "--stats", str(stats), "--", str(planned.program)]
    assert planned.abut(*run, "exact", str(count)).returncode == 0
    assert json.loads(stats.read_text())["plan"]["placed"] == 2 * count


def test_a_plan_adds_hardly_any_memory(planned: Planned, abut: Abut) -> None:
    planned.abut("place", "-s", "lifetime", "-o", "lifetime.plan", "objects.trace")
    plan = read_plan(planned.folder / "lifetime.plan")
    recorded = COUNT * (48 + 32)
    assert recorded <= plan.memory_bytes <= 1.1 * recorded
