"""Turning a declared benchmark into a workload that can run: placeholders, needs, prepared inputs.

Inputs are made once and kept in a cache folder named for what they are made of: the command that
makes them and the contents of the files it names, with what those import from beside them. A
changed generator makes a new folder.
"""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from abut.environment import untouched_environment
from abut.errors import AbutError, NotHere, last_lines
from abut.measure.suites import Benchmark, expand
from abut.measure.workload import Workload
from abut.places import BenchPlaces, build_fix, locked

_IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
_READY = ".ready"
_SHOWN_LINES = 3


def workload_of(benchmark: Benchmark, suite: str, places: BenchPlaces) -> Workload:
    """The benchmark at the size that `suite` gives it, with its inputs ready.

    Raises NotHere when the machine lacks a program, AbutError when preparing fails.
    """
    _check_needs(benchmark)
    values = _values(benchmark, suite, places)
    work = _work_folder(benchmark, suite, values, places)
    values["work"] = str(work)
    argv = tuple(expand(word, values) for word in benchmark.command)
    _check_program(benchmark, argv[0])
    with locked(work):
        _prepare(benchmark, values, work)
    return Workload(
        name=benchmark.name,
        about=benchmark.about,
        kind=benchmark.kind,
        argv=argv,
        folder=work,
        stdin=Path(expand(benchmark.stdin, values) if benchmark.stdin else "/dev/null"),
        environment={name: expand(value, values) for name, value in benchmark.env.items()},
        compare_output=benchmark.output == "compare",
    )


def _values(benchmark: Benchmark, suite: str, places: BenchPlaces) -> dict[str, str]:
    compiler = {"cc1": _compiler_proper()} if "{cc1}" in benchmark.command else {}
    return {
        **compiler,
        **benchmark.sizes.get(suite, {}),
        "bin": str(places.programs),
        "bench": str(places.bench),
        "python": str(places.python),
    }


def _compiler_proper() -> str:
    """The program that gcc starts to compile C, which it names by itself."""
    asked = ["gcc", "-print-prog-name=cc1"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def _check_needs(benchmark: Benchmark) -> None:
    lacking = [need for need in benchmark.needs if shutil.which(need.program) is None]
    if lacking:
        programs = ", ".join(need.program for need in lacking)
        packages = " ".join(dict.fromkeys(need.package for need in lacking))
        raise NotHere(
            f"{benchmark.name}: {programs} not found in PATH", fix=f"apt install {packages}"
        )


def _check_program(benchmark: Benchmark, program: str) -> None:
    if shutil.which(program) is None:
        fix = (
            build_fix("bench-programs")
            if "/" in program
            else f"declare it under 'needs' in {benchmark.file}"
        )
        raise NotHere(f"{benchmark.name}: {program} is not there", fix=fix)


def _work_folder(
    benchmark: Benchmark, suite: str, values: Mapping[str, str], places: BenchPlaces
) -> Path:
    digest = hashlib.sha256()
    for word in benchmark.prepare:
        expanded = expand(word, values)
        digest.update(expanded.encode() + b"\0")
        source = Path(expanded)
        ours = source.is_relative_to(places.bench) or source.is_relative_to(places.programs)
        if ours and source.is_file():
            for file in _sources(source):
                digest.update(file.read_bytes())
    return places.cache / f"{benchmark.name}-{suite}-{digest.hexdigest()[:16]}"


def _sources(file: Path) -> list[Path]:
    """The file; and if it is Python, the modules beside it that it imports."""
    if file.suffix != ".py":
        return [file]
    modules = [file.with_name(f"{name}.py") for name in _IMPORT.findall(file.read_text())]
    return [file, *(module for module in modules if module.is_file())]


def _prepare(benchmark: Benchmark, values: Mapping[str, str], work: Path) -> None:
    if (work / _READY).exists():
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    if benchmark.prepare:
        argv = [expand(word, values) for word in benchmark.prepare]
        environment = untouched_environment()
        environment.pop("LD_PRELOAD", None)
        try:
            done = subprocess.run(
                argv, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                check=False,
            )  # fmt: skip
        except OSError as error:
            raise AbutError(
                f"{benchmark.name}: its input cannot be prepared: {argv[0]}: {error.strerror}",
                fix=f"see 'prepare' in {benchmark.file}",
            ) from error
        if done.returncode != 0:
            said = last_lines(done.stderr.decode(errors="replace"), _SHOWN_LINES)
            raise AbutError(
                f"{benchmark.name}: preparing its input failed ({done.returncode}){said}",
                fix=f"run it by hand: {' '.join(argv)}",
            )
    (work / _READY).touch()
