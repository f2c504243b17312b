"""Builds small C programs, each once: what the same command has made is left alone."""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .model import NotRunError

_TIMEOUT = 300


@dataclass(frozen=True)
class Recipe:
    """A program of one source, and the shared objects that it loads from beside itself."""

    name: str
    source: Path
    program: Path
    modules: list[Path]
    libraries: list[str]


@dataclass(frozen=True)
class Compiler:
    command: str
    flags: list[str]

    def run(self, target: Path, arguments: Sequence[str]) -> str:
        """Makes a target unless the same command has made it. Returns what went wrong."""
        argv = [self.command, *self.flags, "-o", str(target), *arguments]
        stamp = target.with_name(target.name + ".made")
        digest = hashlib.sha256(repr((argv, self._headers())).encode()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            return ""
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, timeout=_TIMEOUT, check=False
            )
        except FileNotFoundError as missing:
            raise NotRunError(f"{self.command} is not installed") from missing
        if done.returncode != 0:
            return _problem(done.stderr)
        stamp.write_text(digest)
        return ""

    def archive(self, sources: Sequence[Path], folder: Path, flags: Sequence[str]) -> Path:
        """A static library of those sources that can be built."""
        objects = [folder / f"{source.stem}.o" for source in sources]
        pairs = list(zip(objects, sources, strict=True))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = pool.map(lambda p: self.run(p[0], [*flags, "-c", str(p[1])]), pairs)
        made = [
            str(target) for target, problem in zip(objects, problems, strict=True) if not problem
        ]
        library = folder / "library.a"
        library.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(library), *made], check=True)
        return library

    def _headers(self) -> list[str]:
        """The contents of the headers that are part of this project, on which all else depends."""
        folders = [Path(flag[2:]) for flag in self.flags if flag.startswith("-I")]
        return [header.read_text() for header in sorted(folders[0].rglob("*.h"))]


def build_all(compiler: Compiler, recipes: Sequence[Recipe]) -> dict[str, str]:
    """Builds all, and returns why those failed that did."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = pool.map(lambda recipe: _build(compiler, recipe), recipes)
        return {
            recipe.name: problem
            for recipe, problem in zip(recipes, problems, strict=True)
            if problem
        }


def _build(compiler: Compiler, recipe: Recipe) -> str:
    folder = recipe.program.parent
    for module in recipe.modules:
        shared = folder / f"{module.stem}.so"
        problem = compiler.run(shared, ["-shared", "-fPIC", str(module)])
        if problem:
            return f"{module.name}: {problem}"
    return compiler.run(recipe.program, [str(recipe.source), *recipe.libraries])


def _problem(said: str) -> str:
    """The first line that tells of an error, without the folders it names."""
    lines = [line for line in said.splitlines() if "error" in line or "undefined" in line]
    line = (lines or said.splitlines() or ["no reason given"])[0]
    return " ".join(word.rpartition("/")[2] for word in line.split())
