"""Suites that are folders of bash scripts, each of which prints only what must always be the same.

Lines at a script's top say what it needs:

    # needs: PROGRAM PACKAGE     the program must be on PATH; the Debian package it comes from
    # stderr: ignore             stderr is not the same each time (default: it is compared)
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from . import children
from .model import NotRunError, Outcome, Prepared, Suite, Test

_PROGRAMS = Path(__file__).with_name("programs")
_TIMEOUT = 1500.0


@dataclass(frozen=True)
class Script:
    path: Path
    needs: dict[str, str]
    compares_stderr: bool

    @classmethod
    def load(cls, path: Path) -> "Script":
        needs = {}
        compares_stderr = True
        for line in path.read_text().splitlines():
            value = line.partition(": ")[2]
            if line.startswith("# needs: "):
                program, _, package = value.partition(" ")
                needs[program] = package
            elif line == "# stderr: ignore":
                compares_stderr = False
            elif not line.startswith("#"):
                break
        return cls(path, needs, compares_stderr)

    def missing(self) -> list[str]:
        """What must be installed for it, each program with its package."""
        return [
            f"{program} is not installed (package {package})"
            for program, package in self.needs.items()
            if shutil.which(program, path=children.SEARCH_PATH) is None
        ]

    def run(
        self, home: Path, library: Path | None, timeout: float = _TIMEOUT, **more: str
    ) -> Outcome:
        """Runs it in `home`, which is the same folder under both heaps: outputs name it."""
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        chosen = {name: os.environ[name] for name in ("LOAD_SECONDS",) if name in os.environ}
        around = children.environment(home, library, PEERS=str(_PROGRAMS), **chosen, **more)
        argv = ["/bin/bash", "-eu", "-o", "pipefail", str(self.path)]
        try:
            done = children.run(argv, home, around, timeout)
        finally:
            shutil.rmtree(home, ignore_errors=True)
        if library is None and (done.status != "passed" or not done.out):
            words = ((done.err or done.out).splitlines() or ["no output"])[-1]
            raise NotRunError(f"fails without the library: {done.status}: {words}")
        output = done.out + (done.err if self.compares_stderr else "")
        return Outcome(done.status, output, children.last_words(done))


@cache
def _homes() -> Path:
    """A folder of this process's own, with a short name, since sockets lie below it."""
    folder = Path(tempfile.gettempdir()) / f"peers-{os.getpid()}"
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def prepare(folder: Path) -> Prepared:
    scripts = [Script.load(path) for path in sorted(folder.glob("*.sh"))]
    left_out = {
        script.path.stem: "; ".join(script.missing()) for script in scripts if script.missing()
    }
    if left_out and len(left_out) == len(scripts):
        raise NotRunError(next(iter(left_out.values())))
    tests = [
        Test(
            script.path.stem,
            partial(script.run, _homes() / f"{folder.name}-{script.path.stem}"),
        )
        for script in scripts
        if script.path.stem not in left_out
    ]
    return Prepared(tests, left_out, _version_of(scripts))


def _version_of(scripts: list[Script]) -> str:
    """The version of what the first script needs first, if it came as a package."""
    package = next(iter(scripts[0].needs.values()), "")
    argv = ["dpkg-query", "--show", "--showformat=${Package} ${Version}", package]
    with suppress(OSError):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout
    return package


def suites() -> list[Suite]:
    folders = sorted(path for path in _PROGRAMS.iterdir() if path.is_dir())
    return [Suite(folder.name, partial(prepare, folder)) for folder in folders]
