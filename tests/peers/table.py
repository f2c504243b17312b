"""What all suites came to: a table and the differences, for people; and JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .compare import Expected, Finding, Verdict, tally

_WORDS = 600
_LINES = 20
_WIDTH = 110


@dataclass(frozen=True)
class Report:
    """One suite: what was found, or why it was not run."""

    suite: str
    findings: list[Finding] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    note: str = ""
    not_run: str = ""

    def unexpected(self) -> list[Finding]:
        return [f for f in self.findings if f.verdict is Verdict.DIFFERENT]

    def row(self) -> list[str]:
        if self.not_run:
            return [self.suite, *["-"] * 7, f"not run: {self.not_run}"]
        counts = tally(self.findings)
        equal = [f for f in self.findings if f.verdict is Verdict.EQUAL]
        passed = sum(1 for f in equal if f.plain.status == "passed")
        figures = [
            len(self.findings),
            passed,
            len(equal) - passed,
            counts[Verdict.UNSTEADY],
            counts[Verdict.EXPECTED],
            counts[Verdict.DIFFERENT],
            len(self.left_out),
        ]
        return [self.suite, *map(str, figures), self.note]


_COLUMNS = (
    "suite",
    "tests",
    "pass",
    "same\nfault",
    "un-\nsteady",
    "ex-\npected",
    "DIF-\nFERENT",
    "left\nout",
    "of",
)


def show(reports: Sequence[Report], unneeded: Sequence[Expected]) -> None:
    console = Console(soft_wrap=True, markup=False, highlight=False)
    console.width = max(console.width, _WIDTH)
    for report in reports:
        _show_differences(console, report)
    for entry in unneeded:
        console.print(f"no longer seen: {entry.suite} {entry.test}: {entry.preloaded}")
    table = Table()
    for number, column in enumerate(_COLUMNS):
        right = 0 < number < len(_COLUMNS) - 1
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    for report in reports:
        table.add_row(*report.row())
    console.print(table)
    console.print("pass, same fault: equal under both heaps. expected: listed in expected.toml.")


def _show_differences(console: Console, report: Report) -> None:
    for finding in report.findings:
        if finding.verdict is Verdict.EQUAL:
            continue
        why = f": {finding.reason}" if finding.reason else ""
        console.print(f"{finding.suite} {finding.test}: {finding.verdict}: {finding.became()}{why}")
        if finding.verdict is Verdict.DIFFERENT:
            words = [*finding.changes()[:_LINES], finding.preloaded.detail[-_WORDS:]]
            console.print("\n".join(words), style="dim")


def write(file: Path, library: Path, reports: Sequence[Report]) -> None:
    result = {"library": str(library), "suites": [asdict(report) for report in reports]}
    file.write_text(json.dumps(result, indent=1) + "\n")
