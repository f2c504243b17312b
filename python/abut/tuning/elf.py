"""The GNU build-id in an ELF file."""

import struct
from pathlib import Path

_PT_NOTE, _NT_GNU_BUILD_ID = 4, 3
_MOST_NOTE_BYTES = 1 << 16


def build_id(path: Path) -> str:
    """In hexadecimal; empty where there is none, or the file is no 64-bit ELF file."""
    with path.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:5] != b"\x7fELF\x02":  # noqa: PLR2004
            return ""
        table, size, count = (
            struct.unpack_from("<Q", head, 32)[0],
            *struct.unpack_from("<HH", head, 54),
        )
        for number in range(count):
            file.seek(table + number * size)
            row = file.read(56)
            if len(row) < 56 or struct.unpack_from("<I", row)[0] != _PT_NOTE:  # noqa: PLR2004
                continue
            offset, length = (
                struct.unpack_from("<Q", row, 8)[0],
                struct.unpack_from("<Q", row, 32)[0],
            )
            file.seek(offset)
            found = _build_id_in(file.read(min(length, _MOST_NOTE_BYTES)))
            if found:
                return found
    return ""


def _build_id_in(notes: bytes) -> str:
    at = 0
    while at + 12 <= len(notes):
        name, content, kind = struct.unpack_from("<III", notes, at)
        begin = at + 12 + (name + 3) // 4 * 4
        if kind == _NT_GNU_BUILD_ID and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[begin : begin + content].hex()
        at = begin + (content + 3) // 4 * 4
    return ""
