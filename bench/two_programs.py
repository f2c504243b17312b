"""Two programs that do the same, measured beside each other: user time, in shuffled rounds."""

import math
import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from abut.environment import untouched_environment
from abut.measure.paired import Ratio, ratio_of
from abut.measure.spawn import Launch, run_once


def gain(before: Sequence[str], after: Sequence[str], rounds: int) -> tuple[Ratio, float]:
    """User time of the second as a multiple of the first's, and the least seconds of the first.
    Ends where their outputs differ.
    """
    outputs = [
        subprocess.run(one, capture_output=True, check=True).stdout for one in (before, after)
    ]
    if outputs[0] != outputs[1]:
        raise SystemExit(f"{before[0]} and {after[0]} print different things")
    seconds: tuple[list[float], list[float]] = ([], [])
    turns = random.Random(1)
    for _ in range(rounds):
        for which in turns.sample((0, 1), 2):
            seconds[which].append(_user_s((before, after)[which]))
    ratios = [math.log(b / a) for a, b in zip(*seconds, strict=True)]
    return ratio_of(ratios), min(seconds[0])


def _user_s(argv: Sequence[str]) -> float:
    nowhere = Path(os.devnull)
    run = run_once(Launch(argv, untouched_environment(), Path.cwd(), nowhere, nowhere))
    if run.exit_code:
        raise SystemExit(f"{argv[0]} ends with {run.exit_code}")
    return run.sample.user_s
