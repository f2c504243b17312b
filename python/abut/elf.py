"""What an ELF file says of itself: its class, its loader and its build-id."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment, NoteSegment

_SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("value", "<u8"),
        ("size", "<u8"),
    ]
)
_FUNCTION = 2


class Elf(NamedTuple):
    """`loader` is None of a statically linked file; `build_id` is hexadecimal, or empty."""

    bits: int
    loader: str | None
    build_id: str


def read_elf(path: Path) -> Elf | None:
    """None where it is no ELF file, or a damaged one."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            parts = list(elf.iter_segments())
            loaders = [one.get_interp_name() for one in parts if isinstance(one, InterpSegment)]
            notes = [
                note for one in parts if isinstance(one, NoteSegment) for note in one.iter_notes()
            ]
    except (ELFError, OSError, ValueError):
        return None
    ids = [note["n_desc"] for note in notes if note["n_type"] == "NT_GNU_BUILD_ID"]
    return Elf(elf.elfclass, loaders[0] if loaders else None, ids[0] if ids else "")


def build_id(path: Path) -> str:
    """The build-id alone; empty where there is none."""
    found = read_elf(path)
    return found.build_id if found else ""


def functions_at(path: Path, offsets: Sequence[int]) -> dict[int, str]:
    """The functions around offsets in a file, as its symbols call them; none where they do not."""
    found: dict[int, str] = {}
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
            if table is None or elf.elfclass != 64:  # noqa: PLR2004
                return found
            symbols = np.frombuffer(table.data(), _SYMBOL)
            names: Any = elf.get_section(table["sh_link"])
            symbols = symbols[((symbols["info"] & 15) == _FUNCTION) & (symbols["section"] != 0)]
            ends = symbols["value"] + symbols["size"]
            for offset in offsets:
                around = symbols[(symbols["value"] <= offset) & (offset < ends)]
                if len(around):
                    found[offset] = names.get_string(int(around["name"][0]))
    except (ELFError, OSError, ValueError):
        pass
    return found
