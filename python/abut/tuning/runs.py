"""Running what is tuned, under a policy, with all its inputs; each run is kept in a journal.

The journal lets an interrupted tuning go on: rounds that it has are not run again. It belongs to
the same commands, files, environment and library only, and to one tuning at a time.
"""

import fcntl
import hashlib
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from abut import json_lines
from abut.environment import untouched_environment
from abut.errors import AbutError
from abut.heaps import preload, require_heap
from abut.library import load_library
from abut.measure.output import OutputWatch
from abut.measure.server import measure_server
from abut.measure.spawn import Launch, TakesTooLongError, run_once
from abut.measure.tasks import program_tasks
from abut.places import cache_folder
from abut.program import find_program
from abut.settings import environment_of
from abut.tuning.objective import MEASURED, Figures
from abut.tuning.policies import DEFAULT, Policy
from abut.tuning.race import LeftOutError

CONFIRM = "confirm"  # phases that begin so run the test's inputs, if there are any
_OWN_CACHE = "set XDG_CACHE_HOME to a folder of yours"
_WARM_UPS = 2
_LEAST_S = 0.001
# What takes ten times as long as the default does not win, and may have hung.
_PATIENCE, _LEAST_LIMIT_S, _NO_LIMIT = 10.0, 5.0, math.inf
_LEAST_FRIENDS = 256  # objects of a site that are beside friends


@dataclass(frozen=True, slots=True)
class Input:
    """A command; of a server, with the command that measures it."""

    argv: tuple[str, ...]
    measure: tuple[str, ...] = ()


