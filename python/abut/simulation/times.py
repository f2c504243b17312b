"""The time of a program under several heaps, predicted from recorded parts of it, and measured.

A part of the run's accesses is recorded under each heap, from the program's start on, in windows
spread over it, which are the same parts of the program under each. A simulated core takes them: the
time of an instruction there is that of the rest, whose instructions are counted exactly. The first
part of each window only warms the caches, which hold what was used in the window before. A trace
has no pages: what part of the memory lies in those of 2 MiB is looked up in a run without the
recorder.
"""

import itertools
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import numpy as np

from abut.errors import AbutError
from abut.heaps import Heap
from abut.measure.huge_pages import huge_page_share
from abut.measure.instructions import check_counter, counting, counts_in
from abut.measure.interleave import Interleaver
from abut.measure.measurement import Measurement, Plan
from abut.measure.spawn import run_once
from abut.measure.workload import Workload
from abut.preloading import file_name_of
from abut.recording.record_run import record
from abut.simulation.core_time import Time
from abut.simulation.jobs import core_of
from abut.simulation.presets import Preset
from abut.simulation.replay import feed_up_to
from abut.simulation.validation import check_alone
from abut.trace.reader import EventKind, Trace

WINDOW = 2_000_000  # accesses
WARMING = 1_000_000  # of them, at first
_ACCESSES_AN_INSTRUCTION = 0.5
_DIFFER = 0.05
_START = "(below main)"  # as the recorder calls what calls main


@dataclass(frozen=True, slots=True)
class HeapTime:
    """One heap: seconds predicted, of which computing; and measured, the least and the median."""

    heap: str
    predicted_s: float
    computing_s: float
    measured_s: float
    median_s: float
    accesses: int
    instructions: int
    recorded: int  # of those, while accesses were recorded
    cycles: Mapping[str, float]
    huge_page_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Recording:
    """A trace of a part of a run; of all of it, the instructions, and the part of the memory that
    lies in pages of 2 MiB.
    """

    trace: Path
    instructions: int
    huge_page_share: float
    one_of: int = 1  # so many accesses was recorded


@dataclass(frozen=True, slots=True)
class Times:
    """A program's heaps."""

    program: str
    heaps: Sequence[HeapTime]
    notes: Sequence[str] = ()

    @property
    def rank_correlation(self) -> float:
        """Spearman's, of predicted and measured; NaN of fewer than two heaps."""
        return rank_correlation(
            [heap.predicted_s for heap in self.heaps], [heap.measured_s for heap in self.heaps]
        )

    @property
    def error(self) -> float:
        """The mean of how far predictions are off, once all are scaled to the same mean."""
        scale = sum(h.measured_s for h in self.heaps) / sum(h.predicted_s for h in self.heaps)
        return fmean(abs(h.predicted_s * scale / h.measured_s - 1) for h in self.heaps)

    @property
    def signs(self) -> tuple[int, int]:
        """Of the pairs that differ by more than 5 % measured, how many are predicted so; of all."""
        pairs = [
            (a, b)
            for a, b in itertools.permutations(self.heaps, 2)
            if b.measured_s > a.measured_s * (1 + _DIFFER)
        ]
        return sum(a.predicted_s < b.predicted_s for a, b in pairs), len(pairs)


