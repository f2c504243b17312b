"""Kernels tell levels apart, and what they measure makes a machine's file that is read back."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from abut.simulation.caches import Level
from abut.simulation.calibration import (
    Walk,
    gigahertz,
    least_of,
    like,
    machine_file,
    noise_in,
    part_of,
    tlb_of,
)
from abut.simulation.presets import Preset, find_preset, read_preset
from abut.trace.native import failures, native_module
from conftest import Abut


def test_kernels_tell_caches_from_memory_and_streams_from_chance() -> None:
    native = native_module()
    ghz = gigahertz()
    assert 0.5 < ghz < 8
    near = native.chase(128, ghz)
    far = native.chase(1 << 18, ghz)
    assert 2 < near < 20 < far
    assert native.chase(1 << 18, ghz, order="ascending") < far / 2
    assert native.chase(1 << 18, ghz, chains=8) < far / 2
    assert 0 < native.read_cycles(1 << 24, ghz) < far


def test_lines_that_were_evicted_come_from_memory_however_large_the_caches() -> None:
    native = native_module()
    ghz = gigahertz()
    held = native.chase(1 << 12, ghz)
    assert native.chase(1 << 18, ghz, evicted=True) > 4 * held
    assert native.chase(1 << 18, ghz, evicted=True, chains=8) > held


def test_chase_that_cannot_be_is_refused() -> None:
    for lines, more in ((0, {}), (64, {"chains": 33}), (64, {"order": "sideways"})):
        with pytest.raises(Exception, match=r"range|order"), failures():
            native_module().chase(lines, 1.0, **more)


def test_tlbs_are_read_from_where_pages_begin_to_cost() -> None:
    pages = (32, 64, 128, 256, 1024, 2048, 4096)
    assert tlb_of(pages, [0.0, 0.5, 7.0, 7.0, 8.0, 30.0, 47.0]) == (64, 7.0, 1024, 40.0)
    assert tlb_of(pages, [0.0] * 7) == (4096, 7.0, 4096, 0.0), "no page costs anything"


def test_of_a_shared_level_only_the_part_that_hits_counts() -> None:
    level = Level("L3", 32 << 20, cycles=50.0)
    sizes = [4 << 20, 16 << 20]
    assert part_of(level, 600.0, sizes, [50.0, 50.0]) == 16 << 20
    assert part_of(level, 600.0, sizes, [50.0, 460.0]) == 4 << 20, "a quarter of the chain hits"
    assert part_of(level, 600.0, [*sizes, 32 << 20], [50.0] * 3) == 32 << 20
    assert part_of(level, 40.0, sizes, [50.0, 50.0]) == 32 << 20, "memory is not slower at all"
    shared = dataclasses.replace(level, capacity=300 << 20)
    assert part_of(shared, 600.0, sizes, [50.0, 460.0]) == (300 << 20) // 64


def test_noise_is_said_where_looks_differ_or_others_have_the_cores() -> None:
    calm = {"L1": [5.0, 5.1, 5.0], "L2": [14.0, 14.0, 16.0]}
    assert noise_in(calm, 1.9, 2) == ""
    assert noise_in({**calm, "L2": [14.0, 97.0, 15.0]}, 1.0, 2) == "L2 took 14 to 97 cycles"
    assert noise_in(calm, 4.5, 2) == "the load was 4.5 on 2 cores"


def test_the_least_reach_counts_where_more_make_no_difference() -> None:
    walks = {0: 300.0, 1: 160.0, 4: 62.0, 8: 60.5, 31: 60.0}
    assert least_of(walks, 59.0) == 4
    assert least_of(walks, 150.0) == 1
    assert least_of(walks, 1000.0) == 0


def test_a_list_is_walked_the_faster_the_further_streams_and_strides_reach() -> None:
    preset = find_preset("modern")
    for walk, key, saves in ((Walk(), "stream", 3), (Walk(lines_apart=8), "stride", 1)):
        none, one, eight = (cycles_of(preset, walk, **{key: reach}) for reach in (0, 1, 8))
        assert none == pytest.approx(preset.memory_cycles, rel=0.2), "each node waits for the last"
        assert one == pytest.approx(none / 2, rel=0.2)
        assert eight < one / (1 + saves)


def test_of_a_run_of_lines_those_are_waited_for_that_train_the_stream() -> None:
    preset = find_preset("modern")
    untrained = cycles_of(preset, Walk("runs"), stream=0)
    two, eight, all_of_it = (
        cycles_of(preset, Walk("runs"), stream=8, trained=lines) for lines in (2, 8, 32)
    )
    assert two < 0.3 * untrained
    assert eight == pytest.approx(untrained * 10 / 32, rel=0.25)
    assert all_of_it == pytest.approx(untrained, rel=0.1)


def cycles_of(preset: Preset, walk: Walk, **settings: int) -> float:
    """Cycles a node, with no prefetchers but these."""
    assert preset.core
    core: dict[str, Any] = {"stream": 0, "stride": 0, **settings}
    return walk.simulated(preset, dataclasses.replace(preset.core, **core))


def test_what_is_not_measured_is_that_of_the_preset_with_such_caches() -> None:
    zen4, zen5 = find_preset("zen4"), find_preset("zen5")
    assert like(dataclasses.replace(zen4, core=None, name="this")) == zen4
    assert like(zen5) == zen5
    small = dataclasses.replace(zen4.levels[0], capacity=4096)
    assert like(dataclasses.replace(zen4, levels=(small, *zen4.levels[1:]))).name == "modern"


def test_machine_file_is_the_preset(tmp_path: Path) -> None:
    preset = find_preset("zen5")
    (tmp_path / "zen5.toml").write_text(machine_file(preset))
    assert read_preset(tmp_path / "zen5.toml") == dataclasses.replace(preset, allocator=None)


def test_calibrate_writes_a_machine_that_sim_reads(tmp_path: Path, abut: Abut) -> None:
    target = tmp_path / "mine.toml"
    done = abut("calibrate", "-o", str(target))
    assert done.returncode == 0, done.stderr
    found = read_preset(target)
    assert found.core
    assert found.core.outstanding > 1
    cycles = [level.cycles for level in found.levels]
    assert cycles == sorted(cycles)
    assert cycles[-1] < found.memory_cycles
    assert abut("calibrate", "-o", str(target)).returncode != 0, "it is there already"
