"""The structures of a program, as its debug information (DWARF) has them: members, offsets, sizes.

A structure is found by the function that allocates it and by the size of what it allocates.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.elf.elffile import ELFFile

from abut.elf import build_id
from abut.trace.dwarf import (
    POINTERS,
    STRUCTURES,
    align_of,
    bare,
    name_of,
    origin_of,
    size_of,
    type_of,
    written,
)
from abut.trace.split_dwarf import split_unit
from abut.trace.symbols import Place

_DEBUG_FILES = Path("/usr/lib/debug/.build-id")
_MOST_UNIT_BYTES = 12 << 20  # reading more takes many seconds
_SYSTEM = "/usr/"
_RESULT = -1  # in place of a line


@dataclass(frozen=True, slots=True)
class Member:
    """One member; offset, size and alignment in bytes."""

    name: str
    type: str
    offset: int
    size: int
    align: int

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.offset + self.size


@dataclass(frozen=True, slots=True)
class Structure:
    """`sure`: the allocating function has a pointer to it, or names it on the line; else it is the
    only one of its size.
    """

    name: str
    size: int
    members: tuple[Member, ...]
    sure: bool

    @property
    def holes(self) -> int:
        """Bytes that no member has."""
        return self.size - len({n for one in self.members for n in range(one.offset, one.end)})


class Structures:
    """The structures of programs and libraries, each read once."""

    def __init__(self) -> None:
        self._files: dict[str, _DebugFile] = {}

    def find(self, place: Place, function: str, size: int) -> Structure | None:
        """What the code at this place, in this function, allocates `size` bytes for; None where
        nothing tells, or several could be.
        """
        unit = self._unit(place)
        return unit.find(place, function, size) if unit else None

    def element(self, place: Place, function: str, size: int) -> str:
        """What `size` bytes, 0 where that changes, are an array of: the one structure that the line
        of the source names, or that a pointer declared on it points to; else, where the size
        changes, that the function returns. Empty where nothing tells.
        """
        unit = self._unit(place)
        return unit.element(place, function, size) if unit else ""

    def _unit(self, place: Place) -> "_Unit | None":
        if place.module not in self._files:
            self._files[place.module] = _DebugFile(Path(place.module))
        return self._files[place.module].unit(place.offset)


class _DebugFile:
    """The debug information of one module; nothing is found where it has none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._units: dict[int, _Unit | None] = {}

    @cached_property
    def _dwarf(self) -> Any:
        identity = build_id(self._path)
        separate = _DEBUG_FILES / identity[:2] / f"{identity[2:]}.debug"
        for path in (self._path, separate):
            try:
                elf = ELFFile(path.open("rb"))  # read from as long as this lives
                if elf.get_section_by_name(".debug_info") is not None:
                    return elf.get_dwarf_info()
            except (ELFError, DWARFError, OSError, ValueError):
                continue
        return None

    def unit(self, offset: int) -> "_Unit | None":
        if self._dwarf is None:
            return None
        try:
            return self._unit_at(offset)
        except (DWARFError, ELFError, KeyError, ValueError, OSError, AttributeError, TypeError):
            return None  # damaged, or of a form that the reader does not know

    def _unit_at(self, offset: int) -> "_Unit | None":
        ranges = self._dwarf.get_aranges()
        begin = ranges.cu_offset_at_addr(offset) if ranges else None
        unit = (
            self._dwarf.get_CU_at(begin)
            if begin is not None
            else next((one for one in self._dwarf.iter_CUs() if _holds(one, offset)), None)
        )
        if unit is None:
            return None
        if unit.cu_offset not in self._units:
            whole = split_unit(unit, self._path)
            small = whole["unit_length"] <= _MOST_UNIT_BYTES
            self._units[unit.cu_offset] = _Unit(whole) if small else None
        return self._units[unit.cu_offset]


def _holds(unit: Any, offset: int) -> bool:
    top = unit.get_top_DIE().attributes
    low, high = top.get("DW_AT_low_pc"), top.get("DW_AT_high_pc")
    if low is None or high is None:
        return False
    end = high.value if high.form == "DW_FORM_addr" else low.value + high.value
    return bool(low.value <= offset < end)