class Runs:
    """Runs inputs: those of `train`, and of `test` where a policy is confirmed, if there are any.

    `folder` is scratch space; what is kept is of the same `salt` alone. Raises AbutError where a
    program cannot be run, or fails.
    """

    def __init__(
        self, train: Sequence[Input], test: Sequence[Input], folder: Path, salt: str
    ) -> None:
        self._train, self._test, self._folder = list(train), list(test or train), folder
        self.spent = 0.0
        self._options = load_library().options()
        self._inherited = untouched_environment()
        for option in self._options:  # the default is the heap's own
            self._inherited.pop(option.variable, None)
        self._heap = require_heap("abut")
        for one in (*train, *test):
            program_tasks(one.argv, None)  # says where no heap can be preloaded
        self.journal = _journal_folder() / f"{self._fingerprint(salt)}.jsonl"
        self._lock = _locked(self.journal)
        self._kept: dict[str, tuple[Figures, float]] = {
            one["run"]: (one["figures"], one["seconds"]) for one in json_lines.read(self.journal)
        }
        self.resumed = self.left_running = 0
        self._watches: dict[Input, OutputWatch] = {}
        self._limits: dict[Input, float] = {}

    def begin(self, phase: str, policies: Sequence[Policy], number: int) -> None:
        """A round begins. What is kept of it counts if all is there: times of one round only are
        compared.
        """
        keys = [key for policy in policies for _, key in self._runs_of(phase, policy, number)]
        if all(key in self._kept for key in keys):
            self.resumed += len(keys)
        else:
            self._kept = {key: one for key, one in self._kept.items() if key not in keys}

    def __call__(self, phase: str, policy: Policy, number: int) -> list[Figures]:
        """What was measured, an input each."""
        runs = self._runs_of(phase, policy, number)
        return [self._once(one, policy, key) for one, key in runs]

    def warm_up(self) -> tuple[float, float]:
        """Run each input under the default, unmeasured; seconds of a run of all for training, and
        of a run of all that confirm.
        """
        took = {
            one: min(self._warm_up(one) for _ in range(_WARM_UPS))
            for one in dict.fromkeys((*self._train, *self._test))
        }
        return sum(took[one] for one in self._train), sum(took[one] for one in self._test)

    def _warm_up(self, one: Input) -> float:
        """Seconds of a run under the default; under a policy it may take some times as many."""
        begun = time.monotonic()
        self._run(one, DEFAULT)
        seconds = time.monotonic() - begun
        self._limits[one] = max(self._limits.get(one, _LEAST_LIMIT_S), _PATIENCE * seconds)
        return seconds

    def friendly_sites(self) -> list[str]:
        """Where the first input allocates what the heap has beside friends, by its explanation."""
        files = self._folder / "explained-%p.json"  # of each process
        self._run(self._train[0], Policy(DEFAULT.name, {"explain_file": str(files)}))
        return [
            one["site"]
            for file in self._folder.glob("explained-*.json")
            for process in json_lines.read(file)
            for one in process["friends"]
            if one["placed"] >= _LEAST_FRIENDS
        ]

    def forget(self) -> None:
        """Keep nothing: the tuning has ended."""
        self.journal.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another go on from here, if there is anything to go on from."""
        if not os.fstat(self._lock.fileno()).st_size:
            self.forget()
        self._lock.close()

    def _runs_of(self, phase: str, policy: Policy, number: int) -> list[tuple[Input, str]]:
        """Its runs of a round, each with the key that it is kept by."""
        inputs = self._test if phase.startswith(CONFIRM) else self._train
        settings = _digest_of(policy)
        return [
            (one, f"{phase} {policy.name} {number} {at} {settings}")
            for at, one in enumerate(inputs)
        ]

    def _once(self, one: Input, policy: Policy, key: str) -> Figures:
        if key not in self._kept:
            begun = time.monotonic()
            try:
                figures = self._run(one, policy)
            except LeftOutError:
                self.spent += time.monotonic() - begun
                raise
            seconds = time.monotonic() - begun
            json_lines.add(self.journal, {"run": key, "figures": figures, "seconds": seconds})
            self._kept[key] = figures, seconds
        figures, seconds = self._kept[key]
        self.spent += seconds
        return figures

    def _run(self, one: Input, policy: Policy) -> Figures:
        environment = self._inherited | environment_of(
            [f"{name}={value}" for name, value in policy.settings.items()], self._options
        )
        launch = Launch(
            argv=one.argv,
            environment=environment,
            folder=Path.cwd(),
            stdout=self._folder / "stdout",
            stderr=self._folder / "stderr",
            preload=preload(self._heap, environment.get("LD_PRELOAD", "")),
        )
        limit = self._limits.get(one, _NO_LIMIT) if policy.name != DEFAULT.name else _NO_LIMIT
        try:
            if one.measure:
                return {MEASURED: measure_server(launch, one.measure, limit)}
            run = run_once(launch, limit)
        except TakesTooLongError as error:
            raise LeftOutError(str(error)) from error
        except AbutError as error:
            if policy.name == DEFAULT.name:
                raise
            raise LeftOutError(f"fails: {error.problem}") from error
        self.left_running = max(self.left_running, run.left_running)
        self._compare(one, policy, run.exit_code)
        sample = run.sample
        # The kernel may see no user time at all in some milliseconds.
        return {
            "user": max(sample.user_s, _LEAST_S),
            "wall": sample.wall_s,
            "rss": float(sample.peak_rss_bytes),
        }

    def _compare(self, one: Input, policy: Policy, exit_code: int) -> None:
        if policy is DEFAULT and exit_code != 0:
            raise AbutError(
                f"{one.argv[0]}: exits with {exit_code}, so nothing it does can be compared",
                fix="give it the arguments with which it succeeds",
            )
        if one not in self._watches:
            folder = self._folder / str(len(self._watches))
            folder.mkdir()
            self._watches[one] = OutputWatch(folder, DEFAULT.name, compare_output=True)
        watch = self._watches[one]
        watch.add(policy.name, exit_code, self._folder / "stdout")
        if _difference(watch, policy):
            self._run(one, DEFAULT)  # which may differ now and then, too
            if problem := _difference(watch, policy):
                raise LeftOutError(f"differs: {problem}")

    def _fingerprint(self, salt: str) -> str:
        """Of all that runs depend on: commands, with the files that they name, and environment."""
        variables = {
            name: value
            for name, value in self._inherited.items()
            if name.startswith(("ABUT_", "LD_"))
        }
        inputs = self._train, self._test
        state = hashlib.sha256(repr((inputs, Path.cwd(), salt, variables)).encode())
        assert self._heap.library is not None
        words = {word for one in (*self._train, *self._test) for word in (*one.argv, *one.measure)}
        programs = [find_program(one.argv[0]) for one in (*self._train, *self._test)]
        for path in (self._heap.library, *programs, *map(Path, sorted(words))):
            state.update(_content(path))
        return state.hexdigest()[:16]


def _difference(watch: OutputWatch, policy: Policy) -> str:
    return next((one.problem for one in watch.differences() if one.heap == policy.name), "")


def _digest_of(policy: Policy) -> str:
    """Of the settings, with what is in the files that they name."""
    state = hashlib.sha256()
    for name, value in sorted(policy.settings.items()):
        state.update(f"{name}=".encode() + (_content(Path(value)) or value.encode()))
    return state.hexdigest()[:16]


def _content(path: Path) -> bytes:
    """A digest of a file's content; nothing where there is no file that can be read."""
    if not os.path.isfile(path):  # noqa: PTH113 - words of a command may be no paths at all
        return b""
    with suppress(OSError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
    return b""


def _locked(journal: Path) -> BinaryIO:
    """The journal, which is this tuning's alone while the file is open."""
    try:
        file = journal.open("ab")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise AbutError(
            f"{journal}: another `abut tune` of the same command is running",
            fix="wait until it has ended",
        ) from error
    except OSError as error:
        raise AbutError(f"{journal}: {error.strerror}", fix=_OWN_CACHE) from error
    return file


def _journal_folder() -> Path:
    folder = cache_folder() / "tune"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbutError(f"{folder}: {error.strerror}", fix=_OWN_CACHE) from error
    return folder
