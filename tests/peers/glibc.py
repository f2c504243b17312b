"""glibc's tests of malloc and of what stands on it, each built as a program of its own.

They are linked with the support library of glibc's sources and run on the system's C library.
"""

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from . import children, debian
from .builds import Compiler, Recipe, build_all
from .model import NotRunError, Outcome, Prepared, Suite, Test

_HERE = Path(__file__).parent
_BUILD = children.BUILD / "glibc"
_TIMEOUT = 600.0
# The tests' own limits, which are for an idle machine, are made this many times longer.
_PATIENCE = "4"
_UNSUPPORTED = "exit 77"
_SIGNAL = re.compile(r"Didn't expect signal from child: got `([^']*)'")
_FLAGS = (
    *("-std=gnu11", "-O2", "-g", "-w", "-fno-builtin", "-D_GNU_SOURCE", "-DTEST_NO_MALLOPT"),
    *("-DTIMEOUTFACTOR=1", '-DOBJPFX="./"', "-include", "compat.h"),
)
_PATHS = (
    *("SRCDIR", "OBJDIR", "OBJDIR_ELF_LDSO", "INSTDIR", "LIBDIR", "BINDIR", "SBINDIR", "SLIBDIR"),
    *("ROOTSBINDIR", "COMPLOCALEDIR", "SYSCONFDIR"),
)
# Parts of the support folder that are programs, or that belong to systems of 32 bits.
_NOT_SUPPORT = (
    *("test-*", "tst-*", "*-container", "links-dso*", "*_main", "*time64", "support_test_main_"),
    *("resolv_*", "check_addrinfo", "check_dns_packet", "support_path_support_time64"),
)


@dataclass(frozen=True)
class Choice:
    """The sources that glibc.toml chooses, and why others of the same folders are left out."""

    sources: list[Path]
    left_out: dict[str, str]


def choose(tree: Path, folders: list[dict[str, Any]]) -> Choice:
    sources: list[Path] = []
    left_out: dict[str, str] = {}
    for folder in folders:
        for source in sorted((tree / folder["path"]).glob("*.c")):
            if not any(fnmatchcase(source.stem, pattern) for pattern in folder["tests"]):
                continue
            reason = _first_fitting(folder.get("out", {}), source.stem)
            if reason is None:
                sources.append(source)
            elif reason != "a part of other tests":
                left_out[_name(tree, source)] = reason
    return Choice(sources, left_out)


def _first_fitting(reasons: dict[str, str], name: str) -> str | None:
    return next((why for pattern, why in reasons.items() if fnmatchcase(name, pattern)), None)


def _name(tree: Path, source: Path) -> str:
    return str(source.relative_to(tree).with_suffix("")).replace("sysdeps/", "")


def _headers(tree: Path, names: list[str]) -> Path:
    """A folder with those of glibc's own headers that the tests need, and no others."""
    folder = _BUILD / "include"
    folder.mkdir(parents=True, exist_ok=True)
    links = {Path(name).name: tree / name for name in names}
    for name, target in links.items():
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    return folder


def _support(tree: Path, compiler: Compiler) -> Path:
    """The support library, of all its parts that can be built out of the tree."""
    sources = [*(tree / "support").glob("*.c"), tree / "support" / "support_test_main.c"]
    wanted = {
        source
        for source in sources
        if source.stem == "support_test_main"
        or not any(fnmatchcase(source.stem, pattern) for pattern in _NOT_SUPPORT)
    }
    for pattern in ("alloc_buffer_*.c", "dynarray_*.c", "scratch_buffer_*.c"):
        wanted |= set((tree / "malloc").glob(pattern))
    paths = [f'-D{name}_PATH="/{name.lower()}"' for name in _PATHS]
    return compiler.archive(sorted(wanted), _BUILD / "support", ["-include", "limits.h", *paths])


def _modules(name: str, source: Path, named: dict[str, list[str]]) -> list[Path]:
    """The sources of the objects that a test loads, which are beside it."""
    if name in named:
        return [source.with_name(f"{module}.c") for module in named[name]]
    return sorted(source.parent.glob(f"{source.stem}*mod*.c"))


def _recipes(
    tree: Path, sources: list[Path], support: Path, named: dict[str, list[str]]
) -> list[Recipe]:
    return [
        Recipe(
            name=_name(tree, source),
            source=source,
            program=_BUILD / "tests" / _name(tree, source),
            modules=_modules(_name(tree, source), source, named),
            libraries=[str(support), "-rdynamic", "-lpthread", "-ldl", "-lm"],
        )
        for source in sources
    ]


def status(done: children.Done) -> str:
    """How a test ended: its driver runs it in a child, and says what became of that."""
    if done.status == "exit 1":
        if "Timed out: killed the child process" in done.out + done.err:
            return "timeout"
        found = _SIGNAL.search(done.out + done.err)
        return f"signal {found[1]}" if found else "failed"
    return "unsupported" if done.status == _UNSUPPORTED else done.status


def _test(name: str, program: Path, variables: dict[str, str]) -> Test:
    def run(library: Path | None) -> Outcome:
        with children.scratch() as home:
            around = children.environment(
                home,
                library,
                LC_ALL="C",
                TIMEOUTFACTOR=_PATIENCE,
                LD_LIBRARY_PATH=str(program.parent),
                **variables,
            )
            done = children.run([str(program)], home, around, _TIMEOUT)
        return Outcome(status(done), detail=children.last_words(done))

    return Test(name, run)


def prepare() -> Prepared:
    tree, version = debian.source_of("libc6")
    settings = tomllib.loads((_HERE / "glibc.toml").read_text())
    includes = [_HERE / "glibc" / "include", _headers(tree, settings["headers"]), tree / "support"]
    compiler = Compiler("gcc", [*_FLAGS, *(f"-I{folder}" for folder in includes)])
    choice = choose(tree, settings["folder"])
    support = _support(tree, compiler)
    recipes = _recipes(tree, choice.sources, support, settings["modules"])
    failed = build_all(compiler, recipes)
    tests = [
        _test(recipe.name, recipe.program, settings["variables"].get(recipe.name, {}))
        for recipe in recipes
        if recipe.name not in failed
    ]
    if not tests:
        raise NotRunError("none of glibc's tests could be built")
    left_out = choice.left_out | {name: f"not built: {why}" for name, why in failed.items()}
    return Prepared(tests, left_out, f"glibc {version}")


SUITE = Suite("glibc", prepare)
