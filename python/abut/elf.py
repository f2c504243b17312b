"""What an ELF file says of itself: its class, its loader and its build-id."""

from pathlib import Path
from typing import NamedTuple

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment, NoteSegment


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
