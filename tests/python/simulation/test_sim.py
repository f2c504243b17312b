"""`abut sim` and what it stands on: owners, layouts, presets, many jobs at once."""

import json
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.errors import AbutError
from abut.simulation.caches import Level
from abut.simulation.jobs import LAYOUTS, Job, Result, average_cycles, simulate, simulate_all
from abut.simulation.owners import OWNERS
from abut.simulation.presets import Preset, find_preset, preset_files
from abut.simulation.verdict import pollution, verdict
from abut.trace import Frame, Trace, TraceWriter
from abut.trace.native import Array, native_module
from conftest import Abut
from report_traces import SMALL

NODES = 400


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Nodes of 48 bytes and buffers of 4000 allocated in turn; then the nodes are walked twice.

    The allocator touches each node's header. Node 1 is freed and its place used again.
    """
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog"]) as out:
        module = out.module("/nowhere/prog", "", 0x1000, 0x1000)
        node, buffer = (
            out.context([Frame(module, at), Frame(module, caller)])
            for at, caller in ((0x10, 0x20), (0x10, 0x30))
        )
        nodes = []
        for number in range(NODES):
            address = 0x10000 + 8192 * number
            nodes.append(out.allocate(48, address=address, context=node))
            out.allocate(4000, address=address + 64, context=buffer)
            out.access(nodes[-1], -8 & (1 << 64) - 1, 8, write=True, allocator=True)
        for _ in range(2):
            for item in nodes:
                out.access(item, 8)
        out.free(nodes[0])
        out.access(out.allocate(48, address=0x10000, context=node), 0)
        out.access(0, 0x7FFF0000, 8)
    return path


def run(trace: Path, **changes: Any) -> Result:
    return simulate(Job(str(trace), **{"preset": SMALL, **changes}))


def test_all_accesses_are_counted_by_side(trace: Path) -> None:
    result = run(trace)
    assert result.references == [2 * NODES + 2, 0, 0, NODES]
    assert result.levels[0].of_side(0) == (2 * NODES + 2, 2 * NODES + 2)
    assert result.levels[0].of_side(1) == (NODES, NODES)
    assert result.damages == []


def test_misses_come_with_who_allocated_what_was_missed(trace: Path) -> None:
    by_group = run(trace, by="group").owners
    assert [(row.accesses, row.misses[0]) for row in by_group] == [
        (3 * NODES + 1, 3 * NODES + 1),
        (1, 1),
    ]
    assert by_group[0].name == "prog+0x10 < prog+0x20"
    assert run(trace, by="site").owners[0].name == "prog+0x10"
    assert run(trace, by="context").owners[0].misses == by_group[0].misses
    by_object = {row.owner: row for row in run(trace, by="object").owners if row.owner}
    assert all(row.accesses == 3 for row in by_object.values())
    assert "48 B, of prog+0x10" in next(iter(by_object.values())).name
    assert run(trace, by="page").owners[0].name.startswith("page 0x")


@pytest.mark.parametrize("by", ["site", "group", "context"])
def test_bytes_brought_in_vain_come_with_their_owner(trace: Path, by: str) -> None:
    row, nobody = run(trace, by=by, side="application").owners
    assert row.brought_bytes == (2 * NODES + 1) * 64
    assert row.used_bytes == (2 * NODES + 1) * 8
    assert (nobody.owner, nobody.brought_bytes, nobody.used_bytes) == (0, 64, 8)


@pytest.mark.parametrize("by", OWNERS)
def test_owners_and_nobody_make_up_all(trace: Path, by: str) -> None:
    """Up to 50 of them are listed; here a page each, or an object each, are more."""
    result = run(trace, by=by)
    rows = result.owners
    assert [row.lost_cycles for row in rows] == sorted((r.lost_cycles for r in rows), reverse=True)
    if len(rows) < 50:
        assert sum(row.accesses for row in rows) == result.total_references
        for number, level in enumerate(result.levels):
            assert sum(row.misses[number] for row in rows) == level.total_misses


def test_what_nobody_owns_is_not_laid_at_a_sites_door(tmp_path: Path) -> None:
    """The allocator sweeps memory of no known object; one object is used in between."""
    path = tmp_path / "sweep.trace"
    with TraceWriter(path) as out:
        context = out.context([Frame(out.module("/nowhere/prog", "", 0x1000, 0x1000), 0x10)])
        item = out.allocate(64, address=0x1000, context=context)
        for at in range(1000):
            out.access(0, 0x100000 + 64 * at, 8, write=True, allocator=True)
            out.access(item, 0)
    result = run(path, preset=find_preset("modern"))
    assert verdict(result)[1] == (
        "100% of L3 misses are to memory of no known object; 100% are the allocator's"
    )
    assert result.owners[0].name == "memory of no known object"
    assert result.owners[0].misses == [1000, 1000, 1000]


def test_levels_may_stand_in_any_order_and_part_by_side(trace: Path, tmp_path: Path) -> None:
    """Two first levels, a side each, over one second level, whatever their order in the file."""
    tables = [
        "[[level]]\nname='L2'\ncapacity='16 KiB'\nways=4\ncycles=10",
        "[[level]]\nname='mine'\ncapacity='1 KiB'\nways=2\ncycles=1\nbelow='L2'\n"
        "serves='application'",
        "[[level]]\nname='its'\ncapacity='1 KiB'\nways=2\ncycles=2\nbelow='L2'\nserves='allocator'",
    ]
    path = tmp_path / "split.toml"
    path.write_text("\n".join(["memory_cycles = 100", *tables]))
    result = run(trace, preset=find_preset(str(path)))
    assert [level.name for level in result.levels] == ["mine", "its", "L2"]
    mine, its, second = result.levels
    lost = 9 * mine.total_misses + 8 * its.total_misses + 90 * second.total_misses
    hits = (2 * NODES + 2) + 2 * NODES
    assert average_cycles(result) == pytest.approx((hits + lost) / (3 * NODES + 2))
    by_side = [
        average_cycles(result, side) * mine_its.total_accesses
        for side, mine_its in enumerate((mine, its))
    ]
    assert sum(by_side) == pytest.approx(hits + lost)
    assert sum(row.lost_cycles for row in result.owners) == pytest.approx(lost)


def test_layouts_lay_the_same_objects_out_anew(trace: Path) -> None:
    results = {name: run(trace, layout=name, side="application") for name in LAYOUTS}
    misses = {name: result.levels[1].total_misses for name, result in results.items()}
    assert all(result.references[0] == 2 * NODES + 2 for result in results.values())
    # Nodes on pages apart, as recorded, fall into two sets of L2 and never hit; side by side they
    # take 300 lines of its 256, and some survive.
    assert misses["size"] < misses["recorded"] == 2 * NODES + 2
    assert results["size"].page_utilisation.lines[0] < NODES / 2 < misses["line"]  # type: ignore[union-attr]


def addresses(trace: Path, layout: Any, seed: int = 1) -> list[int]:
    replay = native_module().Replay(Trace(trace).native, layout, seed, "object", [], "application")
    found: list[int] = []
    while (batch := replay.next()) is not None:
        found += batch["addresses"].tolist()
    return found


def test_the_recorded_layout_is_what_was_recorded(trace: Path) -> None:
    found = addresses(trace, "recorded")
    assert found[:2] == [0x10008, 0x10008 + 8192]
    assert found[-2:] == [0x10000, 0x7FFF0000]


def test_line_each_begins_every_object_on_a_line_and_uses_places_again(trace: Path) -> None:
    found = addresses(trace, "line")
    assert {at % 64 for at in found[:NODES]} == {8}
    assert len(set(found[:NODES])) == NODES
    assert found[-2] == found[0] - 8, "the first node's place is the last one's"


def test_by_size_puts_smaller_objects_below_larger_ones(tmp_path: Path) -> None:
    path = tmp_path / "sizes.trace"
    with TraceWriter(path) as out:
        for size in (100, 20, 3000, 100, 20):
            out.access(out.allocate(size, address=4096), 0)
    found = addresses(path, "size")
    first = min(found)
    assert [at - first for at in found] == [64, 0, 64 + 2 * 112, 64 + 112, 32]


def test_random_places_never_overlap_and_go_by_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "many.trace"
    random = np.random.default_rng(3)
    sizes, kept = {}, []
    with TraceWriter(path) as out:
        live: list[int] = []
        for size in random.integers(1, 6000, 600).tolist():
            if live and random.random() < 0.4:
                out.free(live.pop(int(random.integers(len(live)))))
            live.append(out.allocate(size, address=1 << 20))
            sizes[live[-1]] = size
        for item in live:
            kept.append(item)
            out.access(item, 0)
    found = addresses(path, "random")
    places = sorted(zip(found, kept, strict=True))
    for (begin, item), (following, _) in pairwise(places):
        assert begin + sizes[item] <= following
    assert addresses(path, "random") == found != addresses(path, "random", seed=2)


def test_a_layout_can_be_given_as_addresses(trace: Path) -> None:
    given = np.arange(1, 2 * NODES + 2, dtype=np.uint64) * 4096
    assert addresses(trace, given)[:2] == [4096 + 8, 3 * 4096 + 8]


def test_an_object_that_is_moved_is_read_where_it_is_then(tmp_path: Path) -> None:
    path = tmp_path / "moved.trace"
    with TraceWriter(path) as out:
        item = out.allocate(16, address=0x1000)
        out.access(item, 0)
        out.resize(item, 32, address=0x5000, moved=True)
        out.access(item, 0)
    assert addresses(path, "recorded") == [0x1000, 0x5000]
    assert len(set(addresses(path, "size"))) == 2


def test_the_mean_time_is_the_cycles_of_hits_and_what_misses_add(trace: Path) -> None:
    one_level = Preset("one", "", (Level("L1", 1 << 20, cycles=4),), memory_cycles=104)
    result = run(trace, preset=one_level)
    expected = 4 + 100 * result.levels[0].total_misses / result.levels[0].total_accesses
    assert average_cycles(result) == pytest.approx(expected)


def test_pollution_is_what_goes_when_the_allocator_has_its_own(tmp_path: Path) -> None:
    path = tmp_path / "turns.trace"
    with TraceWriter(path) as out:
        item = out.allocate(48, address=0x1000)
        for _ in range(10):
            out.access(item, 0)
            out.access(item, -8 & (1 << 64) - 1, 8, allocator=True)
    result = run(path, preset=Preset("line", "", (Level("L1", 64),)), split=True)
    assert pollution(result) == (20, 10, 1)
    assert "with caches of its own for the allocator, 95% of L1 misses go" in verdict(result)


def test_many_jobs_give_the_same_here_and_in_processes(trace: Path) -> None:
    jobs = [Job(str(trace), SMALL, layout=name, by="group") for name in LAYOUTS]
    here = simulate_all(jobs)
    assert [result.job for result in here] == jobs
    assert [_digits(result) for result in simulate_all(jobs, 2)] == [_digits(one) for one in here]


def _on_lines(trace: Trace, job: Job) -> Array:
    count = len(trace.objects()["size"])
    return np.arange(count, dtype=np.uint64) * job.preset.levels[0].line + 4096


def test_objects_are_laid_out_for_each_machines_cache(trace: Path) -> None:
    machines = [
        Preset(f"m{line}", "", (Level("L1", 4096, line=line, ways=2),)) for line in (64, 128)
    ]
    jobs = [Job(str(trace), one, layout="on-lines", placer=_on_lines) for one in machines]
    together, alone = simulate_all(jobs), [simulate(job) for job in jobs]
    assert [_digits(one) for one in together] == [_digits(one) for one in alone]
    assert together[0].levels[0].evictions != together[1].levels[0].evictions


def test_a_dask_cluster_does_the_same(trace: Path) -> None:
    distributed = pytest.importorskip("distributed")
    jobs = [Job(str(trace), SMALL, layout=name) for name in LAYOUTS[:2]]
    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None, threads_per_worker=1
    ) as cluster:
        found = simulate_all(jobs, scheduler=cluster.scheduler_address)
    assert [_digits(result) for result in found] == [_digits(simulate(job)) for job in jobs]


def _digits(result: Result) -> list[Any]:
    counts = [(one.accesses, one.misses, one.write_backs) for one in (*result.levels, *result.tlb)]
    splits = [(one.accesses, one.misses) for one in result.split]
    return [*counts, splits, result.owners, result.memory_bytes, result.optimum, result.time]


@pytest.mark.parametrize("name", preset_files())
def test_every_preset_can_be_simulated(name: str, trace: Path) -> None:
    for huge in (False, True):
        result = run(trace, preset=find_preset(name), split=True, huge_pages=huge)
        assert result.levels[0].total_accesses >= result.total_references


def test_huge_pages_miss_the_tlb_once_for_two_megabytes(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "pages.trace") as out:
        for page in range(2 * 512):
            out.access(0, (512 + page) * 4096, 8)
    small, huge = (
        run(tmp_path / "pages.trace", preset=find_preset("zen5"), huge_pages=huge)
        for huge in (False, True)
    )
    assert [level.total_misses for level in small.tlb] == [1024, 1024]
    assert [level.total_misses for level in huge.tlb] == [2, 2]


def test_the_command_says_the_verdict_first(abut: Abut, trace: Path) -> None:
    done = abut("sim", "--machine", "rezaei-8k", "--split", "allocator", "--classes", str(trace))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("prog: 1,202 accesses; rezaei-8k")
    assert lines[1] == "- 25% of each 32-byte line brought into L1 is used"
    assert any("separate" in line for line in lines)
    assert lines[-1].startswith("next: abut sim")


def test_names_are_shown_as_they_are_and_can_be_typed_again(
    abut: Abut, trace: Path, tmp_path: Path
) -> None:
    odd = trace.rename(tmp_path / "of [bold]b.trace")
    machine = tmp_path / "[red]m.toml"
    machine.write_text(preset_files()["zen4"].read_text().replace('"L1"', '"[/x]:smile:"'))
    alone = abut("sim", "--machine", str(machine), "--split", "allocator", "--optimum", odd.name)
    assert alone.stdout.count("[/x]:smile:") >= 6, alone.stderr
    done = abut("sim", "--machine", f"{machine},zen5", "--layout", "recorded,line", odd.name)
    assert done.returncode == 0, done.stderr
    assert "[red]m" in done.stdout
    again = shlex.split(done.stdout.splitlines()[-1].removeprefix("next: abut "))
    assert abut(*again).returncode == 0
    damaged = abut("sim", b"n\xff.trace")
    assert (damaged.returncode, "no UTF-8" in damaged.stderr) == (2, True)


def test_the_best_policy_is_told_by_side(abut: Abut, tmp_path: Path) -> None:
    """Thirteen lines of one set of twelve ways, in turn: LRU always drops what comes next."""
    with TraceWriter(tmp_path / "turns.trace") as out:
        for _ in range(20):
            for way in range(13):
                out.access(0, 4096 * (way + 1), 8, allocator=way > 9)
    best = run(tmp_path / "turns.trace", preset=find_preset("modern"), optimum=True)
    assert best.levels[0].total_misses == 13 * 20
    assert best.optimum is not None
    assert best.optimum.accesses == [200, 60]
    # All thirteen come in; the last one takes the place of the one before it, and so on.
    mine, its = best.optimum.misses
    assert mine + its == 13 + len(range(24, 260, 12))
    done = abut("sim", "--optimum", "turns.trace")
    (words,) = [line for line in done.stdout.splitlines() if "best policy" in line]
    assert words == (
        f"L1: 260 misses; the best policy there could be: {mine + its} "
        f"({mine} of the application's, {its} of the allocator's)"
    )


def test_prefetches_are_told_by_side(abut: Abut, tmp_path: Path) -> None:
    """Both sides sweep a page of their own; only the application goes from line to line."""
    path = tmp_path / "sweep.trace"
    with TraceWriter(path) as out:
        for at in range(64):
            out.access(0, 0x100000 + 64 * at, 8)
            out.access(0, 0x200000 + 64 * (at * 17 % 64), 8, allocator=True)
    (tmp_path / "next.toml").write_text(
        "[[level]]\nname='L1'\ncapacity='8 KiB'\nprefetch='next-line'\ncycles=1"
    )
    done = abut("sim", "--machine", "next.toml", str(path))
    rows = [line.split("│")[1:-1] for line in done.stdout.partition("prefetches")[2].splitlines()]
    both, mine, its = ([cell.strip() for cell in row] for row in rows if len(row) == 6)
    assert mine == ["", "application", "63", "-", "98%", mine[5]]
    assert both[1] == "both"
    assert int(both[2]) == int(mine[2]) + int(its[2])


def test_misses_are_told_per_1000_instructions(abut: Abut, trace: Path) -> None:
    assert run(trace).instructions == 0, "nobody counted them"
    done = abut("sim", "--json", "--instructions", "4000", str(trace))
    (result,) = json.loads(done.stdout)["results"]
    misses = [sum(level["misses"]) for level in result["levels"]]
    assert result["mpki"] == [count / 4 for count in misses]
    assert misses[0] > 0


def test_the_command_compares_layouts_without_the_allocators_accesses(
    abut: Abut, trace: Path
) -> None:
    done = abut("sim", "--layout", "recorded,size", "--json", "-j", "1", str(trace))
    results = json.loads(done.stdout)["results"]
    assert [result["layout"] for result in results] == ["recorded", "size"]
    assert all(result["accesses_by_kind"] == [802, 0, 0, 0] for result in results)
    assert results[0]["levels"][0]["misses"][0] > results[1]["levels"][0]["misses"][0]


def test_a_trace_cut_short_or_damaged_gives_an_answer_or_an_error(
    abut: Abut, trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    damaged = tmp_path / "damaged.trace"
    random = np.random.default_rng(7)
    for _ in range(60):
        data = bytearray(whole[: int(random.integers(1, len(whole) + 1))])
        data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        damaged.write_bytes(data)
        for layout in ("recorded", "random", "size"):
            try:
                result = run(damaged, layout=layout, by="object")
            except AbutError:
                continue
            assert result.total_references <= 3 * NODES + 2
    damaged.write_bytes(whole[: len(whole) // 3])
    done = abut("sim", str(damaged))
    assert "Traceback" not in done.stderr
