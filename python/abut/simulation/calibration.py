"""This machine's core, measured with small kernels: a machine's file that `--machine` reads.

Latencies are those of chains of pointers through half of a level, memory's of lines that were
evicted before, TLBs' the difference between a line on each of so many pages and as many lines side
by side, misses in flight the gain of many chains at once. What prefetchers do is the least whose
simulated walks are about as close as any to the measured. Of the last level only that part counts
which other machines on the same processor leave. What no kernel measures is that of the preset
whose first two levels are as large.
"""

import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from abut.simulation.caches import Level
from abut.simulation.core_time import Core, CoreSettings
from abut.simulation.presets import (
    STANDARD,
    Preset,
    find_preset,
    preset_files,
    read_preset,
    this_machine_preset,
)
from abut.trace.native import native_module

_LINE, _PAGE = 64, 4096
_FAR = (32 << 20) // _LINE  # lines of memory, evicted from the caches before they are visited
_SHARED = 4 << 20
_PARTS = tuple(mib << 20 for mib in (4, 6, 8, 12, 16, 24, 32, 64))
_MOST_HALVINGS = 6  # of a level that others use
_HARDLY = 2.0  # cycles
_WAYS = 16  # of a second TLB
_PAGES = (32, 48, 64, 96, 128, 192, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192)
_CHAINS = (1, 4, 8, 12, 16, 20, 24, 32)
_RUN = 32  # lines, as the kernel has it
_FROM_THE_LAST = 2  # a source, as traces have it
_AS_CLOSE = 0.05  # of the logarithm of a walk's time
_LOOKS, _STEADY = 3, 1.25  # at each level, and how far they may be apart
_TRIES, _PAUSE_S = 10, 0.02  # where others use the machine, it is slow for that long


@dataclasses.dataclass(frozen=True)
class Walk:
    """A list in lines of memory: in ascending order, or in runs of 32 lines in random order."""

    order: str = "ascending"
    lines_apart: int = 1

    @property
    def _lines(self) -> int:
        return _FAR // self.lines_apart

    def measured(self, ghz: float) -> float:
        """Cycles a node."""
        step = self.lines_apart * _LINE
        chase = native_module().chase
        return float(chase(self._lines, ghz, line_step=step, order=self.order, evicted=True))

    def simulated(self, preset: Preset, core: CoreSettings) -> float:
        """Cycles a node, by this core."""
        settings = dataclasses.replace(core, cycles_per_instruction=0.25)
        simulated = Core(preset.levels, preset.memory_cycles, settings, preset.tlb, 2.0)
        lines = np.arange(self._lines, dtype=np.uint64)
        if self.order == "runs":
            lines = np.random.default_rng(1).permutation(lines.reshape(-1, _RUN)).ravel()
        simulated.take(
            lines * (self.lines_apart * _LINE),
            np.full(len(lines), 8, np.uint32),
            codes=np.ones(len(lines), np.uint64),
            sources=np.full(len(lines), _FROM_THE_LAST, np.uint8),
        )
        return simulated.time().total / len(lines)


# How far strides and streams reach, and how many lines a stream must see. The first has none.
_REACHES: tuple[tuple[str, Walk, tuple[Any, ...]], ...] = (
    ("stride", Walk(lines_apart=8), (0, 1, 2, 4)),
    ("stream", Walk(), (0, 1, 2, 4, 8, 16, 31)),
    ("trained", Walk("runs"), (2, 3, 4, 6, 8, 10, 12, 16, 24)),
)


