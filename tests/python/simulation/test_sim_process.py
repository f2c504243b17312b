"""What the simulators ask of the process that they run in: memory that is bounded, and no lock."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import perf_counter

import numpy as np
import pytest

from abut.simulation.caches import Caches, Level, Optimum, Simulator, Utilisation
from abut.simulation.pages import Pages
from abut.simulation.reuse import ReuseDistances, SampledReuse
from conftest import abut_environment

LEVEL = Level("L1", 64 * 8 * 16, line=16, ways=8)

_LONG_RUN = """
import dataclasses
import resource
import numpy as np
from abut.simulation.caches import Caches, Utilisation
from abut.simulation.presets import find_preset
from abut.simulation.reuse import ReuseDistances, SampledReuse

preset = find_preset("modern")
simulators = [
    Caches([dataclasses.replace(level, classify=True) for level in preset.levels]),
    Caches(preset.tlb), Utilisation(preset.levels[0]),
    ReuseDistances(), SampledReuse(0.01), SampledReuse(1, most_blocks=1000),
]
random = np.random.default_rng(1)
run = random.integers(0, 1 << 21, 50_000).astype(np.uint64)
kinds = random.integers(0, 4, len(run)).astype(np.uint8)
owners = random.integers(0, 1000, len(run)).astype(np.uint32)

def peak(times):
    for _ in range(times):
        for one in simulators:
            one.take(run, kinds=kinds, owners=owners)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

print(peak(4), peak(16))
"""


def test_memory_does_not_grow_with_the_length_of_the_run() -> None:
    """The same 2 MiB are gone through again and again: what a run five times as long adds, in KiB.

    Each reference that was kept would cost 8 bytes: 800,000 of them, 6 MiB. (Pages keep some, up to
    a bound: see `test_a_trace_that_grows_too_long_is_reduced_for_larger_memories`.)
    """
    done = subprocess.run(
        [sys.executable, "-c", _LONG_RUN],
        env=abut_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    short, long = map(int, done.stdout.split())
    assert long - short < 3 << 10


@pytest.mark.parametrize(
    "simulator",
    [
        lambda: Caches([dataclasses.replace(LEVEL, policy="rrip")]),
        lambda: Utilisation(LEVEL),
        lambda: Optimum(LEVEL),
        ReuseDistances,
        lambda: SampledReuse(1),
        Pages,
    ],
    ids=["caches", "utilisation", "optimum", "reuse", "sampled", "pages"],
)
def test_other_threads_run_while_one_simulates(simulator: Callable[[], Simulator]) -> None:
    run = np.random.default_rng(1).integers(0, 1 << 24, 1_000_000).astype(np.uint64)
    one = simulator()
    assert steps_in_the_middle_of(lambda: one.take(run)) > 10


def test_a_call_that_keeps_pythons_lock_lets_nobody_run() -> None:
    """What the test above stands on."""
    numbers = np.random.default_rng(1).random(1_000_000).tolist()
    assert steps_in_the_middle_of(numbers.sort) == 0


def steps_in_the_middle_of(call: Callable[[], object]) -> int:
    """How often this thread comes round while another is in a call, past its begin and end."""
    times: list[float] = []
    ends: list[float] = []

    def work() -> None:
        ends.append(perf_counter())
        call()
        ends.append(perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        times.append(perf_counter())
    begin, end = ends
    margin = (end - begin) / 5
    return sum(begin + margin < time < end - margin for time in times)


_POOL = """
import os, time
from abut.workers import process_pool
with process_pool(1) as pool:
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 600).result()
"""


@pytest.fixture
def pool() -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A process with a worker, and the worker's number."""
    command = [sys.executable, "-c", _POOL]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=abut_environment(), stdout=pipe, stderr=pipe, text=True
    ) as begun:
        assert begun.stdout
        worker = int(begun.stdout.readline())
        yield begun, worker
        begun.kill()
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_has_them(
    pool: tuple["subprocess.Popen[str]", int], how: int
) -> None:
    begun, _ = pool
    begun.send_signal(how)
    begun.communicate(timeout=20)  # the worker has the other end, too


def test_a_worker_that_is_killed_is_an_error_with_a_fix(
    pool: tuple["subprocess.Popen[str]", int],
) -> None:
    begun, worker = pool
    os.kill(worker, signal.SIGKILL)
    _, said = begun.communicate(timeout=20)
    assert said.endswith("fix: let fewer run at a time: --jobs 1\n")
