"""Adcock: *Improving cache performance by runtime data movement*, Cambridge 2009 (UCAM-CL-TR-757).

Figures 3.1 to 3.10 and those of chapter 7 in the form that parameters of today allow: how layouts
degrade, and what an operation takes under each mover beside the thesis's value and the bound that
a new layout at no cost sets. DICT is a search tree in which nodes are looked up, deleted and
inserted; MLIST many linked lists.

Real time is processor time of the measured thread: runs of all movers interleaved, and the median
of three, where the thesis's main values stand beside it.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

from abut.errors import NO, AbutError, unknown
from abut.papers import Request
from abut.places import bench_places
from abut_papers.adcock.experiments import SIZES, experiments
from abut_papers.adcock.tables import CLAIMED, MoveResult
from abut_papers.adcock.variants import PATHS, Experiment, Row, Variant
from abut_papers.common.kept import kept

ABOUT = "Adcock 2009, movers of nodes: DICT and MLIST under each mover, and their bounds"
PROGRAMS = tuple(one.name for one in experiments("quick"))
HEAPS = ("glibc",)
IGNORES = ("heaps",)  # none is compared
QUICK = {
    "programs": (
        *("degradation-mlist", "dict-node-1", "mlist-15", "mlist-19"),
        *("layouts-dict", "balance-dict", "sites-dict-node", "depths-dict-node", "memory-dict"),
    ),
}
_RUNS = 3
_LINE = 128  # bytes, as in the thesis
_BUILD = "tools/build.sh release bench-move"

Answer = dict[str, Any]


def measure(request: Request) -> MoveResult:
    """Measure experiments by name, all variants in turn; or read what the journal has."""
    if request.suite not in SIZES:
        raise unknown("--suite", request.suite, SIZES)
    known = {experiment.name: experiment for experiment in experiments(request.suite)}
    if missing := [name for name in request.programs if name not in known]:
        raise unknown("--programs", missing[0], known)
    return MoveResult([(known[name], _measure(known[name], request)) for name in request.programs])


def _measure(experiment: Experiment, request: Request) -> list[Row]:
    """All variants in turn: A B C A B C; the claimed ones in several rounds."""
    runs = _RUNS if experiment.name in CLAIMED and not request.quick else 1
    program = bench_places().programs / f"move_{experiment.program}"
    if not program.exists():
        raise AbutError(f"{program} is not there", fix=f"build it with {_BUILD}")
    # Another build of the program is another program.
    mark = sha256(program.read_bytes() + repr(experiment).encode()).hexdigest()[:12]
    rounds = []
    for number in range(1, runs + 1):
        of_round = partial(_round, experiment, program)
        request.progress(f"{experiment.name}: run {number} of {runs}")
        rounds.append(kept(request, f"adcock-{experiment.name}-{mark}-{number}", of_round))
    _check_same_work(experiment, rounds)
    return [
        _row(experiment, one, [answers[one.label] for answers in request.counting(rounds)])
        for one in experiment.variants
    ]


def _round(experiment: Experiment, program: Path) -> dict[str, Answer]:
    answer = _followed if experiment.kind == "paths" else _answer
    return {
        one.label: answer([str(program), *experiment.arguments, *one.arguments])
        for one in experiment.variants
    }


def _answer(command: Sequence[str]) -> Answer:
    """What a program prints. Raises AbutError where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AbutError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    answer: Answer = json.loads(done.stdout)
    return answer


def _row(experiment: Experiment, variant: Variant, answers: Sequence[Mapping[str, Any]]) -> Row:
    """The medians of a variant's runs."""
    figures = experiment.figures
    courses = zip(*(one.get("course_ns", ()) for one in answers), strict=True)
    return Row(
        variant,
        {key: median(one[key] for one in answers) for key in figures},
        tuple(median(tenth) for tenth in courses),
        tuple(one[figures[0]] for one in answers),
    )


def _followed(command: list[str]) -> Answer:
    """The answer, with how many nodes its look-ups come to, and how many lines for each node."""
    from tempfile import TemporaryDirectory

    import numpy as np

    with TemporaryDirectory() as folder:
        path = Path(folder) / "visits"
        answer = _answer([*command, "--visits", str(path)])
        visits = np.fromfile(path, np.uint64)
    lines = 1 + np.count_nonzero(np.diff(visits // _LINE))
    figures = (len(visits) / int(answer["looked_up"]), lines / len(visits))
    return answer | dict(zip(PATHS, figures, strict=True))


def _check_same_work(experiment: Experiment, rounds: Sequence[Mapping[str, Answer]]) -> None:
    """Variants with the same arguments, the mover aside, compute the same."""
    seen: dict[tuple[str, ...], set[str]] = {}
    for variant in experiment.variants:
        given = variant.arguments
        work = given[: given.index("--mover")] if "--mover" in given else given
        seen.setdefault(work, set()).update(one[variant.label]["checksum"] for one in rounds)
    if any(len(checksums) > 1 for checksums in seen.values()):
        raise AbutError(f"{experiment.name}: movers change what is computed", exit_code=NO)
