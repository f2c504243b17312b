"""Programs whose accesses are sampled do what they do without, and say what was seen."""

import ctypes
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass

LIBRARY = os.environ["ABUT_TESTED"]
WORK = os.environ["SAMPLE_WORK"]
PLAIN: dict[str, str] = {}
SAMPLED = {
    "ABUT_PLACE": "pools:sampled",
    "ABUT_EXPLAIN": "on",
    "ABUT_SAMPLE_US": "300",
}
SUMMARY = re.compile(
    r"sampled: (\d+) accesses to the heap, of (\d+) instructions in (\d+) bursts"
    r" that took (\d+) us; ended early: (\d+) by a system call,"
    r" (\d+) by code of no file, (\d+) otherwise"
)


@dataclass
class Sampled:
    """What a run printed, and what the sampler explained."""

    output: str
    accesses: int
    steps: int
    bursts: int
    calls: int
    foreign: int
    text: str


# From Linux 6.3 on: a process may not map memory that can be both written and run.
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1


def refuse_code() -> None:
    """In the child: what `MemoryDenyWriteExecute=yes` does under systemd, as far as it can."""
    ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)


def can_refuse_code() -> bool:
    asks = "import ctypes; print(ctypes.CDLL(None).prctl(65, 1, 0, 0, 0))"
    return subprocess.check_output([sys.executable, "-c", asks], text=True).strip() == "0"


def run(
    kind: str, rounds: int, settings: dict[str, str], before: Callable[[], None] | None = None
) -> tuple[str, str]:
    environment = {"LD_PRELOAD": LIBRARY, "ABUT_PLACE": "off", **settings}
    done = subprocess.run(
        [WORK, kind, str(rounds)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
    )
    assert done.returncode == 0, done
    return done.stdout, done.stderr


def sampled(kind: str, rounds: int) -> Sampled:
    """The program without and with sampling, in a heap of whatever size: it must print the same."""
    plain, _ = run(kind, rounds, PLAIN)
    output, explained = run(kind, rounds, SAMPLED)
    assert output == plain, (output, plain)
    found = SUMMARY.search(explained)
    assert found, explained
    accesses, steps, bursts, _, calls, foreign, _ = map(int, found.groups())
    return Sampled(output, accesses, steps, bursts, calls, foreign, explained)


def sampled_until(kind: str, rounds: int, enough: Callable[[Sampled], bool]) -> Sampled:
    """The same with ever more rounds: how long bursts take, and so how many there are, is the
    machine's affair.
    """
    for times in (1, 4, 16, 64):
        seen = sampled(kind, rounds * times)
        if enough(seen):
            return seen
    raise AssertionError(seen)


class Sampling(unittest.TestCase):
    """The stepper of the sampler, in a program that has something of everything."""

    def test_a_program_computes_the_same(self) -> None:
        seen = sampled_until("all", 400_000, lambda seen: seen.bursts > 10 and seen.steps > 10_000)
        assert seen.accesses > seen.steps / 100, seen

    def test_threads_take_turns(self) -> None:
        sampled_until("threads", 32_000, lambda seen: seen.steps > 10_000)

    def test_system_calls_are_never_stepped_through(self) -> None:
        sampled_until("calls", 6000, lambda seen: seen.calls > 10)

    def test_code_that_is_made_at_run_time_ends_a_burst(self) -> None:
        seen = sampled_until("made", 2000, lambda seen: seen.foreign > 10)
        assert seen.foreign >= seen.bursts // 2, seen

    def test_a_program_that_catches_faults_is_left_alone(self) -> None:
        assert sampled("faults", 30_000).bursts <= 2

    def test_pools_are_explained(self) -> None:
        seen = sampled("all", 400_000)
        assert re.search(r"sampled: pool \d+: \d+ visits to lines, \d+% of their bytes", seen.text)

    @unittest.skipUnless(can_refuse_code(), "the kernel lets every process make code")
    def test_where_no_code_may_be_made_nothing_is_sampled(self) -> None:
        plain, _ = run("calls", 300, PLAIN)
        output, explained = run("calls", 300, SAMPLED, before=refuse_code)
        assert output == plain, (output, plain)
        assert "accesses are not sampled: no memory may be written and run" in explained, explained

    def test_nothing_is_sampled_by_default(self) -> None:
        _, explained = run("all", 10, {"ABUT_PLACE": "pools", "ABUT_EXPLAIN": "on"})
        assert "sampled" not in explained
