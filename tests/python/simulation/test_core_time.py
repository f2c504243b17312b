"""A core's time: its table is read strictly, and time is that of the layout, not of misses."""

import dataclasses
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pytest

from abut.errors import AbutError
from abut.simulation.core_time import Core, Time
from abut.simulation.jobs import Job, average_cycles, core_of, simulate
from abut.simulation.presets import Preset, find_preset, preset_files, read_preset
from abut.simulation.replay import feed
from abut.trace import Trace, TraceWriter
from abut.tuning.choice import access_cycles

ZEN5 = (Path(__file__).parents[3] / "python/abut/simulation/machines/zen5.toml").read_text()


def time_of(preset: Preset, addresses: list[int]) -> Time:
    assert preset.core
    core = Core(preset.levels, preset.memory_cycles, preset.core, preset.tlb, 3.0)
    count = len(addresses)
    core.native.take(np.array(addresses, np.uint64), np.full(count, 8, np.uint32))
    return core.time()


@pytest.mark.parametrize(
    ("kibibytes", "ways", "held"),
    [(6 << 10, 12, 6 << 10), (9600, 20, 9 << 10)],
    ids=["of three slices", "of fifteen, in twenty ways"],
)
def test_a_level_of_any_number_of_slices_is_simulated(kibibytes: int, ways: int, held: int) -> None:
    zen5 = find_preset("zen5")
    third = dataclasses.replace(zen5.levels[2], capacity=kibibytes << 10, ways=ways)
    preset = dataclasses.replace(zen5, levels=(*zen5.levels[:2], third))

    def again(kibibytes: int) -> float:
        """How long two rounds through so many bytes take, in one random order, next to one."""
        lines = np.arange(0, kibibytes << 10, 64, dtype=np.uint64)
        order = list(np.random.default_rng(1).permutation(lines))
        return time_of(preset, order * 2).total / time_of(preset, order).total

    assert again(held * 4 // 5) < 1.4, "the second round finds its lines in the last level"
    assert again(held * 5 // 4) > 1.7, "lines are gone before they are used again"


def test_lines_in_sequence_take_less_time_than_the_same_lines_from_a_rotating_one() -> None:
    preset = find_preset("zen5")
    pages = range(5000)
    even = time_of(preset, [page * 4096 + line * 64 for page in pages for line in range(64)])
    turned = time_of(
        preset, [page * 4096 + (line + page * 7) % 64 * 64 for page in pages for line in range(64)]
    )
    assert even.total < turned.total
    assert even.accesses == turned.accesses == 5000 * 64
    assert even.late <= even.useful <= even.prefetches


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("window = 128\n", "", "core: window is missing"),
        ("window = 128\n", "window = 128\nwidth = 4\n", "core: width is not known"),
        ("stream = 4\n", 'stream = "four"\n', "core: stream = 'four' must be of the type int"),
        ("adjacent = false", "adjacent = 0", "core: adjacent = 0 must be of the type bool"),
        ("window = 128", "window = -1", "core: window = -1: not from 1 to 512"),
        ("outstanding = 16", "outstanding = 9999999999", "outstanding = 9999999999: not from"),
        ("ghz = 4.5", "ghz = 0", "core: ghz = 0: not from 0.001 to 1000"),
        ("walk_cycles = 30", "walk_cycles = nan", "core: walk_cycles = nan: not from"),
    ],
)
def test_mistake_in_the_table_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    (tmp_path / "mine.toml").write_text(ZEN5.replace(old, new, 1))
    with pytest.raises(AbutError, match=r"mine\.toml") as caught:
        read_preset(tmp_path / "mine.toml")
    assert complaint in str(caught.value)


def test_core_that_cannot_be_is_refused(tmp_path: Path) -> None:
    for old, new in (("window = 128", "window = 600"), ("\nline_cycles = 8", "\nline_cycles = -1")):
        (tmp_path / "mine.toml").write_text(ZEN5.replace(old, new, 1))
        with pytest.raises(AbutError):
            time_of(read_preset(tmp_path / "mine.toml"), [0])


def test_layouts_are_ranked_by_predicted_time_where_a_machine_has_a_core(tmp_path: Path) -> None:
    trace = tmp_path / "run.trace"
    with TraceWriter(trace) as out:
        for address in range(4096, 65536, 512):
            out.access(0, address, 8)
    with_core = simulate(Job(str(trace), find_preset("zen5")))
    assert with_core.time
    assert access_cycles(with_core) == with_core.time.total / with_core.time.accesses
    without = simulate(Job(str(trace), find_preset("pentium4")))
    assert without.time is None
    assert access_cycles(without) == average_cycles(without)


def test_what_was_allocated_while_nothing_is_replayed_may_have_left_the_caches(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "block.trace"
    with TraceWriter(trace) as out:
        out.access(0, 4096, 8)
        block = out.allocate(64 * 1000, address=1 << 20)
        out.flush()
        for line in np.random.default_rng(1).permutation(1000).tolist():
            out.access(block, 64 * line, 8)
    opened, preset = Trace(trace), find_preset("zen5")

    def waits(windows: list[tuple[int, int]]) -> float:
        core = core_of(preset, opened)
        assert core
        feed(opened, [core], windows=windows)
        return core.time().total - core.time().cycles["compute"]

    assert waits([]) < waits([(1, 2)]) / 2, "the kernel had just cleared its pages"


def test_the_same_accesses_depend_on_the_same_loads_under_every_layout(tmp_path: Path) -> None:
    waited = []
    for step in (64, 1 << 16):
        trace = tmp_path / f"{step}.trace"
        with TraceWriter(trace) as out:
            nodes = [out.allocate(64, address=step * (n + 1)) for n in range(1000)]
            for _ in range(4):
                for node in nodes:
                    out.access(node, 0, 8)
        time = simulate(Job(str(trace), find_preset("zen5"), layout="line")).time
        assert time
        waited.append(time.cycles["dependence"])
    beside, apart = waited
    assert beside < apart / 10


def test_every_core_that_comes_with_abut_can_be() -> None:
    found = {name: read_preset(path) for name, path in preset_files().items()}
    cores = {name: preset for name, preset in found.items() if preset.core}
    assert {
        "modern",
        "zen4",
        "zen5",
        "golden-cove",
        "emerald-rapids",
        "neoverse-n1",
        "neoverse-v2",
    } <= set(cores)
    for preset in cores.values():
        assert preset.core
        assert preset.core.how
        assert time_of(preset, list(range(0, 1 << 20, 64))).total > 1 << 14


def test_lines_of_other_sizes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(ZEN5.replace("line = 64", "line = 128"))
    with pytest.raises(AbutError, match="lines of 64 bytes"):
        time_of(read_preset(tmp_path / "mine.toml"), [0])


@pytest.mark.long
def test_memory_stays_bounded_over_a_thousand_million_references() -> None:
    preset = find_preset("zen5")
    assert preset.core
    core = Core(preset.levels, preset.memory_cycles, preset.core, preset.tlb, 3.0)
    random = np.random.default_rng(1)
    sizes = np.full(1 << 20, 8, np.uint32)
    near = np.arange(1 << 20, dtype=np.uint64) * 8
    far = random.integers(0, 1 << 40, 1 << 20, np.uint64)
    most = 0
    for piece in range(1000):
        core.take(near if piece % 16 else far + np.uint64(piece << 12), sizes)
        if piece == 20:
            most = getrusage(RUSAGE_SELF).ru_maxrss
    assert core.time().accesses >= 1000 << 20
    assert getrusage(RUSAGE_SELF).ru_maxrss < most + (32 << 10)
