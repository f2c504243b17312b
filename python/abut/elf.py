"""What an ELF file says of itself: its class, its loader and its build-id."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile


def is_64_bit(path: Path) -> bool | None:
    """Whether it is for 64-bit machines; None where it is no ELF file."""
    with _elf(path) as elf:
        return None if elf is None else bool(elf.elfclass == 64)  # noqa: PLR2004


def loader(path: Path) -> str | None:
    """The loader that it asks for; None where it is statically linked, or no ELF file."""
    with _elf(path) as elf:
        for segment in elf.iter_segments("PT_INTERP") if elf else ():
            return str(segment.get_interp_name())
    return None


def build_id(path: Path) -> str:
    """In hexadecimal; empty where it has none, or is no ELF file."""
    with _elf(path) as elf:
        for segment in elf.iter_segments("PT_NOTE") if elf else ():
            for note in segment.iter_notes():
                if note["n_type"] == "NT_GNU_BUILD_ID":
                    return str(note["n_desc"])
    return ""


@contextmanager
def _elf(path: Path) -> Iterator[Any]:
    """The file, or None where it cannot be read as ELF. What is damaged ends the caller's loop."""
    try:
        with path.open("rb") as file:
            try:
                opened = ELFFile(file)
            except ELFError:
                opened = None
            yield opened
    except OSError:
        yield None
