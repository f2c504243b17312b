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
from typing import Any, get_type_hints

from abut.errors import AbutError, refused, unknown
from abut.places import PACKAGE
from abut.plugins import entries, load
from abut.simulation.caches import Level
from abut.simulation.core_time import CoreSettings, check_range, read_core
from abut.simulation.levels import check_levels, from_the_top

_FOLDER = PACKAGE / "simulation" / "machines"
_SYSFS = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"(\d+) ?([A-Za-z]*)")
_PAGE, _HUGE_PAGE = 4 << 10, 2 << 20
_SIZES = ("capacity", "line", "sector", "page")
_TYPES: dict[str, type] = get_type_hints(Level)
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


def this_machine_preset(folder: Path = _SYSFS) -> Preset:
    """The data caches of the first core, as the kernel reports them, and usual TLBs.

    Raises AbutError where it reports nothing.
    """
    found: dict[int, dict[str, Any]] = {}
    for index in sorted(folder.glob("index*")):
        facts = {
            name: _text(index / name)
            for name in ("level", "type", "size", "ways_of_associativity", "coherency_line_size")
        }
        shared = _text(index / "shared_cpu_list")
        if facts["type"] in ("Data", "Unified") and facts["level"] and facts["size"]:
            found[int(facts["level"])] = facts | {"alone": not re.search("[,-]", shared)}
    if not found:
        raise AbutError(f"{folder}: says nothing of caches", fix="name a preset instead")
    numbers = sorted(found)
    levels = []
    for number, below in zip(numbers, [*numbers[1:], None], strict=True):
        facts = found[number]
        line = int(facts["coherency_line_size"] or 64)
        capacity = _bytes(str(facts["size"]))
        ways = int(facts["ways_of_associativity"] or 0)
        levels.append(
            Level(
                f"L{number}",
                capacity,
                below=f"L{below}" if below else "",
                line=line,
                ways=ways if ways and capacity // line % ways == 0 else 0,
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
    if not isinstance(table, dict):
        raise TypeError("a level must be a table")
    values = dict(table)
    for key in _SIZES:
        if isinstance(values.get(key), str):
            values[key] = _bytes(values[key])
    for key, value in values.items():
        if key not in _TYPES:
            raise ValueError(f"{key}: not known; a level may have {', '.join(sorted(_TYPES))}")
        wanted = _TYPES[key]
        numeric = wanted is float and isinstance(value, int) and not isinstance(value, bool)
        if not numeric and (
            not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool)
        ):
            raise ValueError(f"{key} = {value!r}: must be of the type {wanted.__name__}")
        if wanted is float:
            check_range(key, value)
        elif isinstance(value, int) and not 0 <= value < 1 << 40:
            raise ValueError(f"{key} = {value}: not from 0 to 2^40")
    if "name" not in values or "capacity" not in values:
        raise ValueError("a level needs a name and a capacity")
    return Level(**values)


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


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
