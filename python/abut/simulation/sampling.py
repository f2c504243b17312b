"""What a part of a long run says of the whole, with intervals.

Every so many chunks of the trace, from a start that the seed draws, one is simulated: systematic
sampling (Wunderlich, Wenisch, Falsafi and Hoe, "SMARTS: Accelerating microarchitecture simulation
via rigorous statistical sampling", ISCA 2003). Caches keep between windows what they had (Kessler,
Hill and Wood, "A comparison of trace-sampling techniques for multi-megabyte caches", IEEE
Transactions on Computers, 1994), and the first half of each window only warms them.

Figures are ratios to accesses, whose standard error is that of windows. What warming has beyond
that, such as lines that are new to all windows, happens once: it is added. Intervals are wider
still: a line that is new to the windows where they are measured may have been there in the whole
run, so such misses may be none (Wood, Hill and Kessler, "A model for estimating trace-sample miss
ratios", SIGMETRICS 1991); and what happens once may happen again outside the windows.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from abut.errors import AbutError
from abut.simulation.caches import Caches
from abut.simulation.jobs import Job, core_of
from abut.simulation.replay import open_replay
from abut.simulation.windows import Windows
from abut.trace.native import Array, failures
from abut.trace.reader import Trace

_LEAST_WINDOWS = 5
_PIECES = 16  # of a window
_NORMAL = NormalDist().inv_cdf(0.975)  # 95 %, both sides


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of the whole run: it lies between `low` and `high` with 95 % confidence."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What was simulated: accesses of all, and those that were measured; and what they say."""

    job: Job
    command: list[str]
    accesses: int
    measured: int
    windows: int
    estimates: Sequence[Estimate]


def sample(job: Job, rate: float) -> Sample:
    """Simulate about this share of a job's trace. Raises AbutError where it is too short."""
    trace = Trace(job.trace)
    if not trace.info.accesses:
        fix = "record it without --recorder light"
        raise AbutError(f"{job.trace}: has no accesses to sample", fix=fix)
    windows = sampled_windows(len(trace.chunks()), rate, job.seed)
    preset = job.preset
    tables = preset.huge_tlb if job.huge_pages else preset.tlb
    shapes = [dataclasses.replace(level, classify=True) for level in preset.levels]
    pages = [dataclasses.replace(level, classify=True) for level in tables]
    caches, tlb = Caches(shapes), Caches(pages) if pages else None
    core = core_of(preset, trace, tables)
    simulators = [one for one in (caches, tlb, core) if one is not None]
    addresses = job.placer(trace, job) if job.placer else None

    def figures() -> list[float]:
        counts = [*caches.counts(), *(tlb.counts() if tlb else [])]
        misses = [float(level.total_misses) for level in counts]
        unknown = [float(sum(side[0] for side in level.classes)) for level in counts]
        cycles = core.time().cycles if core else {"compute": 0.0}
        total = sum(cycles.values())
        return [*misses, *unknown, total - cycles["compute"], total]

    with failures():
        layout = job.layout if addresses is None else addresses
        replay = open_replay(trace, layout, seed=job.seed, side=job.side, windows=windows)
        piece = max(1, trace.info.accesses // len(trace.chunks()) // _PIECES)
        rows: list[tuple[int, int, list[float]]] = []  # the window, accesses, figures so far
        while (window := replay.windows_done()) < len(windows):
            rows.append((window, replay.feed([one.native for one in simulators], piece), figures()))
    names = [level.name for level in (*preset.levels, *tables)]
    parts = _parts(rows)
    chunks = trace.chunks()
    share = sum(count for _, count, _ in rows) / sum(chunks[at].accesses for at, _ in windows)
    whole = round(trace.info.accesses * share)
    estimates = _estimates(names, len(preset.levels) - 1, parts, whole)
    return Sample(
        job,
        trace.info.command,
        whole,
        int(parts.accesses.sum()),
        len(windows),
        estimates if core else estimates[:-1],
    )


def sampled_windows(chunks: int, rate: float, seed: int) -> Windows:
    """Chunks of equal distance, the first drawn. Raises AbutError where there would be too few."""
    every = max(1, round(1 / rate))
    least = math.ceil(100 / max(1, chunks // _LEAST_WINDOWS)) / 100
    if chunks < every * _LEAST_WINDOWS:
        raise AbutError(
            f"--sample {rate}: the trace has {chunks} parts, too few of them to sample",
            fix=f"take {least:.2f} or more" if least < 1 else "take all of it, without --sample",
        )
    first = int(np.random.default_rng(seed).integers(every))
    return [(chunk, chunk + 1) for chunk in range(first, chunks, every)]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Of each window, accesses and what the figures rose by: measured, and while it only warms."""

    accesses: Array
    figures: Array
    warming_accesses: Array
    warming_figures: Array


def _parts(rows: Sequence[tuple[int, int, list[float]]]) -> _Parts:
    by_window: dict[int, list[Array]] = {}
    before = np.zeros(len(rows[0][2]))
    for window, count, figures in rows:
        rise = np.array(figures) - before
        before = np.array(figures)
        by_window.setdefault(window, []).append(np.concatenate(([float(count)], rise)))
    warming, measured = [], []
    for pieces in by_window.values():
        counts = np.array([piece[0] for piece in pieces])
        begun = np.cumsum(counts) - counts
        warms = begun < counts.sum() / 2
        table = np.array(pieces)
        if not warms.all():
            warming.append(table[warms].sum(axis=0))
            measured.append(table[~warms].sum(axis=0))
    once, then = np.array(warming), np.array(measured)
    if len(then) < _LEAST_WINDOWS:
        raise AbutError("--sample: the trace's parts are too short to sample")
    return _Parts(then[:, 0], then[:, 1:], once[:, 0], once[:, 1:])


def _estimates(names: Sequence[str], last: int, parts: _Parts, whole: int) -> list[Estimate]:
    """Of the misses of each level, and of cycles; the level `last` is the one before memory."""
    levels = len(names)
    sums = parts.figures.sum(axis=0)
    misses, unknown, (waits, _) = np.split(sums, (levels, 2 * levels))
    # What may have been there need not have been waited for.
    doubtful = waits * unknown[last] / max(1.0, misses[last])
    return [
        *(_estimate(f"{name} misses", parts, i, unknown[i], whole) for i, name in enumerate(names)),
        _estimate("cycles", parts, -1, doubtful, whole),
    ]


def _estimate(name: str, parts: _Parts, column: int, doubtful: float, whole: int) -> Estimate:
    """The ratio estimator of a total (Cochran, "Sampling Techniques", 1977, chapter 6)."""
    accesses, figure = parts.accesses, parts.figures[:, column]
    count, sampled = len(accesses), accesses.sum()
    ratio = figure.sum() / sampled
    spread = math.sqrt(((figure - ratio * accesses) ** 2).sum() / (count - 1))
    error = math.sqrt((1 - sampled / whole) / count) * spread / accesses.mean()
    margin = _student(count - 1) * error
    warming = parts.warming_figures[:, column] - ratio * parts.warming_accesses
    once = max(0.0, float(warming.sum()))
    return Estimate(
        name,
        float(whole * ratio + once),
        float(whole * max(0.0, ratio - margin - doubtful / sampled)),
        float(whole * (ratio + margin) + 2 * once),
    )


def _student(degrees: int) -> float:
    """The normal quantile for Student's t (Abramowitz and Stegun, 26.7.5), within 1 % from 4 on."""
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / degrees**power for power, term in enumerate(terms, 1))
