"""libabut.so as Python sees it: where it is, and what it says about itself through its C API."""

import ctypes
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from abut.errors import AbutError
from abut.places import build_fix, built, library_candidate


def library_path() -> Path:
    """The preloadable library. Raises AbutError when it has not been built."""
    return built(library_candidate(), "library", "abut")


@dataclass(frozen=True, slots=True)
class HeapOption:
    """One option of the heap, in the library's own words; every field is text to show."""

    name: str
    kind: str
    standard: str
    range: str
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"ABUT_{self.name.upper()}"


class _Option(ctypes.Structure):
    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("standard", ctypes.c_char_p),
        ("range", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
    ]


class Library:
    """The library, loaded beside this process's own malloc without replacing it."""

    def __init__(self, path: Path) -> None:
        try:
            self._native = ctypes.CDLL(str(path))
            self._native.abut_version.restype = ctypes.c_char_p
            self._native.abut_option_count.restype = ctypes.c_int
            self._native.abut_option_at.restype = ctypes.POINTER(_Option)
            self._native.abut_option_at.argtypes = [ctypes.c_int]
        except (OSError, AttributeError) as error:
            raise AbutError(f"{path}: cannot be used: {error}", fix=build_fix("abut")) from error
        self.path = path

    def version(self) -> str:
        """The version that the library was built as."""
        return str(self._native.abut_version().decode())

    def options(self) -> list[HeapOption]:
        """Every option, in the order in which the library declares them."""
        return [
            _option(self._native.abut_option_at(index).contents)
            for index in range(self._native.abut_option_count())
        ]


def _option(entry: _Option) -> HeapOption:
    texts = (getattr(entry, field.name) or b"" for field in dataclasses.fields(HeapOption))
    return HeapOption(*(text.decode() for text in texts))


def load_library() -> Library:
    """The library of this package. Raises AbutError when it is missing or cannot be loaded."""
    return Library(library_path())
