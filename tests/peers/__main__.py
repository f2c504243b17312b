"""Runs suites that others wrote under the C library's heap and under abut, and compares them.

Exit status 0: nothing differs but what expected.toml lists. 1: something does. 2: cannot run.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import FrameType

from . import children
from .children import BUILD, ROOT, check_preload
from .compare import Expected, Finding, read_expected, run_both, unneeded
from .model import NotRunError, Prepared, Suite
from .suites import SUITES
from .table import Report, show, write

_EXPECTED = Path(__file__).with_name("expected.toml")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="peers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {' '.join(SUITES)}")
    parser.add_argument("--tests", default="*", metavar="PATTERN", help="only tests so named")
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/lib/libabut.so")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="tests at a time")
    chosen = parser.parse_args()
    for name in chosen.suites:
        if name not in SUITES:
            parser.error(f"{name}: no such suite; there are {' '.join(SUITES)}")
    return chosen


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def run_tests(
    suite: Suite, prepared: Prepared, library: Path, expected: Sequence[Expected], jobs: int
) -> tuple[list[Finding], dict[str, str]]:
    """What was found, and why some tests said nothing."""
    findings, silent = [], {}
    with ThreadPoolExecutor(jobs) as pool:
        begun = {
            pool.submit(run_both, suite.name, test, library, expected): test.name
            for test in prepared.tests
        }
        for number, done in enumerate(as_completed(begun), 1):
            progress = f"{suite.name} {number}/{len(begun)} {begun[done]}"
            try:
                found = done.result()
            except NotRunError as reason:
                silent[begun[done]] = str(reason)
                say(f"{progress}: not run: {reason}")
                continue
            findings.append(found)
            say(f"{progress}: {found.verdict}, {found.became()}")
    return sorted(findings, key=lambda finding: finding.test), silent


def run_suite(suite: Suite, chosen: argparse.Namespace, expected: Sequence[Expected]) -> Report:
    say(f"{suite.name}: preparing")
    try:
        prepared = suite.prepare()
    except NotRunError as reason:
        say(f"{suite.name}: not run: {reason}")
        return Report(suite.name, not_run=str(reason))
    tests = [test for test in prepared.tests if fnmatchcase(test.name, chosen.tests)]
    prepared = replace(prepared, tests=tests)
    findings, silent = run_tests(suite, prepared, chosen.library, expected, chosen.jobs)
    left_out = prepared.left_out | silent
    why = next(iter(silent.values()), "no test is left to run")
    return Report(suite.name, findings, left_out, prepared.note, "" if findings else why)


def end(_signal: int, _frame: FrameType | None) -> None:
    """Leaves nothing running behind."""
    children.end_all()
    os._exit(2)


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    chosen = options()
    chosen.library = chosen.library.resolve()
    check_preload(chosen.library)
    BUILD.mkdir(parents=True, exist_ok=True)
    expected = read_expected(_EXPECTED)
    names = chosen.suites or list(SUITES)
    reports = [run_suite(SUITES[name], chosen, expected) for name in names]
    findings = [finding for report in reports for finding in report.findings]
    show(reports, unneeded(expected, findings))
    if chosen.json:
        write(chosen.json, chosen.library, reports)
    if not findings:
        return 2
    return 1 if any(report.unexpected() for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
