from pathlib import Path

import pytest

from abut.errors import AbutError
from abut.simulation.presets import find_preset, this_machine_preset


def test_this_machine_is_read_from_the_kernel(tmp_path: Path) -> None:
    facts = {
        "index0": ("1", "Data", "32K", "8", "64", "0"),
        "index1": ("1", "Instruction", "32K", "8", "64", "0"),
        "index2": ("3", "Unified", "6144K", "12", "64", "0-3"),
    }
    names = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")
    for index, values in facts.items():
        (tmp_path / index).mkdir()
        for name, value in zip((*names, "shared_cpu_list"), values, strict=True):
            (tmp_path / index / name).write_text(f"{value}\n")
    levels = this_machine_preset(tmp_path).levels
    assert [(level.name, level.capacity, level.ways, level.below) for level in levels] == [
        ("L1", 32 << 10, 8, "L3"),
        ("L3", 6 << 20, 12, ""),
    ]
    with pytest.raises(AbutError, match="says nothing"):
        this_machine_preset(tmp_path / "none")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("level = 3", "iter|table|object"),
        ("[[level]]\nname = 'L1'", "capacity"),
        ("[[level]]\nname = 'L1'\ncapacity = 'much'", "not a size"),
        ("[[level]]\nname = 'L1'\ncapacity = 64\nspeed = 3", "a level: speed is not known"),
        ("[[level]]\nname = 'L1'\ncapacity = 64\nways = true", "type int"),
        ("[[level]]\nname = 'L1'\ncapacity = 64\nways = -1", "ways = -1: not from 0 to"),
        ("[[level]]\nname = 'L1'\ncapacity = 64\ncycles = inf", "cycles = inf: not from 0 to"),
        ("[[level]]\nname = 'L1'\ncapacity = 64\ncycles = -1.5", "cycles = -1.5: not from 0 to"),
        ("memory_cycles = nan", r"mine\.toml: memory_cycles = nan: not from 0 to 999999"),
        (f"memory_cycles = {'9' * 400}", "not from 0 to"),
        (f"memory_cycles = {'9' * 5000}", "digits"),
        ("memory_cycles = '300'", "must be a number"),
        ("memory_cycles = true", "must be a number"),
        ("[[tlb]]\nname = 'L1'", "level is missing"),
        (
            "[[level]]\nname = 'L1'\ncapacity = 64\nbelow = 'L2'",
            r"mine\.toml: .*'L2', is not there",
        ),
        ("[[level]]\nname = 'L1'\ncapacity = 1000", r"mine\.toml: cache level 'L1': "),
        ("cache = 1", "cache: not known"),
        ("=", "line 1"),
    ],
)
def test_a_preset_that_is_wrong_is_refused_in_words(
    text: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(AbutError, match=complaint) as refused:
        find_preset(str(path))
    assert "abut calibrate" in refused.value.fix


def test_a_machine_file_that_the_system_refuses_is_named_as_it_was_given() -> None:
    with pytest.raises(AbutError, match=r"^x+\.toml: File name too long"):
        find_preset(f"{'x' * 300}.toml")
