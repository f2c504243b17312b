"""The machine that a measurement was made on, in the words that a reader needs to repeat it.

Assumes Linux: /proc and /sys. What the kernel does not report is None.
"""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CPU = Path("/sys/devices/system/cpu/cpu0")


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache of the first core. `size_bytes` and `line_bytes` as the kernel reports them."""

    level: int
    kind: str
    size_bytes: int
    line_bytes: int | None
    ways: int | None
    shared_by: str


@dataclass(frozen=True, slots=True)
class Machine:
    """Processor, memory and system. Memory in bytes, pages in bytes."""

    processor: str
    architecture: str
    cores: int
    virtual: bool
    caches: tuple[Cache, ...]
    memory_bytes: int | None
    page_bytes: int
    huge_pages: str | None
    governor: str | None
    system: str
    kernel: str
    glibc: str


def this_machine() -> Machine:
    """The machine that this process runs on."""
    about = _first_processor()
    return Machine(
        processor=about.get("model name", platform.machine()),
        architecture=platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        virtual="hypervisor" in about.get("flags", "").split(),
        caches=tuple(caches_in()),
        memory_bytes=_memory_bytes(),
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
        huge_pages=_chosen(_text(Path("/sys/kernel/mm/transparent_hugepage/enabled"))),
        governor=_text(_CPU / "cpufreq" / "scaling_governor"),
        system=_system(),
        kernel=platform.release(),
        glibc=(os.confstr("CS_GNU_LIBC_VERSION") or "unknown").removeprefix("glibc "),
    )


def describe(machine: Machine) -> str:
    """One line that names the machine."""
    levels = ", ".join(
        f"L{cache.level}{'d' if cache.kind == 'Data' else ''} {cache.size_bytes >> 10} KiB"
        for cache in machine.caches
        if cache.kind != "Instruction"
    )
    virtual = ", virtual" if machine.virtual else ""
    return f"{machine.processor}, {machine.cores} cores{virtual}, {levels}; {machine.system}"


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _first_processor() -> dict[str, str]:
    text = _text(Path("/proc/cpuinfo")) or ""
    pairs = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def caches_in(folder: Path = _CPU / "cache") -> Iterator[Cache]:
    """Those that the kernel reports there, from the first level on."""
    for index in sorted(folder.glob("index*")):
        level, size = _text(index / "level"), _text(index / "size")
        if level and size:
            line, ways = (
                _text(index / "coherency_line_size"),
                _text(index / "ways_of_associativity"),
            )
            yield Cache(
                int(level),
                _text(index / "type") or "",
                _bytes(size),
                int(line) if line else None,
                int(ways) if ways else None,
                _text(index / "shared_cpu_list") or "",
            )


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _memory_bytes() -> int | None:
    for line in (_text(Path("/proc/meminfo")) or "").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) << 10
    return None


def _chosen(text: str | None) -> str | None:
    """The word in brackets of "always [madvise] never"."""
    return text.partition("[")[2].partition("]")[0] if text else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