def rank_correlation(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Spearman's; NaN of fewer than two, or of equals alone."""
    columns = [np.array(column) for column in (predicted, measured)]
    ranks = [np.sign(column[:, None] - column).sum(axis=1) for column in columns]
    with np.errstate(invalid="ignore"):
        return float(np.corrcoef(ranks)[0, 1]) if len(predicted) > 1 else math.nan


def compare_times(
    workload: Workload, heaps: Sequence[Heap], preset: Preset, plan: Plan, most: int
) -> Times:
    """Measure and predict; `most` accesses of each run are simulated. Raises AbutError, also where
    the program did not do the same under each heap.
    """
    if preset.core is None:
        raise AbutError(f"{preset.name}: has no [core]", fix="abut calibrate -o mine.toml")
    check_counter()
    measurement = measured(workload, heaps, plan)
    times = []
    with tempfile.TemporaryDirectory(prefix="abut-validate-") as folder:
        for heap in heaps:
            recording = recorded(workload, heap, most, Path(folder))
            seconds = [sample.user_s for sample in measurement.samples[heap.name]]
            least_and_median = min(seconds), median(seconds)
            times.append(predicted(recording, heap.name, preset, least_and_median))
            recording.trace.unlink()
    return Times(workload.name, times, measurement.notes)


def measured(workload: Workload, heaps: Sequence[Heap], plan: Plan) -> Measurement:
    """Runs under each heap. Raises AbutError where they did not do the same."""
    measurement = Measurement(workload)
    Interleaver(heaps, plan, (), heaps[0].name).measure(measurement, lambda _: None)
    for difference in measurement.differences:
        raise AbutError(
            f"{workload.name}: under {difference.heap} {difference.problem}",
            fix=f"leave {difference.heap} out of --heaps, or see why with `abut compare`",
        )
    return measurement


def is_recorded(workload: Workload, heap: Heap, folder: Path) -> bool:
    """Whether the folder has what `recorded` makes."""
    return _recording(workload, heap, folder)[1].is_file()


def _recording(workload: Workload, heap: Heap, folder: Path) -> tuple[Path, Path]:
    """The trace, and the file with the number of instructions, which is written last."""
    path = folder / f"{file_name_of(workload.name)}@{file_name_of(heap.name)}.trace"
    return path, path.with_suffix(".json")


def recorded(workload: Workload, heap: Heap, most: int, folder: Path) -> Recording:
    """The folder's recording of a program under a heap: made, if it has none. Where it has the
    program under another heap, the windows are spread as there.
    """
    path, count = _recording(workload, heap, folder)
    if not count.is_file():
        launch = workload.launch(heap)
        with tempfile.TemporaryDirectory(prefix="abut-validate-") as counts:
            run_once(counting(launch, Path(counts)))
            by_process = [counts[0] for counts in counts_in(Path(counts))]
        check_alone(workload.name, by_process)
        instructions = sum(by_process)
        one_of = round(instructions * _ACCESSES_AN_INSTRUCTION / most)
        for other in folder.glob(f"{file_name_of(workload.name)}@*.json"):
            one_of = int(json.loads(other.read_text())["one_of"])
        _record(workload, heap, path, one_of)
        counted = {
            "instructions": instructions,
            "huge_page_share": huge_page_share(launch),
            "one_of": one_of,
        }
        count.write_text(json.dumps(counted))
    found = json.loads(count.read_text())
    return Recording(
        path, int(found["instructions"]), float(found["huge_page_share"]), int(found["one_of"])
    )


def predicted(
    recording: Recording, heap: str, preset: Preset, measured: tuple[float, float]
) -> HeapTime:
    """What a simulated core makes of the recorded part, for the whole run."""
    trace = Trace(recording.trace)
    ran = (trace.info.totals or {}).get("instructions", 0)
    if preset.core is None or not ran:
        raise AbutError(f"{trace.path}: no core, or no instructions counted")
    parts = counted_parts(trace) if recording.one_of > 1 else [(0, trace.info.accesses)]
    cycles, accesses = _simulated(trace, preset, recording.huge_page_share, parts)
    ran = ran * accesses // trace.info.accesses
    seconds = recording.instructions / ran / preset.core.ghz / 1e9
    return HeapTime(
        heap,
        sum(cycles.values()) * seconds,
        cycles["compute"] * seconds,
        *measured,
        accesses,
        recording.instructions,
        ran,
        cycles,
        recording.huge_page_share,
    )


def counted_parts(trace: Trace) -> list[tuple[int, int]]:
    """Accesses [from, to) of each window that follow those that warm the caches; all where no
    window is so long.
    """
    gaps: list[int] = []
    for events in trace.events():
        gaps += events.position[events.kind == EventKind.GAP].tolist()
    ends = sorted({0, *gaps, trace.info.accesses})
    parts = [(begin + WARMING, end) for begin, end in itertools.pairwise(ends)]
    return [(begin, end) for begin, end in parts if begin < end] or [(0, trace.info.accesses)]


def _simulated(
    trace: Trace, preset: Preset, share: float, parts: Sequence[tuple[int, int]]
) -> tuple[dict[str, float], int]:
    """Cycles by cause, and accesses, of these parts of them. With a share of the memory in pages of
    2 MiB, so far between what the trace takes with none and with all of it there.
    """
    tables = [(1 - share, preset.tlb), (share, preset.huge_tlb)]
    if not preset.huge_tlb:
        tables = [(1.0, preset.tlb)]
    cores = [(weight, core_of(preset, trace, tlb)) for weight, tlb in tables if weight > 0]
    simulated = [(weight, core) for weight, core in cores if core]
    ends = itertools.chain.from_iterable(parts)
    times = [
        (_weighed([(weight, core.time()) for weight, core in simulated]), fed)
        for fed in feed_up_to(trace, [core for _, core in simulated], list(ends))
    ]
    counted = list(zip(times[1::2], times[::2], strict=True))
    cycles = {
        cause: sum(after[cause] - before[cause] for (after, _), (before, _) in counted)
        for cause in times[0][0]
    }
    return cycles, sum(after - before for (_, after), (_, before) in counted)


def _weighed(times: Sequence[tuple[float, Time]]) -> dict[str, float]:
    """Cycles by cause, of cores with these weights."""
    causes = times[0][1].cycles
    return {cause: sum(weight * one.cycles[cause] for weight, one in times) for cause in causes}


def _record(workload: Workload, heap: Heap, path: Path, one_of: int) -> None:
    window = ["--window", f"{WINDOW}/{one_of * WINDOW}"] if one_of > 1 else []
    options = [*window, "--everything", "--sites", "--from", _START, "--heap", heap.option]
    environment, folder = workload.environment, workload.folder
    record(
        path, workload.argv, *options, variables=environment, folder=folder, stdin=workload.stdin
    )
