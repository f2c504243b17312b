"""Names for code: function, file and line of places in modules, inlined calls included.

Asks `eu-addr2line` (elfutils), which also finds debug files by build-id, or binutils' `addr2line`;
where neither is there, or a module is no longer what was recorded, places keep their numbers.
What the latter guesses is left out: see `without_guesses`. Code that a program generates has the
names that the program wrote for perf.
"""

import re
import shutil
import subprocess
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from abut.elf import build_id
from abut.trace.reader import Frame, Module, Trace
from abut.trace.split_dwarf import is_split

_TOOLS = ("eu-addr2line", "addr2line")
_SPLIT_TOOL = "llvm-addr2line"  # elfutils' finds no inlined calls in .dwo files
_UNKNOWN = "??"
_MAPS = Path("/tmp")
_SCRIPT = re.compile(r"(?:\w+:(?!:)[*~+^]?)?(\S+) (\S+?):(\d+)(?::\d+)?")  # JS:*add book.js:3:9
_RUST = re.compile(r"^_R[A-Za-z]", re.MULTILINE)
_CRATE = re.compile(r"(?<=\w)\[[0-9a-f]{4,16}\]")
_METHOD = re.compile(r"^<([\w:]+)>(::\w)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame is in the source; several for one frame where calls were inlined."""

    module: str
    offset: int
    function: str | None = None
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        name = self.function or f"{Path(self.module).name or '?'}+{self.offset:#x}"
        if self.file is None:
            return name
        return f"{name} {Path(self.file).name}:{self.line}"


class Generated(NamedTuple):
    """A function that the program compiled for itself."""

    begin: int
    end: int
    name: str


def read_generated(path: Path, since: int) -> list[Generated]:
    """The functions of a process that wrote a map for perf, by address; none where the map is of an
    older process than one that began `since` then, in nanoseconds.
    """
    found = {}
    try:
        if path.stat().st_mtime_ns < since:
            return []
        for line in path.read_text(errors="replace").splitlines():
            begin, size, name = line.split(maxsplit=2)
            found[int(begin, 16)] = Generated(int(begin, 16), int(begin, 16) + int(size, 16), name)
    except OSError:
        return []
    except ValueError:
        pass  # cut short, as the program may have been
    return sorted(found.values())


class Symboliser:
    """Places of frames; each module is asked about once for all frames that are known of."""

    def __init__(self, modules: Sequence[Module], generated: Sequence[Generated] = ()) -> None:
        self._modules, self._generated = modules, generated
        self._places: dict[Frame, list[Place]] = {}
        self.notes: list[str] = []

    @classmethod
    def of(cls, trace: Trace) -> "Symboliser":
        """For the frames of a trace."""
        info = trace.info
        return cls(
            trace.modules(), read_generated(_MAPS / f"perf-{info.process}.map", info.started)
        )

    def learn(self, chains: Iterable[Sequence[Frame]]) -> None:
        """Find the places of all these frames, module by module."""
        wanted: defaultdict[int, set[int]] = defaultdict(set)
        for chain in chains:
            for frame in chain:
                if frame not in self._places:
                    wanted[frame.module].add(frame.offset)
        for number, offsets in sorted(wanted.items()):
            self._learn_module(number, sorted(offsets))

    def places(self, frame: Frame) -> list[Place]:
        """The frame's places, the innermost first: inlined functions, then the one they are in."""
        if frame not in self._places:
            self.learn([[frame]])
        return self._places[frame]

    def chain(self, frames: Sequence[Frame]) -> list[Place]:
        """All places of a call chain."""
        self.learn([frames])
        return [place for frame in frames for place in self.places(frame)]

    def _learn_module(self, number: int, offsets: list[int]) -> None:
        known = 0 < number <= len(self._modules)
        module = self._modules[number - 1] if known else Module("", "", 0, 0, False)
        found = self._ask(module, offsets) if known else {}
        for offset in offsets:
            bare = [Place(module.path, offset) if known else self._generated_at(offset)]
            self._places[Frame(number, offset)] = found.get(offset) or bare

    def _ask(self, module: Module, offsets: list[int]) -> dict[int, list[Place]]:
        tool = _tool()
        if tool is None:
            self._note("no names of functions: apt install elfutils")
            return {}
        path = Path(module.path)
        if not path.is_file():
            return {}
        if not is_as_recorded(module):
            self._note(f"{path}: is not the file that was recorded; its functions have no names")
            return {}
        if (reader := shutil.which(_SPLIT_TOOL)) and is_split(path):
            tool = reader
        asked = "".join(f"{offset:#x}\n" for offset in offsets)
        command = [tool, "-a", "-i", "-f", "-C", "-e", str(path)]
        answers = parse_answers(module.path, without_mangling(_said(command, asked)))
        return without_guesses(answers, _ranges(path)) if Path(tool).name == _TOOLS[1] else answers

    def _generated_at(self, address: int) -> Place:
        at = bisect_right(self._generated, address, key=lambda one: one.begin) - 1
        if at < 0 or address >= self._generated[at].end:
            return Place("", address)
        name = self._generated[at].name
        if source := _SCRIPT.fullmatch(name):
            return Place("", address, source[1], source[2], int(source[3]))
        return Place("", address, name)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def is_as_recorded(module: Module) -> bool:
    """Whether the file of a module is there, and is not known to be of another build."""
    path = Path(module.path)
    return path.is_file() and (not module.build_id or build_id(path) in ("", module.build_id))


def without_mangling(answers: str) -> str:
    """With Rust's names as they are written: elfutils reads those of C++ alone. Crates lose what
    tells their versions apart.
    """
    reader = shutil.which("c++filt")
    if reader is None or not _RUST.search(answers):
        return answers
    said = _said([reader], answers)
    return _METHOD.sub(r"\1\2", _CRATE.sub("", said)) if said else answers


def _said(command: list[str], asked: str = "") -> str:
    """What a tool prints. Names of a program's need not be UTF-8."""
    return subprocess.run(
        command, input=asked, capture_output=True, text=True, errors="replace", check=False
    ).stdout


def parse_answers(module: str, text: str) -> dict[int, list[Place]]:
    """What `addr2line -a -i -f` says: an address, then a function and a place for each level."""
    answers: dict[int, list[Place]] = {}
    offset = 0
    function: str | None = None
    for line in text.splitlines():
        if line.startswith("0x") and function is None:
            offset = int(line, 16)
        elif function is None:
            function = line.partition(" inlined at ")[0]
        else:
            place = _place(module, offset, function, line)
            if place.function or place.file:
                answers.setdefault(offset, []).append(place)
            function = None
    return answers


def without_guesses(
    answers: dict[int, list[Place]], ranges: Sequence[tuple[int, int]]
) -> dict[int, list[Place]]:
    """Without names that binutils' `addr2line` only guessed.

    Where there is no debug information it names whatever symbol comes before, however far: a name
    counts where one of `ranges`, first and last offset of each symbol, holds the place.
    """
    ends = [last for _, last in ranges]

    def is_known(place: Place) -> bool:
        at = bisect_left(ends, place.offset)
        return place.file is not None or (at < len(ends) and ranges[at][0] <= place.offset)

    kept = {at: [one for one in places if is_known(one)] for at, places in answers.items()}
    return {at: places for at, places in kept.items() if places}


def _ranges(path: Path) -> list[tuple[int, int]]:
    """First and last offset of the symbols that have a size, by the last; of both tables."""
    ranges = set()
    for table in ("--dynamic", "--debug-syms"):
        command = ["nm", "--print-size", "--defined-only", table, str(path)]
        for line in _said(command).splitlines():
            match line.split():
                case [begin, size, _, _]:
                    ranges.add((int(begin, 16), int(begin, 16) + int(size, 16) - 1))
    return sorted(ranges, key=lambda range_: range_[1])


def _place(module: str, offset: int, function: str, where: str) -> Place:
    name = None if function == _UNKNOWN else function
    file, _, rest = where.partition(" (discriminator")[0].partition(":")
    line = rest.partition(":")[0]
    if file == _UNKNOWN or not line.isdigit() or line == "0":
        return Place(module, offset, name)
    return Place(module, offset, name, file, int(line))


@cache
def _tool() -> str | None:
    return next((path for name in _TOOLS if (path := shutil.which(name))), None)
