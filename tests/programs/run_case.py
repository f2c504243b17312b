#!/usr/bin/env python3
"""Runs one real program twice, under the C library's heap and under a preloaded one, and compares.

A case is a bash script in `cases/` that prints only what must be the same each time. Lines at its
top say what it needs:

    # needs: PROGRAM PACKAGE     the program must be on PATH; the Debian package it comes from
    # stderr: ignore             stderr is not the same each time (default: it is compared)

Both runs have the same empty working directory as HOME, the same PATH, locale and time zone, so
that no path or date in the output differs. A case finds this project's sources in $SOURCE.
Exit code 0: all the same. 1: a difference. 2: cannot run.
"""

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

CASES = Path(__file__).parent / "cases"
PACKAGES = Path(__file__).parent / "packages.txt"
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


class CannotRunError(Exception):
    """The case says nothing, for a reason that its user can mend."""


@dataclass
class Case:
    script: Path
    needs: list[tuple[str, str]] = field(default_factory=list)
    compares_stderr: bool = True

    @classmethod
    def load(cls, name: str) -> "Case":
        case = cls(CASES / f"{name}.sh")
        if not case.script.is_file():
            raise CannotRunError(f"no case {name}: there is no file {case.script}")
        for line in case.script.read_text().splitlines():
            value = line.partition(": ")[2]
            if line.startswith("# needs: "):
                program, package = value.split()
                case.needs.append((program, package))
            elif line.startswith("# stderr: "):
                case.compares_stderr = value != "ignore"
            elif not line.startswith("#"):
                break
        return case

    def check_needs(self) -> None:
        listed = PACKAGES.read_text().split()
        for program, package in self.needs:
            if package not in listed:
                raise CannotRunError(
                    f"{PACKAGES} does not list {package}, which {self.script.name} needs"
                )
            if shutil.which(program, path=SEARCH_PATH) is None:
                raise CannotRunError(
                    f"{program} is not installed: apt-get install {package}"
                    f" (or all at once: xargs apt-get install -y < {PACKAGES})"
                )


@dataclass
class Result:
    exit_code: int
    stdout: str
    stderr: str


def environment(home: Path, library: Path | None, source: Path) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name.startswith("ABUT_")}
    variables |= {
        "PATH": SEARCH_PATH,
        "HOME": str(home),
        "TMPDIR": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SOURCE": str(source),
    }
    if library is not None:
        variables["LD_PRELOAD"] = str(library)
    return variables


def run(case: Case, library: Path | None, source: Path, home: Path, timeout: float) -> Result:
    home.mkdir()
    try:
        done = subprocess.run(
            ["/bin/bash", "-eu", "-o", "pipefail", str(case.script)],
            cwd=home,
            env=environment(home, library, source),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        heap = library or "the C library's heap"
        raise CannotRunError(f"{case.script.name} took over {timeout:.0f} s under {heap}") from late
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return Result(
        done.returncode,
        done.stdout.decode(errors="backslashreplace"),
        done.stderr.decode(errors="backslashreplace"),
    )


def check_preload(library: Path, source: Path, home: Path) -> None:
    """The dynamic linker skips a library that it cannot load: then both runs would be the same."""
    maps = subprocess.run(
        ["/bin/cat", "/proc/self/maps"],
        env=environment(home, library, source),
        capture_output=True,
        text=True,
        check=False,
    )
    if str(library.resolve()) not in maps.stdout:
        raise CannotRunError(f"{library} cannot be preloaded: {maps.stderr.strip() or 'no reason'}")


def differences(case: Case, plain: Result, preloaded: Result) -> list[str]:
    found = []
    if plain.exit_code != preloaded.exit_code:
        found.append(f"exit code {plain.exit_code} became {preloaded.exit_code}")
    streams = ["stdout", "stderr"] if case.compares_stderr else ["stdout"]
    for stream in streams:
        before, after = getattr(plain, stream), getattr(preloaded, stream)
        lines = difflib.unified_diff(
            before.splitlines(),
            after.splitlines(),
            f"{stream}, glibc",
            f"{stream}, preloaded",
            lineterm="",
        )
        found.extend(list(lines)[:40])
    return found


def compare(case: Case, library: Path, source: Path, timeout: float) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="abut-program-") as scratch:
        home = Path(scratch) / "home"
        check_preload(library, source, home)
        plain = run(case, None, source, home, timeout)
        if plain.exit_code != 0 or not plain.stdout:
            raise CannotRunError(
                f"{case.script.name} fails without any preload, with exit code {plain.exit_code};"
                f" its last words: {(plain.stderr or plain.stdout)[-2000:]}"
            )
        preloaded = run(case, library, source, home, timeout)
    found = differences(case, plain, preloaded)
    if found and not case.compares_stderr:
        found.append("stderr, preloaded: " + preloaded.stderr[-2000:])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="run one real program under two heaps and compare")
    parser.add_argument("name", help="a script in cases/, without .sh: git, long/self_build")
    parser.add_argument("--library", type=Path, required=True, help="the heap to preload")
    parser.add_argument("--timeout", type=float, default=280, help="seconds for one run")
    options = parser.parse_args()
    source = Path(__file__).resolve().parents[2]
    try:
        case = Case.load(options.name)
        case.check_needs()
        found = compare(case, options.library.absolute(), source, options.timeout)
    except CannotRunError as reason:
        print(f"{options.name}: {reason}", file=sys.stderr)
        return 2
    for line in found:
        print(line, file=sys.stderr)
    print(f"{options.name}: {'DIFFERENT' if found else 'the same under both heaps'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
