"""How far simulated misses can be trusted: beside hardware counters, or else cachegrind's.

Cachegrind simulates two levels, LRU, of which the second one is shared with instructions. It counts
an instruction that reads and writes back a place as a read, and an access that straddles two lines
once. What the recorder's own wrappers of malloc touch is left out here.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from abut.errors import AbutError, NotHere
from abut.measure.counters import Event
from abut.measure.instructions import counts_in
from abut.recording.record_run import record
from abut.simulation.caches import Caches, Level
from abut.simulation.jobs import Job, simulate
from abut.simulation.presets import Preset
from abut.simulation.replay import feed
from abut.trace.reader import Trace

_RECORDER = re.compile(r"vgpreload_abut|vgpreload_core")
_EVENTS = ("Ir", "I1mr", "ILmr", "Dr", "D1mr", "DLmr", "Dw", "D1mw", "DLmw")
FIRST = Level("L1", 48 << 10, below="LL", ways=12)
LAST = Level("LL", 1 << 20, ways=16)
_HARDWARE_CACHE = 3
_READ_MISS = 1 << 16
HARDWARE = (
    Event("L1 misses (reads)", _HARDWARE_CACHE, _READ_MISS),
    Event("last level misses (reads)", _HARDWARE_CACHE, 2 | _READ_MISS),
    Event("TLB misses (reads)", _HARDWARE_CACHE, 3 | _READ_MISS),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, simulated by abut and by the other."""

    name: str
    simulated: int
    other: int
    spread: float | None = None  # of the other's own runs: the most over the least, less one

    @property
    def difference(self) -> float | None:
        """How far the simulated figure is off, as a share of the other."""
        return (self.simulated - self.other) / self.other if self.other else None


def against_cachegrind(command: Sequence[str], runs: int) -> list[Figure]:
    """Run the program so often under cachegrind and the recorder, in turn; means of the runs.

    Raises AbutError, NotHere.
    """
    return means([_once_against_cachegrind(command) for _ in range(runs)])


def means(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """Each figure's mean over the runs, and how far the other's runs lie apart."""
    if len(runs) == 1:
        return list(runs[0])
    return [_mean(figures) for figures in zip(*runs, strict=True)]


def _mean(figures: Sequence[Figure]) -> Figure:
    others = [figure.other for figure in figures]
    return Figure(
        name=figures[0].name,
        simulated=round(fmean(figure.simulated for figure in figures)),
        other=round(fmean(others)),
        spread=max(others) / min(others) - 1 if min(others) else None,
    )


def _once_against_cachegrind(command: Sequence[str]) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="abut-validate-") as folder:
        theirs = _cachegrind(command, Path(folder))
        trace = recorded(command, Path(folder) / "run.trace")
        caches = Caches((FIRST, LAST))
        _replay(trace, caches)
        first, last = caches.counts()
        ran = (trace.info.totals or {}).get("instructions", 0)
        return [
            Figure("instructions", ran, theirs["Ir"]),
            Figure("data references", sum(caches.references), theirs["Dr"] + theirs["Dw"]),
            Figure("L1 misses", first.total_misses, theirs["D1mr"] + theirs["D1mw"]),
            Figure("LL misses", last.total_misses, theirs["DLmr"] + theirs["DLmw"]),
        ]


def against_counters(
    command: Sequence[str], preset: Preset, counted: dict[str, int]
) -> list[Figure]:
    """What was counted on this machine, beside its simulated caches."""
    with tempfile.TemporaryDirectory(prefix="abut-validate-") as folder:
        trace = recorded(command, Path(folder) / "run.trace")
        result = simulate(Job(trace.path, preset, by="context"))
    reads = {
        HARDWARE[0].key: result.levels[0],
        HARDWARE[1].key: result.levels[-1],
        **({HARDWARE[2].key: result.tlb[-1]} if result.tlb else {}),
    }
    return [
        Figure(key, level.misses[0] + level.misses[2], counted[key])
        for key, level in reads.items()
        if key in counted
    ]


def recorded(command: Sequence[str], path: Path) -> Trace:
    """All accesses of the program, those to its stack, too. Raises AbutError."""
    record(path, command, "--everything", "--sites")
    return Trace(path)


def _replay(trace: Trace, caches: Caches) -> None:
    own = [
        (module.base, module.base + module.length)
        for module in trace.modules()
        if _RECORDER.search(Path(module.path).name)
    ]
    feed(trace, [caches], leave_out=own, join_modifies=True)


def check_alone(program: str, instructions: Sequence[int]) -> None:
    """Raises AbutError where the program's own are less than those of the processes it starts: of
    these nothing is simulated.
    """
    own, *others = instructions
    if sum(others) > own:
        share = sum(others) / sum(instructions)
        raise AbutError(
            f"{program}: {share:.0%} of the instructions are of processes that it starts, and only"
            " its own are simulated",
            fix="name the program that does the work, without what starts it",
        )


def _cachegrind(command: Sequence[str], folder: Path) -> dict[str, int]:
    """The program's own counts; its children's must be fewer."""
    if shutil.which("valgrind") is None:
        raise NotHere("valgrind: not installed", fix="sudo apt install valgrind")
    geometry = (f"{level.capacity},{level.ways},{level.line}" for level in (FIRST, LAST))
    first, last = geometry
    done = subprocess.run(
        [
            *("valgrind", "--tool=cachegrind", "--cache-sim=yes", "-q", f"--D1={first}"),
            *(f"--LL={last}", "--trace-children=yes"),
            *(f"--cachegrind-out-file={folder}/%p", *command),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
        check=False,
    )
    if not any(folder.iterdir()) or len((counted := counts_in(folder))[0]) < len(_EVENTS):
        raise AbutError(f"{command[0]}: cachegrind said: {done.stderr.strip()}")
    check_alone(command[0], [counts[0] for counts in counted])
    return dict(zip(_EVENTS, counted[0], strict=True))
