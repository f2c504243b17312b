"""Plans: made from traces, written, read, and refused when they are damaged."""

import json
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from abut.errors import AbutError
from abut.trace.native import native_module
from abut.trace.reader import Frame, Trace
from abut.trace.writer import TraceWriter
from abut.tuning.choice import choose
from abut.tuning.keys import keys_of
from abut.tuning.objects import read_objects
from abut.tuning.plan import plan_bytes, read_plan, write_plan
from abut.tuning.planning import BASE, make_plan, planned_addresses, read_recorded
from abut.tuning.strategies import find_strategy
from conftest import Abut

BUILD_ID = "ab" * 20


def write_trace(path: Path, count: int = 40, *, wrapped: bool = False, walks: int = 3) -> Path:
    """Two kinds of objects, by turns; used in the reverse order of birth."""
    with TraceWriter(path, command=["prog"]) as out:
        module = out.module("/bin/prog", BUILD_ID, 0x1000, 0x9000)
        alloc = Frame(module, 0x10)
        sites = [Frame(module, 0x100), Frame(module, 0x200)]
        chains = [[alloc, site] if wrapped else [site, alloc] for site in sites]
        contexts = [out.context(chain) for chain in chains]
        items = [
            out.allocate(
                48 if row % 2 else 24, address=0x5000 + 64 * row, context=contexts[row % 2]
            )
            for row in range(count)
        ]
        for _ in range(walks):
            for item in reversed(items):
                out.access(item, 0)
    return path


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = read_recorded(Trace(write_trace(tmp_path / "run.trace")))
    plan = make_plan([run], find_strategy("simple"))
    write_plan(plan, tmp_path / "run.plan")
    found = read_plan(tmp_path / "run.plan")
    assert found.strategy == "simple"
    assert found.placed == 40
    assert [context.key for context in found.contexts] == [
        ((BUILD_ID, 0x100),),
        ((BUILD_ID, 0x200),),
    ]
    assert found.contexts[0].slots["requested"].tolist() == [2] * 20
    assert found.contexts[1].slots["offset"].tolist() == [2 + 5 * row for row in range(20)]


def test_what_is_used_all_the_time_does_not_hide_what_follows_what(tmp_path: Path) -> None:
    """An interpreter's stack is used between any two objects; their order is found all the same."""
    count, visits = 2000, np.random.default_rng(5).permutation(2000)
    path = tmp_path / "run.trace"
    with TraceWriter(path, command=["prog"]) as out:
        module = out.module("/bin/prog", BUILD_ID, 0x1000, 0x9000)
        context = out.context([Frame(module, 0x10)])
        stack = out.allocate(512, address=0x1000, context=context)
        items = [
            out.allocate(64, address=0x5000 + 64 * row, context=context) for row in range(count)
        ]
        for _ in range(3):
            for row in visits:
                out.access(stack, 0)
                out.access(items[row], 0)
                out.access(items[row], 8)
    objects = read_objects(Trace(path))
    rows = 1 + visits
    assert np.bincount(objects.usage.origin)[0] == count
    followed = dict(zip(objects.arrivals.origin, objects.arrivals.to, strict=True))
    assert all(followed[a] == b for a, b in pairwise(rows))
    for name in ("hot-streams", "combined"):
        offsets = find_strategy(name).place(objects).offsets[rows]
        # The ring of visits is cut somewhere.
        assert (np.diff(offsets) == 64).sum() >= count - 3
    assert (np.diff(find_strategy("usage-df").place(objects).offsets[rows]) == 64).sum() < 100


def test_objects_lie_where_the_plan_has_them(tmp_path: Path) -> None:
    run = read_recorded(Trace(write_trace(tmp_path / "run.trace")))
    plan = make_plan([run], find_strategy("usage-df"))
    found = planned_addresses(run, plan)
    assert len(set(found.tolist())) == 40
    assert int(found.min()) == BASE
    expected = find_strategy("usage-df").place(run.objects).offsets + BASE
    assert (found == expected.astype(np.uint64)).all()


def test_another_input_keeps_what_is_alike(tmp_path: Path) -> None:
    plan = make_plan(
        [read_recorded(Trace(write_trace(tmp_path / "small.trace", 40)))], find_strategy("simple")
    )
    other = read_recorded(Trace(write_trace(tmp_path / "large.trace", 60)))
    found = planned_addresses(other, plan)
    assert (found >= BASE).sum() == 40
    assert (found[40:] == 0x5000 + 64 * np.arange(40, 60)).all()


