"""libc++'s tests of ordered containers and lists, with abut's in the place of the standard's.

Each test's text names a container of abut's instead; nothing else of it changes. Exit status 0:
none fails but those that libcxx.toml gives a reason for, and each of those does. 1: something else.
77: the sources cannot be had.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from . import debian
from .children import BUILD, ROOT
from .model import NotRunError

_SOURCE = "llvm-toolchain-14"
_TESTS = "libcxx/test/std/containers"
_SUPPORT = "libcxx/test/support"
_BUILD = BUILD / "libcxx"
_REASONS = Path(__file__).with_suffix(".toml")
# Tests that say no more than `next(i)` count on iterators whose names lead to std.
_PREFIX = """#include <iterator>
#include <map>
#include <string>
using std::distance, std::next, std::prev;
"""
_FOLDERS = {
    "map": "associative/map",
    "set": "associative/set",
    "multimap": "associative/multimap",
    "multiset": "associative/multiset",
    "list": "sequences/list",
}
_ORDERED = ("map", "set", "multimap", "multiset")
_CONTAINERS = [*_ORDERED, *(f"stable_{kind}" for kind in _ORDERED), "list"]
_FLAGS = ("-std=c++20", "-O0", "-w", "-pthread")
# What a test is not run for, by what it says in its head.
_HEAD = {
    r"UNSUPPORTED:.*\bc\+\+20\b": "is for older standards",
    r"REQUIRES: (?!.*c\+\+20)(?=.*c\+\+)": "is for older standards",
}
_NAMES = {
    ".verify.cpp": "expects diagnostics of clang's by their words",
    ".fail.cpp": "expects diagnostics of clang's by their words",
    ".sh.cpp": "is a script of libc++'s own test runner",
}


@dataclass(frozen=True)
class Case:
    """One file of libc++'s and the container that it tests."""

    container: str  # as in abut::
    name: str  # the file, from the folder of all containers
    source: Path

    @property
    def label(self) -> str:
        return f"{self.container} {self.name}"


@dataclass(frozen=True)
class Result:
    container: str
    name: str
    outcome: str  # passed, failed, expected, unneeded, not run
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Reason:
    """Why tests fail, one reason for all whose names fit."""

    containers: Sequence[str]
    tests: Sequence[str]
    why: str

    def fits(self, case: Case) -> bool:
        return any(fnmatchcase(case.container, c) for c in self.containers) and any(
            fnmatchcase(case.name, t) for t in self.tests
        )


def read_reasons(text: str) -> list[Reason]:
    return [Reason(**entry) for entry in tomllib.loads(text)["expected"]]


def adapted(text: str, container: str) -> str:
    """A test's text with our containers in the place of the standard's, and their multi kinds."""
    kind = re.sub("stable_|multi", "", container)
    prefix = "stable_" if container.startswith("stable_") else ""
    text = re.sub(rf"\bstd::(pmr::)?(multi)?{kind}\b", rf"abut::\1{prefix}\g<2>{kind}", text)
    return re.sub(r"\bstd::(erase_if|erase(?=\())", r"\1", text)


def cases_of(tree: Path) -> Iterator[Case]:
    for container in _CONTAINERS:
        folder = tree / _TESTS / _FOLDERS[container.removeprefix("stable_")]
        for source in sorted(folder.rglob("*.cpp")):
            yield Case(container, str(source.relative_to(tree / _TESTS)), source)


def not_run(case: Case) -> str:
    """Why a test cannot be run here, or nothing."""
    for end, why in _NAMES.items():
        if case.name.endswith(end):
            return why
    text = case.source.read_text(errors="replace")
    for pattern, why in _HEAD.items():
        if re.search(pattern, text):
            return why
    return ""


