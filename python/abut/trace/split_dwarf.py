"""Debug information that the linker left where the compiler put it (`-gsplit-dwarf`): in a file of
its own for each unit (.dwo), or in one for the program (.dwp).
"""

import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.abbrevtable import AbbrevTable
from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
from elftools.dwarf.lineprogram import LineProgram
from elftools.elf.elffile import ELFFile

_NAMES = ("DW_AT_dwo_name", "DW_AT_GNU_dwo_name")
# Of a .dwp's index of units, the columns: which section a unit has a part of.
_COLUMNS = {1: "info", 3: "abbrev", 4: "line", 6: "str_offsets"}
_SECTIONS = (*_COLUMNS.values(), "str")
# Numbers of strings and addresses mean nothing without their tables: they are read as they are.
_AS_NUMBERS = {
    **{f"DW_FORM_strx{bytes_}": f"DW_FORM_addrx{bytes_}" for bytes_ in ("", 1, 2, 3, 4)},
    **dict.fromkeys(
        ("DW_FORM_loclistx", "DW_FORM_rnglistx", "DW_FORM_GNU_addr_index", "DW_FORM_GNU_str_index"),
        "DW_FORM_addrx",
    ),
}


class SplitDwarf(DWARFInfo):
    """One unit's part of it. Strings of attributes are numbers; see `string`."""

    def __init__(self, elf: ELFFile, parts: dict[str, bytes], version: int) -> None:
        none = dict.fromkeys(
            "frame loc ranges pubtypes pubnames addr line_str loclists rnglists types".split()
        )
        sections = {
            f"debug_{name}_sec": _descriptor(name, parts.get(name)) for name in (*_SECTIONS, *none)
        }
        super().__init__(
            config=DwarfConfig(elf.little_endian, elf.get_machine_arch(), elf.elfclass // 8),
            debug_aranges_sec=None,
            eh_frame_sec=None,
            debug_sup_sec=None,
            gnu_debugaltlink_sec=None,
            **sections,
        )
        self._strings = parts.get("str_offsets", b"")[8 if version >= 5 else 0 :]  # noqa: PLR2004

    def get_abbrev_table(self, offset: int) -> AbbrevTable:
        """The forms of attributes, with numbers where a table would be needed."""
        known = offset in self._abbrevtable_cache
        table = super().get_abbrev_table(offset)
        for declaration in () if known else table._abbrev_map.values():
            for one in declaration["attr_spec"]:
                one.form = _AS_NUMBERS.get(one.form, one.form)
        return table

    def get_addr(self, cu: Any, addr_index: int) -> int:
        """The number itself."""
        return addr_index

    def line_program_for_CU(self, CU: Any) -> LineProgram | None:  # noqa: N802, N803 - theirs
        """The one that there is: the unit does not say where."""
        if self.debug_line_sec is None:
            return None
        return self._parse_line_program_at_offset(0, CU.structs)

    def string(self, number: int) -> bytes:
        """A string of an attribute."""
        (offset,) = struct.unpack_from("<I", self._strings, 4 * number)
        return self.get_string_from_table(offset) or b""


def is_split(program: Path) -> bool:
    """Whether the program only says where its debug information is; its first unit tells."""
    try:
        with program.open("rb") as file:
            elf = ELFFile(file)
            if elf.get_section_by_name(".debug_addr") is None:
                return False
            first = next(elf.get_dwarf_info().iter_CUs(), None)
            return first is not None and any(
                name in first.get_top_DIE().attributes for name in _NAMES
            )
    except (ELFError, DWARFError, OSError, ValueError, KeyError):
        return False


def split_unit(unit: Any, program: Path) -> Any:
    """The whole unit of one that only says where the rest is; the unit itself where it is whole, or
    the rest is not there.
    """
    attributes = unit.get_top_DIE().attributes
    name = next((attributes[one].value for one in _NAMES if one in attributes), None)
    if name is None:
        return unit
    old = attributes.get("DW_AT_GNU_dwo_id")
    identity = old.value if old else unit.header.get("dwo_id", 0)
    folder = attributes.get("DW_AT_comp_dir")
    file = Path((folder.value if folder else b"").decode(), name.decode())
    for path in (file, program.with_name(file.name), Path(f"{program}.dwp")):
        for found in _units(path, identity, unit["version"]):
            return found
    return unit


def _units(path: Path, identity: int, version: int) -> Iterator[Any]:
    """The unit of this identity, if the file has it. A .dwo of another compilation has not."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            every = {name: _data(elf, f".debug_{name}.dwo") for name in _SECTIONS}
            index = _data(elf, ".debug_cu_index")
            parts = _parts(every, index, identity) if index else every
            for unit in SplitDwarf(elf, parts, version).iter_CUs():
                own = unit.get_top_DIE().attributes.get("DW_AT_GNU_dwo_id")
                if (own.value if own else unit.header.get("dwo_id", 0)) == identity:
                    yield unit
    except (ELFError, DWARFError, OSError, ValueError, KeyError, struct.error):
        return


def _data(elf: ELFFile, name: str) -> bytes:
    section = elf.get_section_by_name(name)
    return bytes(section.data()) if section else b""


def _parts(every: dict[str, bytes], index: bytes, identity: int) -> dict[str, bytes]:
    """The parts of the sections that are of one unit. After the head, of four words, come a table
    of identities, one of rows, and for offsets and sizes a row each of a column a section.
    """
    _, columns, rows, slots = struct.unpack_from("<4I", index)
    identities = struct.unpack_from(f"<{slots}Q", index, 16)
    row = struct.unpack_from(f"<{slots}I", index, 16 + 8 * slots)[identities.index(identity)]
    table, line = 16 + 12 * slots, f"<{columns}I"
    kinds = struct.unpack_from(line, index, table)
    begins = struct.unpack_from(line, index, table + 4 * columns * row)
    sizes = struct.unpack_from(line, index, table + 4 * columns * (rows + row))
    found = {"str": every["str"]}
    for kind, begin, size in zip(kinds, begins, sizes, strict=True):
        if name := _COLUMNS.get(kind):
            found[name] = every[name][begin : begin + size]
    return found


def _descriptor(name: str, data: bytes | None) -> DebugSectionDescriptor | None:
    if not data:
        return None
    return DebugSectionDescriptor(
        stream=BytesIO(data),
        name=f".debug_{name}.dwo",
        global_offset=0,
        size=len(data),
        address=0,
    )
