"""Whether a test came to the same under both heaps, and if not, whether that was to be expected."""

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

from .model import Outcome, Test

REPEATS = 3


class Verdict(StrEnum):
    EQUAL = "equal"
    UNSTEADY = "unsteady"
    EXPECTED = "expected difference"
    DIFFERENT = "DIFFERENT"


@dataclass(frozen=True)
class Expected:
    """A difference that is known: which test, what it comes to under the library, and why."""

    suite: str
    test: str
    preloaded: str
    reason: str

    def fits(self, suite: str, test: str, status: str) -> bool:
        return self.suite == suite and fnmatchcase(test, self.test) and self.preloaded == status


@dataclass(frozen=True)
class Finding:
    suite: str
    test: str
    verdict: Verdict
    plain: Outcome
    preloaded: Outcome
    reason: str = ""

    def became(self) -> str:
        """The status, and the one that it became under the library, if that is another."""
        before, after = self.plain.status, self.preloaded.status
        if self.plain == self.preloaded:
            return before
        return f"{before} became {after}" if before != after else f"{before}, other output"

    def changes(self) -> list[str]:
        """The lines of the output that differ."""
        before, after = self.plain.output.splitlines(), self.preloaded.output.splitlines()
        lines = list(unified_diff(before, after, lineterm="", n=0))
        return [line for line in lines[2:] if not line.startswith("@@")]


def read_expected(file: Path) -> list[Expected]:
    """The differences that the file lists. An entry without a reason is an error."""
    entries = tomllib.loads(file.read_text()).get("difference", [])
    found = [Expected(**entry) for entry in entries]
    for entry in found:
        if not entry.reason.strip():
            raise ValueError(f"{file}: {entry.suite} {entry.test} has no reason")
    return found


def evaluate(
    suite: str, test: str, plain: Outcome, preloaded: Outcome, expected: Sequence[Expected]
) -> Finding:
    """What one run under each heap says."""
    if plain == preloaded:
        return Finding(suite, test, Verdict.EQUAL, plain, preloaded)
    for entry in expected:
        if entry.fits(suite, test, preloaded.status):
            return Finding(suite, test, Verdict.EXPECTED, plain, preloaded, entry.reason)
    return Finding(suite, test, Verdict.DIFFERENT, plain, preloaded)


def run_both(suite: str, test: Test, library: Path, expected: Sequence[Expected]) -> Finding:
    """Runs a test under both heaps.

    A difference stands unless the plain heap, asked again, shows what the library showed: then the
    test itself is unsteady. The library is not asked again, so that one fault in many runs counts.
    """
    plain, preloaded = test.run(None), test.run(library)
    finding = evaluate(suite, test.name, plain, preloaded, expected)
    if finding.verdict is not Verdict.DIFFERENT:
        return finding
    for _ in range(REPEATS):
        again = test.run(None)
        if again == preloaded:
            reason = f"without the library it is {plain.status} or {again.status}, too"
            return Finding(suite, test.name, Verdict.UNSTEADY, plain, preloaded, reason)
    return finding


def unneeded(expected: Sequence[Expected], findings: Sequence[Finding]) -> list[Expected]:
    """Entries whose tests were run and showed no such difference: they can be taken out."""
    shown = [f for f in findings if f.verdict is Verdict.EXPECTED]
    return [
        entry
        for entry in expected
        if any(f.suite == entry.suite and fnmatchcase(f.test, entry.test) for f in findings)
        and not any(entry.fits(f.suite, f.test, f.preloaded.status) for f in shown)
    ]


def tally(findings: Sequence[Finding]) -> Counter[Verdict]:
    return Counter(finding.verdict for finding in findings)