class Runner:
    def __init__(self, tree: Path, compiler: str) -> None:
        self._tree = tree
        self._compiler = compiler

    def precompile(self, container: str) -> None:
        """The container's header and those that most tests include; and the tests' own headers."""
        header = _BUILD / container / "prefix.hpp"
        for folder, to in ((_TESTS, ""), (_SUPPORT, "support")):
            for own in (self._tree / folder).rglob("*.h*"):
                copy = header.parent / to / own.relative_to(self._tree / folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(adapted(own.read_text(errors="replace"), container))
        name = "list" if container == "list" else container.replace("multi", "")
        header.write_text(f"#include <abut/{name}.hpp>\n{_PREFIX}")
        problem = _run([self._compiler, *_FLAGS, f"-I{ROOT / 'include'}", str(header)])
        if problem:
            raise NotRunError(problem)

    def run(self, case: Case, reasons: Sequence[Reason]) -> Result:
        if why := not_run(case):
            return Result(case.container, case.name, "not run", why)
        problem = self._try(case)
        reason = next((r.why for r in reasons if r.fits(case)), "")
        if not problem:
            outcome = "unneeded" if reason else "passed"
            return Result(case.container, case.name, outcome, reason)
        outcome = "expected" if reason else "failed"
        return Result(case.container, case.name, outcome, reason, problem)

    def _try(self, case: Case) -> str:
        """Builds and runs a test; what went wrong."""
        source = _BUILD / case.container / case.name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(adapted(case.source.read_text(errors="replace"), case.container))
        program = source.with_suffix("")
        own = _BUILD / case.container
        argv = [self._compiler, *_FLAGS, f"-I{ROOT / 'include'}", f"-I{own / 'support'}"]
        argv += ["-include", str(own / "prefix.hpp"), str(source)]
        is_program = not case.name.endswith(".compile.pass.cpp")
        argv += ["-o", str(program)] if is_program else ["-fsyntax-only"]
        problem = _run(argv)
        if not problem and is_program:
            problem = _run([str(program)])
            program.unlink()
        return problem


def _run(argv: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, errors="replace", timeout=300, check=False
        )
    except subprocess.TimeoutExpired:
        return "takes longer than 300 s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.splitlines()
    wanted = [line for line in lines if ": error:" in line or "Assert" in line]
    return "; ".join((wanted or lines or [f"exit {done.returncode}"])[:4])


def table(results: Sequence[Result]) -> str:
    """How many tests of each container were run and passed, and why others were not."""
    lines = ["| container | tests | run | passed | other by design | not run | failed |"]
    lines.append("|---|---|---|---|---|---|---|")
    for container in dict.fromkeys(result.container for result in results):
        of = Counter(r.outcome for r in results if r.container == container)
        passed = of["passed"] + of["unneeded"]
        lines.append(
            f"| `abut::{container}` | {of.total()} | {of.total() - of['not run']} | {passed} "
            f"| {of['expected']} | {of['not run']} | {of['failed']} |"
        )
    lines += ["", "| tests | not run, or other by design: why |", "|---|---|"]
    why = Counter(r.reason for r in results if r.outcome in {"expected", "not run"})
    lines += [f"| {count} | {reason} |" for reason, count in why.most_common()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="peers.libcxx", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--tests", default="*", metavar="PATTERN", help="only CONTAINER FILE so named"
    )
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    chosen = parser.parse_args()
    try:
        tree = debian.folders_of(_SOURCE, (_TESTS, _SUPPORT))
    except NotRunError as reason:
        print(f"not run: {reason}", file=sys.stderr)
        return 77
    runner = Runner(tree, chosen.compiler)
    reasons = read_reasons(_REASONS.read_text())
    cases = [case for case in cases_of(tree) if fnmatchcase(case.label, chosen.tests)]
    for container in {case.container for case in cases}:
        runner.precompile(container)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        results = list(pool.map(lambda case: runner.run(case, reasons), cases))
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    print(table(results))
    wrong = [result for result in results if result.outcome in {"failed", "unneeded"}]
    for result in wrong:
        print(
            f"{result.outcome}: {result.container} {result.name}: {result.detail or result.reason}"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
