"""What verbs need of this machine: whether it is there, and what brings it."""

import ctypes
import importlib.util
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from abut.errors import AbutError
from abut.heaps import NAMES, MissingHeap, find_heap
from abut.library import load_library
from abut.measure.counters import available
from abut.places import build_fix, collector_candidate, library_candidate, native_folder
from abut.recording.valgrind_tool import valgrind_version
from abut.reporters.listing import Finding

_PROC, _SYS = Path("/proc/sys"), Path("/sys")
_FEW_MAPPINGS = 65530


def checkup() -> list[Finding]:
    """Everything that is looked at."""
    return [*_parts(), *_heaps(), *_programs(), *_packages(), *_system()]


def _parts() -> Iterator[Finding]:
    """What is built of abut itself."""
    try:
        yield Finding("the heap", "ok", f"{load_library().version()}", "everything")
    except AbutError as error:
        yield Finding("the heap", "missing", error.problem, "everything", error.fix)
    rows = (
        ("the native module", next(native_folder().glob("abut_native*"), None), "abut_native",
         "trace, sim, place, tune, report, export"),
        ("the collector", collector_candidate(), "abut-collect", "record, tune, report"),
        ("the recording heap", native_folder() / "libabut_light.so", "abut_light",
         "record --recorder light"),
        ("the checking heap", native_folder() / "libabut_checked.so", "abut_checked",
         "run --check"),
        ("the compilers' library", native_folder() / "libabut_rt.so", "abut_rt", "cc, c++"),
        ("the papers' heaps", library_candidate().with_name("libabut_papers.so"), "abut_papers",
         "bench, and run --heap lea"),
    )  # fmt: skip
    for what, path, target, needed_for in rows:
        is_there = path is not None and path.is_file()
        state, fix = ("ok", "") if is_there else ("missing", build_fix(target))
        yield Finding(what, state, str(path) if is_there else "not built", needed_for, fix)


def _heaps() -> Iterator[Finding]:
    for name in NAMES:
        try:
            heap = find_heap(name)
        except AbutError:
            continue  # abut's own, which is named above
        if isinstance(heap, MissingHeap):
            yield Finding(name, "limited", "not installed", "compare", heap.fix)
        elif heap.library and name != "abut":
            yield Finding(name, "ok", str(heap.library), "compare")


def _programs() -> Iterator[Finding]:
    try:
        yield Finding("valgrind", "ok", valgrind_version(), "record, tune, report")
    except AbutError as error:
        fix = error.fix if platform.machine() == "x86_64" else ""
        yield Finding("valgrind", "missing", error.problem, "record, tune, report", fix)
    rows = (
        ("cc", ("cc", "gcc", "clang"), "missing", "record, cc, c++", "gcc libc6-dev"),
        ("eu-addr2line", ("eu-addr2line", "addr2line"), "limited", "names in code", "elfutils"),
        ("lua5.4", ("lua5.4",), "missing", "demo", "lua5.4"),
    )  # fmt: skip
    for what, names, without, needed_for, packages in rows:
        path = next(filter(None, map(shutil.which, names)), None)
        state, fix = ("ok", "") if path else (without, f"sudo apt install {packages}")
        yield Finding(what, state, path or "not installed", needed_for, fix)


def _packages() -> Iterator[Finding]:
    for module, extra, needed_for in (
        ("matplotlib", "plot", "--plot"),
        ("distributed", "cluster", "sim --scheduler"),
    ):
        is_there = importlib.util.find_spec(module) is not None
        state, fix = ("ok", "") if is_there else ("limited", f"pip install 'abut[{extra}]'")
        says = "installed" if is_there else "not installed"
        yield Finding(module, state, says, needed_for, fix)


def _system() -> Iterator[Finding]:
    """What the kernel grants."""
    counters = available()
    state = "ok" if counters.events else "limited"
    fix = "sudo sysctl kernel.perf_event_paranoid=2" if "permitted" in counters.reason else ""
    says = counters.reason or ", ".join(event.key for event in counters.events)
    yield Finding("hardware counters", state, says, "compare, validate --against counters", fix)
    yield _setting("huge pages", _SYS / "kernel/mm/transparent_hugepage/enabled", "ABUT_THP")
    yield _setting(
        "ptrace scope", _PROC / "kernel/yama/ptrace_scope", "debuggers", most=2,
        fix="sudo sysctl kernel.yama.ptrace_scope=1",
    )  # fmt: skip
    yield _setting(
        "mappings", _PROC / "vm/max_map_count", "programs with very large heaps",
        least=_FEW_MAPPINGS, fix=f"sudo sysctl vm.max_map_count={_FEW_MAPPINGS}",
    )  # fmt: skip
    yield _setting("overcommit", _PROC / "vm/overcommit_memory", "large reservations")
    if platform.libc_ver()[0] != "glibc" or ctypes.sizeof(ctypes.c_void_p) != 8:  # noqa: PLR2004
        yield Finding("the C library", "missing", "not glibc of 64 bits", "run")


def _setting(
    what: str, path: Path, needed_for: str, *, least: int = 0, most: int = 1 << 62, fix: str = ""
) -> Finding:
    """One of the kernel's settings, with the numbers at which nothing is lost."""
    try:
        value = path.read_text().strip()
    except OSError:
        return Finding(what, "ok", "the kernel does not say", needed_for)
    fits = not value.isdigit() or least <= int(value) <= most
    return Finding(what, "ok" if fits else "limited", value, needed_for, "" if fits else fix)