def calibrate(warn: Callable[[str], None]) -> Preset:
    """Measure; takes some seconds. Raises AbutError. `warn` is called on a machine that is busy."""
    load = os.getloadavg()[0]
    native = native_module()
    ghz = gigahertz()
    shape = this_machine_preset()
    usual = like(shape)
    # A part of the last level only: others use it, too.
    reached = [min(level.capacity // 2, _SHARED) for level in shape.levels[:3]]
    looks = [[_chase(ghz, size // _LINE) for size in reached] for _ in range(_LOOKS)]
    took = {level.name: look for level, *look in zip(shape.levels, *looks, strict=False)}
    if noise := noise_in(took, load, os.cpu_count() or 1):
        warn(f"{noise}: these figures are not the machine's alone; measure again when it is calm")
    levels = [
        dataclasses.replace(level, cycles=min(took[level.name]))
        for level in shape.levels[: len(reached)]
    ]
    memory = _memory(ghz)
    levels[-1] = _part_of(levels[-1], memory, ghz)
    first, second, walk = _tlbs(ghz)
    assert usual.core
    core = dataclasses.replace(
        usual.core,
        how="measured by abut calibrate; window, cycles_per_instruction, adjacent, stores and "
        f"next: those of {usual.name}; row_hit_saves: an estimate",
        ghz=ghz,
        outstanding=min(64, round(memory / min(_memory(ghz, n) for n in _CHAINS))),
        walk_cycles=walk,
        line_cycles=min(Walk().measured(ghz), native.read_cycles(_FAR * _LINE, ghz)),
        row_hit_saves=0.1 * memory,
        stream=0,
        crosses=True,
    )
    found = dataclasses.replace(
        usual,
        name="calibrated",
        about="this machine, measured by abut calibrate",
        levels=tuple(levels),
        tlb=(first, second),
        memory_cycles=memory,
        core=core,
    )
    for key, list_walk, values in _REACHES:
        cores = {value: dataclasses.replace(core, **{key: value}) for value in values}
        times = {value: list_walk.simulated(found, one) for value, one in cores.items()}
        core = cores[least_of(times, list_walk.measured(ghz))]
    return dataclasses.replace(found, core=core)


def noise_in(times: Mapping[str, Sequence[float]], load: float, cores: int) -> str:
    """What disturbed several looks at the same levels; nothing of a calm machine."""
    found = [
        f"{name} took {min(cycles):.0f} to {max(cycles):.0f} cycles"
        for name, cycles in times.items()
        if max(cycles) > _STEADY * min(cycles)
    ]
    if load > cores:
        found.append(f"the load was {load:.1f} on {cores} cores")
    return ", ".join(found)


def like(shape: Preset) -> Preset:
    """The preset with a core whose first two levels are as large as these, or the usual one."""
    sizes = [level.capacity for level in shape.levels[:2]]
    for preset in map(read_preset, preset_files().values()):
        if preset.core and [level.capacity for level in preset.levels[:2]] == sizes:
            return preset
    return find_preset(STANDARD)


def least_of(walks: Mapping[int, float], measured: float) -> int:
    """The least value whose walk takes about as long as the measured one."""
    off = {value: abs(math.log(walk / measured)) for value, walk in walks.items()}
    return min(value for value in off if off[value] <= min(off.values()) + _AS_CLOSE)


def gigahertz() -> float:
    """The highest of several: what shares the core takes some milliseconds at a time."""
    found = []
    for _ in range(_TRIES):
        found.append(float(native_module().gigahertz()))
        time.sleep(_PAUSE_S)
    return max(found)


def machine_file(preset: Preset) -> str:
    """The preset as TOML."""
    parts: list[tuple[str, dict[str, Any]]] = [
        ("[core]", dataclasses.asdict(preset.core) if preset.core else {}),
        *(("[[level]]", _written(level)) for level in preset.levels),
        *(("[[tlb]]", _written(level)) for level in preset.tlb),
        *(("[[huge_tlb]]", _written(level)) for level in preset.huge_tlb),
    ]
    head = {"about": preset.about, "memory_cycles": preset.memory_cycles}
    return "\n\n".join(["\n".join(_lines(head)), *("\n".join((a, *_lines(b))) for a, b in parts)])


def _written(level: Level) -> dict[str, Any]:
    usual = Level("", 0)
    table = {
        field.name: getattr(level, field.name)
        for field in dataclasses.fields(level)
        if getattr(level, field.name) != getattr(usual, field.name)
    }
    if level.line >= _PAGE:
        table["page"] = table.pop("line")
        table["entries"] = table.pop("capacity") // level.line
    return table


def _lines(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        text = f'"{value}"' if isinstance(value, str) else str(value).lower()
        yield f"{key} = {round(value, 2) if isinstance(value, float) else text}"


def _chase(ghz: float, lines: int, **more: Any) -> float:
    return float(native_module().chase(lines, ghz, huge_pages=True, **more))


def _memory(ghz: float, chains: int = 1) -> float:
    return _chase(ghz, _FAR, evicted=True, chains=chains)


def _part_of(level: Level, memory: float, ghz: float) -> Level:
    """The level with the capacity that random chains find in it."""
    sizes = [size for size in _PARTS if size <= level.capacity]
    times = [_chase(ghz, size // _LINE) for size in sizes]
    return dataclasses.replace(level, capacity=part_of(level, memory, sizes, times))


def part_of(level: Level, memory: float, sizes: list[int], times: list[float]) -> int:
    """Bytes that a level seems to have, a power of two of it at most.

    `times`: cycles a step of chains through `sizes` bytes. Of a chain that is longer than the level
    as large a part hits as the level is of the chain.
    """
    found = (
        size * (memory - time) / (memory - level.cycles)
        for size, time in zip(sizes, times, strict=True)
        if memory > level.cycles
    )
    seen = max(found, default=level.capacity)
    halvings = max(0, round(math.log2(level.capacity / max(seen, 1))))
    return level.capacity >> min(halvings, _MOST_HALVINGS)


def _tlbs(ghz: float) -> tuple[Level, Level, float]:
    """Both TLBs of data, and what a walk takes after them."""
    native = native_module()
    extra = [native.chase(n, ghz, line_step=_PAGE) - _chase(ghz, n) for n in _PAGES]
    first, latency, second, walk = tlb_of(_PAGES, extra)
    upper = Level("L1 TLB", first * _PAGE, below="L2 TLB", line=_PAGE, cycles=1, per_thread=True)
    lower = Level("L2 TLB", second * _PAGE, line=_PAGE, ways=_WAYS, cycles=latency, per_thread=True)
    return upper, lower, walk


def tlb_of(pages: tuple[int, ...], extra: list[float]) -> tuple[int, float, int, float]:
    """Entries of the first TLB, latency and entries of the second, and cycles of a walk.

    `extra`: cycles a step that so many pages cost. Entries of the second are a power of two.
    """
    in_first = max(
        (n for n, more in zip(pages, extra, strict=True) if more < _HARDLY), default=pages[0]
    )
    beyond = [more for n, more in zip(pages, extra, strict=True) if n > in_first]
    latency = beyond[min(1, len(beyond) - 1)] if beyond else 7.0
    in_second = max(
        (n for n, more in zip(pages, extra, strict=True) if more < 2 * latency), default=in_first
    )
    walk = max(0.0, extra[-1] - latency)
    return in_first, latency, max(_WAYS, 1 << (in_second.bit_length() - 1)), walk
