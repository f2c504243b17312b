"""The classes of objects that code makes, by the vtables that it stores in them.

For programs without debug information, stripped ones too: behind a call of `operator new` the code
stores the address of a vtable in the new object, itself or in a constructor that it calls. In
front of a vtable lies a pointer to what describes its class, where its mangled name is (Itanium C++
ABI, sections 2.5.2 and 2.9.5). x86-64 only.
"""

import mmap
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from abut.trace.native import Array
from abut.trace.reader import Module
from abut.trace.symbols import Place, is_as_recorded

_NEAR = 160  # bytes of code behind the call, or of a constructor
_MOST_NAME = 512
_DESCRIBES = b"_ZTVN10__cxxabiv1"  # the vtables of what describes classes
_SORTED = b"\x01\x1b\x03\x3b"  # how all linkers write .eh_frame_hdr: 32-bit offsets, in order
_HEAD = 16  # bytes of a vtable before its functions
_RELATIVE, _ABSOLUTE, _SLOT = 8, 1, 6  # relocations of x86-64
_RELOCATION = struct.Struct("<QQq")

# lea REG, [rip + N]; mov REG, N; mov qword [REG + N], N; mov REG, [rip + N], from a table.
_LOADS = re.compile(
    rb"[\x48\x4c]\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d](?P<near>.{4})"
    rb"|[\xb8-\xbf](?P<plain>.{4})"
    rb"|\x48\xc7(?:[\x00-\x07]|[\x40-\x47].)(?P<stored>.{4})"
    rb"|[\x48\x4c]\x8b[\x05\x0d\x15\x1d\x25\x2d\x35\x3d](?P<slot>.{4})",
    re.DOTALL,
)
_CALL = re.compile(rb"\xe8(?P<call>.{4})", re.DOTALL)


class Vtables:
    """The vtables of the modules of a recorded run; each is read once, and if it is needed."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._recorded = {one.path: one for one in modules}
        self._files: dict[str, _File | None] = {}

    def class_made_at(self, place: Place) -> str:
        """The class whose vtable the code behind a call stores first; empty where there is none, or
        the module's file is no longer what was recorded.
        """
        if place.module not in self._files:
            self._files[place.module] = self._read(place.module)
        file = self._files[place.module]
        return file.class_at(place.offset) if file else ""

    def _read(self, path: str) -> "_File | None":
        module = self._recorded.get(path)
        if module is None or not is_as_recorded(module):
            return None
        try:
            return _File(Path(path))
        except (ELFError, OSError, ValueError, LookupError, struct.error):
            return None  # damaged, or none that is known


class _File:
    """The memory of a program or library, as its file has it."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            elf = ELFFile(file)
            if elf.get_machine_arch() != "x64":
                raise ValueError(path)
            self._parts = [
                (part["p_vaddr"], part["p_offset"], part["p_filesz"])
                for part in elf.iter_segments()
                if part["p_type"] == "PT_LOAD"
            ]
            dynamic: Any = elf.get_section_by_name(".dynsym")
            symbols = list(dynamic.iter_symbols()) if dynamic else []
            names = [one.name.encode() for one in symbols]
            table = elf.get_section_by_name(".rela.dyn")
            self._addends: dict[int, int] = {}
            self._symbols: dict[int, bytes] = {}
            for at, info, addend in _RELOCATION.iter_unpack(table.data() if table else b""):
                if info & 0xFFFFFFFF == _RELATIVE:
                    self._addends[at] = addend
                elif info & 0xFFFFFFFF in (_ABSOLUTE, _SLOT):
                    self._symbols[at] = names[info >> 32]
            self._begins: dict[bytes, int] = {
                name: one["st_value"]
                for name, one in zip(names, symbols, strict=True)
                if one["st_shndx"] != "SHN_UNDEF"
            }
            self._functions = _function_begins(elf)

    def class_at(self, code: int) -> str:
        """By what is loaded behind `code`; else by what functions load that are called there."""
        behind = self._code(code)
        if found := self._class_in(code, behind):
            return found
        for call in _CALL.finditer(behind):
            begin = code + call.end() + int.from_bytes(call["call"], "little", signed=True)
            if found := self._class_in(begin, self._code(begin)):
                return found
        return ""

    def _class_in(self, begin: int, code: bytes) -> str:
        names = (self._class_of(vtable) for vtable in self._loaded(begin, code))
        return next((name for name in names if name), "")

    def _loaded(self, begin: int, code: bytes) -> Iterator[int]:
        """Addresses behind the heads of what may be vtables."""
        at = 0
        while found := _LOADS.search(code, at):
            at = found.start() + 1  # one instruction's bytes may look like another's
            number = int.from_bytes(found[found.lastgroup or 0], "little", signed=True)
            if found.lastgroup in ("plain", "stored"):
                yield number
                continue
            target = begin + found.end() + number
            if found.lastgroup == "near":
                yield target
            elif symbol := self._symbols.get(target, b""):  # a vtable that others may replace
                yield self._begins.get(symbol, -_HEAD) + _HEAD

    def _class_of(self, vtable: int) -> str:
        """The name of the class, if a vtable's functions begin there."""
        if self._bytes(vtable - _HEAD, 8) != bytes(8):  # the object is not a base of another
            return ""
        described = self._pointer(vtable - 8)
        if not self._describes_class(described):
            return ""
        name = self._bytes(self._pointer(described + 8), _MOST_NAME).partition(b"\0")[0]
        return _demangled(name.decode(errors="replace").removeprefix("*"))

    def _describes_class(self, at: int) -> bool:
        """Its first word leads to a vtable of the C++ library's, or a copy that the program has."""
        if at in self._symbols:
            return self._symbols[at].startswith(_DESCRIBES)
        first = self._pointer(at) - _HEAD
        return any(
            begin == first for name, begin in self._begins.items() if name.startswith(_DESCRIBES)
        )

    def _pointer(self, at: int) -> int:
        if at in self._symbols:
            return self._begins.get(self._symbols[at], 0)
        return self._addends.get(at, int.from_bytes(self._bytes(at, 8), "little"))

    def _code(self, at: int) -> bytes:
        """What follows in the same function, where is known where that ends."""
        after = int(np.searchsorted(self._functions, at, side="right"))
        end = int(self._functions[after]) if after < len(self._functions) else at + _NEAR
        return self._bytes(at, min(_NEAR, end - at))

    def _bytes(self, at: int, count: int) -> bytes:
        for begin, offset, size in self._parts:
            if begin <= at < begin + size:
                return self._data[offset + at - begin : offset + min(at - begin + count, size)]
        return b""


def _function_begins(elf: Any) -> Array:
    """Where functions begin, in order, by the table that finds their unwinding rules, which
    stripped programs have, too (Linux Standard Base Core, section 10.6.2).
    """
    section = elf.get_section_by_name(".eh_frame_hdr")
    head = section.data() if section else b""
    if head[:4] != _SORTED:
        return np.zeros(0, np.int64)
    pairs = np.frombuffer(head[12 : 12 + 8 * int.from_bytes(head[8:12], "little")], "<i4")
    return pairs[::2].astype(np.int64) + int(section["sh_addr"])


@cache
def _demangled(name: str) -> str:
    """`book::Order` of N4book5OrderE; as it is without binutils' reader."""
    reader = shutil.which("c++filt")
    if not reader or not re.fullmatch(r"[\w.]+", name):
        return name
    done = subprocess.run(
        [reader, f"_ZTI{name}"], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout.strip().removeprefix("typeinfo for ")