class _Unit:
    """A compilation unit: its structures by size, its functions by name."""

    def __init__(self, unit: Any) -> None:
        self._lines = unit.dwarfinfo.line_program_for_CU(unit)
        self._structures: dict[int, list[Any]] = {}
        self._functions: dict[str, list[Any]] = {}
        self._walk(unit.get_top_DIE())

    def _walk(self, die: Any) -> None:
        """What is inside of functions, and of the system's types, is passed over: it is most."""
        for child in die.iter_children():
            if child.tag in STRUCTURES and "DW_AT_byte_size" in child.attributes:
                size = child.attributes["DW_AT_byte_size"].value
                self._structures.setdefault(size, []).append(child)
                if not self._of_system(child):
                    self._walk(child)
            elif child.tag == "DW_TAG_subprogram":
                name = name_of(origin_of(child)).partition("<")[0]
                self._functions.setdefault(name, []).append(child)
            elif child.tag == "DW_TAG_namespace":
                self._walk(child)

    def find(self, place: Place, function: str, size: int) -> Structure | None:
        dies = {die.offset: die for die in self._structures.get(size, []) if die.has_children}
        # Inlining repeats a type; structures of the system's headers serve others.
        pointed = (die for die, _ in self._pointed_in(function))
        found = {name_of(die): die for die in pointed if die.offset in dies}
        if not found:  # Rust has boxes in place of pointers, and the line names what is in them
            words = _words(place)
            found = {name: die for die in dies.values() if (name := name_of(die)) in words}
        own = {name_of(die): die for die in dies.values() if not self._of_system(die)}
        chosen = found if len(found) == 1 else own if len(own) == 1 and not found else {}
        for name, die in chosen.items():
            members = tuple(sorted(_members(die, 0), key=lambda one: one.offset))
            if name and members:
                return Structure(name, size, members, bool(found))
        return None

    def element(self, place: Place, function: str, size: int) -> str:
        words = _words(place)
        named = {
            name_of(die)
            for one, dies in self._structures.items()
            if one and size % one == 0
            for die in dies
            if name_of(die) in words
        }
        lines: dict[int, set[str]] = {}
        for die, line in self._pointed_in(function):
            if (one := size_of(die)) and size % one == 0:
                lines.setdefault(line, set()).add(name_of(die))
        result = set() if size else lines.get(_RESULT, set())
        known = (named, lines.get(place.line or 0, set()), result)
        return next((found.pop() for found in known if len(found) == 1), "")

    def _pointed_in(self, function: str) -> Iterator[tuple[Any, int]]:
        for die in self._functions.get(function.rpartition("::")[2], []):
            yield from _pointed_to(die)

    def _of_system(self, die: Any) -> bool:
        file = die.attributes.get("DW_AT_decl_file")
        if file is None:
            return True
        if self._lines is None:
            return False
        header = self._lines.header
        base = 0 if header["version"] >= 5 else 1  # noqa: PLR2004
        folder = header["include_directory"]
        at = header["file_entry"][file.value - base].dir_index - base
        return bool(0 <= at < len(folder) and folder[at].startswith(_SYSTEM.encode()))


def _words(place: Place) -> set[str]:
    """The words of the line of the source; empty where it is not there."""
    if not place.file or not place.line:
        return set()
    with suppress(OSError), Path(place.file).open(errors="replace") as lines:
        return set(re.findall(r"\w+", next(islice(lines, place.line - 1, place.line), "")))
    return set()


def _pointed_to(function: Any) -> Iterator[tuple[Any, int]]:
    """The types that a function's result, parameters and variables point to, each with the line on
    which it is declared.
    """
    waiting = [function]
    if (result := type_of(origin_of(function))) is not None:
        yield from ((one, _RESULT) for one in _target(result))
    while waiting:
        for child in waiting.pop().iter_children():
            if child.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter"):
                origin = origin_of(child)
                line = origin.attributes.get("DW_AT_decl_line")
                if (kind := type_of(origin)) is not None:
                    yield from ((one, line.value if line else 0) for one in _target(kind))
            elif child.tag == "DW_TAG_lexical_block":
                waiting.append(child)


def _target(kind: Any) -> Iterator[Any]:
    """What it points to, and what that points to: `*end = malloc(...)`."""
    for _ in range(2):
        kind = bare(kind)
        if kind is None or kind.tag not in POINTERS:
            return
        kind = bare(type_of(kind))
        if kind is not None and kind.tag in STRUCTURES:
            yield kind


def _members(die: Any, begin: int) -> Iterator[Member]:
    for child in die.iter_children():
        location = child.attributes.get("DW_AT_data_member_location")
        bits = child.attributes.get("DW_AT_data_bit_offset")
        if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance") or (
            location is None and bits is None and child.attributes.get("DW_AT_external")
        ):
            continue
        offset = begin + (location.value if location else bits.value // 8 if bits else 0)
        kind = type_of(child)
        if child.tag == "DW_TAG_inheritance":
            yield from _members(bare(kind), offset)
        elif kind is not None and (size := size_of(kind)):
            yield Member(name_of(child) or "(unnamed)", written(kind), offset, size, align_of(kind))
