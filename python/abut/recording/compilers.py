"""`abut cc` and `abut c++`: a compiler that puts a call before each access to memory.

The instrumentation is the one of -fsanitize=thread, which gcc and clang have; the calls lead to a
library of our own, which does nothing unless the program runs under `abut record --recorder
compiled`. All arguments are the compiler's. Imports little: a build calls this for every file.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from abut.errors import NOT_FOUND, RUN_FAILED, AbutError
from abut.places import PACKAGE, build_fix, native_folder

COMPILERS = {"cc": ("ABUT_CC", "cc"), "c++": ("ABUT_CXX", "c++")}
_WRAPPED = ("memcpy", "memmove", "memset")
_CLANG = (
    *("-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0"),
    *("-mllvm", "-tsan-instrument-read-before-write"),
    *("-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"),
    "-Wno-unused-command-line-argument",
)
# Checked copies (`__memcpy_chk`), which some systems ask for by default, would not be seen.
_UNCHECKED = "-U_FORTIFY_SOURCE"
_COMPILES_ONLY = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
_ASKS = frozenset({"--version", "-v", "-dumpversion", "-dumpmachine", "-dumpfullversion"})


def run_compiler(verb: str, arguments: list[str]) -> NoReturn:
    """Become the compiler of the verb. Raises AbutError where there is none."""
    variable, standard = COMPILERS[verb]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_help(verb, variable, standard), end="")
        sys.exit(0)
    words = os.environ.get(variable, standard).split()
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise AbutError(
            f"{' '.join(words)}: no such compiler",
            fix=f"install one, or name one: {variable}=clang-14",
            exit_code=NOT_FOUND,
        )
    command = [*words, *instrumented(Path(found), arguments)]
    os.execv(found, command)


def instrumented(compiler: Path, arguments: list[str]) -> list[str]:
    """The compiler's arguments, and ours: before them for compiling, behind them for linking."""
    if len(arguments) == 1 and arguments[0] in _ASKS:
        return arguments
    if "clang" in compiler.resolve().name:
        before = [*_CLANG]
    else:
        before = [f"-specs={PACKAGE / 'recording' / 'gcc.specs'}"]
    return [*before, *arguments, _UNCHECKED, *_linking(arguments)]


def _linking(arguments: list[str]) -> list[str]:
    if _COMPILES_ONLY & set(arguments):
        return []
    folder = native_folder()
    if not (folder / "libabut_rt.so").is_file():
        problem = f"{folder / 'libabut_rt.so'}: abut's run-time library is not there"
        raise AbutError(problem, fix=build_fix("abut_rt"), exit_code=RUN_FAILED)
    wraps = [f"-Wl,--wrap={name}" for name in _WRAPPED]
    # Behind another language's name (-x c), a library would be taken for a source.
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", *wraps, "-Wl,--no-as-needed", "-labut_rt"]


def _help(verb: str, variable: str, standard: str) -> str:
    return f"""\
Usage: abut {verb} ARGUMENTS...

Compile and link as `{standard}` does with the same arguments, for
`abut record --recorder compiled`: each access to memory is preceded by a call, which does
nothing unless the program is recorded.

{variable} names another compiler: gcc and clang know how.

Examples:

  abut {verb} -O2 -g -o prog prog.c
  abut record --recorder compiled -- ./prog
"""
