"""Caches of real machines: presets as TOML, files of the same form, and the machine at hand.

about = "..."
memory_cycles = 300          # what an access to memory takes
[[level]]                    # as many as there are; the keys are those of Level
name = "L1"
capacity = "48 KiB"
below = "L2"
[[tlb]]                      # the same for pages: `entries` in place of `capacity`
[[huge_tlb]]                 # with pages of 2 MiB
[core]                       # how long a core takes: see core_time.py
[allocator]                  # with --split allocator: the allocator's own cache
"""

import dataclasses
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abut.errors import AbutError, refused, unknown
from abut.machine import caches_in
from abut.places import PACKAGE
from abut.plugins import entries, load
from abut.simulation.caches import Level
from abut.simulation.core_time import CoreSettings, check_range, checked, read_core
from abut.simulation.levels import check_levels, from_the_top

_FOLDER = PACKAGE / "simulation" / "machines"
_UNITS = {"": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"(\d+) ?([A-Za-z]*)")
_PAGE, _HUGE_PAGE = 4 << 10, 2 << 20
_SIZES = ("capacity", "line", "sector", "page")
_CYCLES_BY_LEVEL = {1: 5.0, 2: 15.0, 3: 60.0, 4: 120.0}
STANDARD = "modern"
_FIX = "`abut calibrate` writes such a file, and docs/guides/sim.md has the form"


@dataclass(frozen=True, slots=True)
class Preset:
    """The caches and TLBs of a machine. `memory_cycles`: what an access to memory takes."""

    name: str
    about: str
    levels: tuple[Level, ...]
    tlb: tuple[Level, ...] = ()
    huge_tlb: tuple[Level, ...] = ()
    allocator: Level | None = None
    memory_cycles: float = 300.0
    core: CoreSettings | None = None


def preset_files() -> dict[str, Path]:
    """The presets that come with abut, and those that other packages add, by name."""
    folders = [_FOLDER]
    for point in entries("abut.presets").values():
        folders += [Path(part, "presets") for part in load(point).__path__]
    files = {path.stem: path for folder in reversed(folders) for path in folder.glob("*.toml")}
    return dict(sorted(files.items()))


def find_preset(name: str) -> Preset:
    """`this`, a preset's name or a TOML file. Raises AbutError."""
    if name == "this":
        return this_machine_preset()
    if name.endswith(".toml") or "/" in name:
        return read_preset(Path(name))
    if (inside := _FOLDER / f"{name}.toml").is_file():
        return read_preset(inside)
    files = preset_files()
    if name in files:
        return read_preset(files[name])
    raise unknown("--machine", name, ["this", *files], ", or a .toml file")


def read_preset(path: Path) -> Preset:
    """The preset in a file. Raises AbutError that names what is wrong."""
    try:
        document = tomllib.loads(path.read_text())
    except OSError as error:
        raise refused(path, error) from error
    except ValueError as error:  # no TOML, no text, or a number of thousands of digits
        raise AbutError(f"{path}: is no TOML: {error}", fix=_FIX) from error
    try:
        preset = _preset(path.stem, document)
        for levels in (preset.levels, preset.tlb, preset.huge_tlb):
            check_levels(levels)
        return preset
    except (TypeError, ValueError, KeyError, AbutError) as error:
        why = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise AbutError(f"{path}: {why}", fix=_FIX) from error


def this_machine_preset(folder: Path | None = None) -> Preset:
    """The data caches of the first core, as the kernel reports them, and usual TLBs.

    Raises AbutError where it reports nothing.
    """
    every = caches_in(folder) if folder else caches_in()
    found = {one.level: one for one in every if one.kind in ("Data", "Unified")}
    if not found:
        raise AbutError("the kernel says nothing of caches", fix="name a preset instead")
    numbers = sorted(found)
    levels = []
    for number, below in zip(numbers, [*numbers[1:], None], strict=True):
        cache = found[number]
        line, ways = cache.line_bytes or 64, cache.ways or 0
        levels.append(
            Level(
                f"L{number}",
                cache.size_bytes,
                below=f"L{below}" if below else "",
                line=line,
                ways=ways if ways and cache.size_bytes // line % ways == 0 else 0,
                per_thread=below is not None,
                cycles=_CYCLES_BY_LEVEL.get(number, 120.0),
            )
        )
    usual = read_preset(_FOLDER / f"{STANDARD}.toml")
    about = "this machine's data caches; TLBs and cycles are those of the usual machine"
    return dataclasses.replace(usual, name="this", about=about, levels=tuple(levels))


def _preset(name: str, document: dict[str, Any]) -> Preset:
    known = {"about", "note", "memory_cycles", "level", "tlb", "huge_tlb", "allocator", "core"}
    if unknown := sorted(set(document) - known):
        raise ValueError(f"{unknown[0]}: not known; it may have {', '.join(sorted(known))}")
    allocator, memory_cycles = document.get("allocator"), document.get("memory_cycles", 300)
    check_range("memory_cycles", memory_cycles)
    return Preset(
        name,
        str(document.get("about", name)),
        from_the_top([_level(table) for table in document["level"]]),
        from_the_top([_tlb_level(table, _PAGE) for table in document.get("tlb", [])]),
        from_the_top([_tlb_level(table, _HUGE_PAGE) for table in document.get("huge_tlb", [])]),
        _level({"name": "allocator", **allocator}) if allocator else None,
        float(memory_cycles),
        read_core(document["core"]) if "core" in document else None,
    )


def _level(table: dict[str, Any]) -> Level:
    values = dict(table)
    for key in _SIZES:
        if isinstance(values.get(key), str):
            values[key] = _bytes(values[key])
    return checked(Level, values, "a level")


def _tlb_level(table: dict[str, Any], standard: int) -> Level:
    values = dict(table)
    page = values.pop("page", standard)
    page = _bytes(page) if isinstance(page, str) else page
    entries = values.pop("entries")
    if not isinstance(entries, int) or not isinstance(page, int):
        raise TypeError("entries and page must be numbers")
    return _level({**values, "line": page, "capacity": entries * page})


def _bytes(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if not match or match[2] not in _UNITS:
        raise ValueError(f"{text}: not a size; say for example 48 KiB")
    return int(match[1]) * _UNITS[match[2]]
