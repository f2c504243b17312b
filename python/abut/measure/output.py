"""Whether a program said the same under every heap: its exit code and its standard output.

Every run's output is hashed after the run; each heap's first is kept to show where two differ.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from abut.preloading import file_name_of

_CHUNK = 1 << 20
_SHOWN_BYTES = 24


@dataclass(frozen=True, slots=True)
class Difference:
    """Under `heap` the program did something else than under `reference`."""

    heap: str
    reference: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    exit_code: int
    digest: bytes


class OutputWatch:
    """Collects the outcome of every run of one program, and says which heaps differ.

    `folder` is scratch space, `reference` the heap that the others are held against.
    """

    def __init__(self, folder: Path, reference: str, *, compare_output: bool) -> None:
        self._folder = folder
        self._reference = reference
        self._compare_output = compare_output
        self._outcomes: dict[str, list[_Outcome]] = {}

    def add(self, heap: str, exit_code: int, stdout: Path) -> None:
        """Take the outcome of one run; `stdout` may be overwritten afterwards."""
        digest = _digest(stdout) if self._compare_output else b""
        outcomes = self._outcomes.setdefault(heap, [])
        if not outcomes and self._compare_output:
            stdout.rename(self._kept(heap))
        outcomes.append(_Outcome(exit_code, digest))

    def exit_codes(self, heap: str) -> set[int]:
        """The exit codes that the program has ended with under `heap`."""
        return {outcome.exit_code for outcome in self._outcomes.get(heap, [])}

    def is_repeatable(self) -> bool:
        """Does the program print the same each time under the reference heap?"""
        outcomes = self._outcomes.get(self._reference, [])
        return len({outcome.digest for outcome in outcomes}) <= 1

    def differences(self) -> list[Difference]:
        """One entry for each heap whose outcome differs from the reference's.

        Outputs are left out of it where the program does not repeat its own.
        """
        if self._reference not in self._outcomes:
            return []
        found = []
        for heap in self._outcomes:
            problem = self._exit_problem(heap) or self._output_problem(heap)
            if heap != self._reference and problem:
                found.append(Difference(heap, self._reference, problem))
        return found

    def _exit_problem(self, heap: str) -> str:
        ours, theirs = self.exit_codes(heap), self.exit_codes(self._reference)
        if ours <= theirs:
            return ""
        ways = " or ".join(describe_exit(code) for code in sorted(ours - theirs))
        usual = " or ".join(describe_exit(code) for code in sorted(theirs))
        return f"it {ways}, where {self._reference} {usual}"

    def _output_problem(self, heap: str) -> str:
        expected = {outcome.digest for outcome in self._outcomes[self._reference]}
        given = {outcome.digest for outcome in self._outcomes[heap]}
        if given <= expected or not self.is_repeatable():
            return ""
        at = first_difference(self._kept(heap), self._kept(self._reference))
        if at is None:
            return "it prints something else from one run to the next"
        return (
            f"its standard output differs first at byte {at}: {_around(self._kept(heap), at)}, "
            f"where {self._reference} has {_around(self._kept(self._reference), at)}"
        )

    def _kept(self, heap: str) -> Path:
        return self._folder / f"{file_name_of(heap)}.first"


def describe_exit(code: int) -> str:
    """An exit code in words; negative codes are signals, as Python counts them."""
    import signal

    if code >= 0:
        return f"exits with {code}"
    try:
        return f"is killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"is killed by signal {-code}"


def first_difference(one: Path, other: Path) -> int | None:
    """The offset of the first byte in which two files differ; None when they are the same."""
    offset = 0
    with one.open("rb") as first, other.open("rb") as second:
        while True:
            left, right = first.read(_CHUNK), second.read(_CHUNK)
            if left != right:
                pairs = enumerate(zip(left, right, strict=False))
                shorter = min(len(left), len(right))
                return offset + next((at for at, (a, b) in pairs if a != b), shorter)
            if not left:
                return None
            offset += len(left)


def _around(path: Path, offset: int) -> str:
    with path.open("rb") as file:
        file.seek(offset)
        found = file.read(_SHOWN_BYTES)
    return repr(found)[1:] if found else "its end"


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