def test_several_traces_make_one_plan(tmp_path: Path) -> None:
    runs = [
        read_recorded(Trace(write_trace(tmp_path / "small.trace", 10))),
        read_recorded(Trace(write_trace(tmp_path / "large.trace", 30))),
    ]
    plan = make_plan(runs, find_strategy("simple"))
    assert plan.placed == 30
    assert len(plan.contexts) == 2


def test_keys_are_as_deep_as_types_need(tmp_path: Path) -> None:
    plain = keys_of(Trace(write_trace(tmp_path / "plain.trace")))
    assert plain.depth == 1
    wrapped = keys_of(Trace(write_trace(tmp_path / "wrapped.trace", wrapped=True)))
    assert wrapped.depth == 2
    assert len(wrapped.keys) == 2


def test_pools_take_whatever_comes(tmp_path: Path) -> None:
    run = read_recorded(Trace(write_trace(tmp_path / "run.trace", 600)))
    plan = make_plan([run], find_strategy("affinity"))
    assert len(plan.pools) == 1
    assert {context.pool for context in plan.contexts} == {1}
    assert planned_addresses(run, plan).tolist()[:3] == [BASE, BASE + 32, BASE + 80]


def test_every_byte_of_a_plan_is_checked(tmp_path: Path) -> None:
    run = read_recorded(Trace(write_trace(tmp_path / "run.trace", 6)))
    data = plan_bytes(make_plan([run], find_strategy("simple")))
    check = native_module().check_plan
    assert check(data) is None
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x40
        assert check(bytes(damaged)), f"byte {at}"
    for length in range(len(data)):
        assert check(data[:length])
    assert check(data + b"\0")


def test_a_damaged_plan_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "run.plan"
    path.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(AbutError, match="it is no plan"):
        read_plan(path)
    with pytest.raises(AbutError, match="No such file"):
        read_plan(tmp_path / "none.plan")


def test_the_best_of_several_strategies_is_written(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "run.trace", 4000)
    choice = choose([trace], ["one-per-line", "simple"], tmp_path / "run.plan")
    assert [one.strategy for one in choice.candidates] == ["simple", "one-per-line"]
    assert read_plan(tmp_path / "run.plan").strategy == "simple"


def test_without_accesses_no_strategy_is_the_best(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "light.trace", walks=0)
    path = tmp_path / "light.plan"
    with pytest.raises(AbutError, match="no accesses were recorded"):
        choose([trace], ["one-per-line", "simple"], path)
    assert not path.exists()
    assert choose([trace], ["simple"], path).best.strategy == "simple"


@pytest.mark.parametrize("kind", [2, 3], ids=["modules", "contexts"])
def test_contexts_that_a_damaged_trace_lacks_are_in_no_plan(tmp_path: Path, kind: int) -> None:
    path = write_trace(tmp_path / "run.trace")
    data = bytearray(path.read_bytes())
    data[data.index(b"\xab\x5bbk" + struct.pack("<I", kind)) + 64] ^= 0x55
    path.write_bytes(data)
    trace = Trace(path)
    assert not keys_of(trace).keys
    assert len(trace.damages) == 1
    with pytest.raises(AbutError, match=r"no object can be placed: .*; damaged, "):
        read_recorded(trace)


def test_the_command_writes_a_plan_that_the_others_take(abut: Abut, tmp_path: Path) -> None:
    write_trace(tmp_path / "run.trace", 200)
    placed = abut("place", "run.trace", "--strategy", "usage-df")
    assert placed.returncode == 0, placed.stderr
    assert "run.plan: by usage-df, slots for 200 of 200 objects" in " ".join(placed.stdout.split())
    shown = json.loads(abut("plan", "show", "--json", "run.plan").stdout)
    assert (shown["placed"], shown["contexts"], shown["made_by"]) == (200, 2, "usage-df")
    sim = abut("sim", "--layout", "recorded,usage-df,run.plan", "run.trace")
    assert sim.returncode == 0, sim.stderr
    rows = [line.split("│")[2:] for line in sim.stdout.splitlines() if "usage-df │" in line]
    rows += [line.split("│")[2:] for line in sim.stdout.splitlines() if "run.plan │" in line]
    assert len(rows) == 2
    assert rows[0] == rows[1]


def test_the_command_names_what_is_wrong(abut: Abut, tmp_path: Path) -> None:
    write_trace(tmp_path / "run.trace", 20)
    assert abut("place", "run.trace").returncode == 0
    again = abut("place", "run.trace")
    assert (again.returncode, "run.plan: is there already" in again.stderr) == (2, True)
    assert "no trace" in abut("place").stderr
    for folder in (".", "/", ""):
        none = abut("place", folder)
        assert (none.returncode, "Traceback" in none.stderr) == (2, False), none.stderr
    assert "usage-df" in abut("place", "--list").stdout
