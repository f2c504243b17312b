"""The front of the command line: finds the verb and hands over to it.

What is asked for most (`--help`, `--version`, `lib`) is answered here or nearly so; typer, rich and
numpy are imported only by the verb that needs them, so that a shell prompt never waits for them.
"""

import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from abut.errors import INTERRUPTED, NO, USAGE, AbutError, ReaderLeft, refused, unknown

if TYPE_CHECKING:
    import typer

VERBS = {
    "run": "Run a program under abut's heap",
    "compare": "Measure programs under several heaps, side by side",
    "record": "Record what a program does with its heap",
    "trace": "Look into a recorded run",
    "sim": "Simulate caches over a recorded run",
    "sweep": "Simulate many runs on many machines, under many layouts, and keep what was found",
    "report": "Say what a heap costs and what would improve it, as one page",
    "export": "Write a recorded run's costs for the viewers of other tools",
    "cc": "Compile C so that each access can be recorded",
    "c++": "Compile C++ so that each access can be recorded",
    "tune": "Find the settings of the heap that make a program faster, and keep what wins",
    "profile": "Look into what tuning kept, and merge it",
    "place": "Compute where objects should lie, from recorded runs",
    "plan": "Look into such a plan",
    "calibrate": "Measure this machine's caches, TLBs and memory into a machine's file",
    "validate": "Predict a program's time under each heap, and measure it",
    "paper": "Repeat a paper's measurements",
    "demo": "Show the whole way with a program that comes along, up to its report",
    "heaps": "List the heaps that are known and which are installed",
    "options": "List the options of abut's heap",
    "lib": "Print the path of the library, for LD_PRELOAD",
    "doctor": "Say what this machine lacks, and what to type",
    "completion": "Print the completion script for a shell",
}
_COMPILERS = ("cc", "c++")  # their arguments are another program's, and they are called often
COMPLETION_VARIABLE = "_ABUT_COMPLETE"
_HEADER = """\
Usage: abut VERB [OPTIONS] [-- PROGRAM ARGS...]

A cache-conscious heap for native Linux programs, and the bench that measures it.
"""
_FOOTER = """\
Options:
  --help      show this, or after a verb what the verb does
  --version   show the versions of abut and of its library

Examples:
  abut run -- lua5.4 script.lua                    the program, under abut's heap
  abut compare -- lua5.4 script.lua                the same under every heap, measured
  abut compare --suite quick                       the benchmarks that take a minute
  abut record -- lua5.4 script.lua                 all accesses to its heap, in a trace
  abut sim lua5.4.trace                            what misses the caches, and whose it is
  LD_PRELOAD=$(abut lib) lua5.4 script.lua         no command line in between
"""


def main() -> NoReturn:
    """Run the verb that the command line names, and exit with its code."""
    if sys.stdout is None:  # it was closed before, and stays so in programs that are run
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(
        sys.stdout, io.TextIOWrapper
    ):  # names of files that are no UTF-8 stay as they are
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        try:
            sys.exit(_dispatch(sys.argv[1:]))
        finally:
            sys.stdout.flush()
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        sys.exit(USAGE if error.exit_code is None else error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (BrokenPipeError, ReaderLeft):
        _drop_output()
        sys.exit(128 + signal.SIGPIPE)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            _drop_output()
        elif error.filename is None:
            raise
        print(f"abut: {refused(error.filename or 'output', error)}", file=sys.stderr)
        sys.exit(NO if error.errno == errno.ENOSPC else USAGE)


def help_text() -> str:
    """What `abut --help` prints."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{width}}  {about}" for verb, about in VERBS.items())
    return f"{_HEADER}\nVerbs:\n{verbs}\n\n{_FOOTER}"


def build_app(verbs: Sequence[str], *, completes: bool = False) -> "typer.Typer":
    """A typer application of these verbs; only their modules are imported.

    With `completes`, it answers a shell that asks for completions.
    """
    from importlib import import_module

    import typer

    from abut.verb import Front, Verb

    app = typer.Typer(
        cls=Front,
        add_completion=completes,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )

    app.callback()(lambda: None)  # without it typer takes a single verb for the whole program
    for verb in verbs:
        if verb in _COMPILERS:
            continue
        module = import_module(f"abut.commands.{verb}")
        if hasattr(module, "app"):  # a verb with verbs of its own
            app.add_typer(module.app, name=verb, short_help=VERBS[verb])
            continue
        settings = {
            "help_option_names": ["-h", "--help"],
            # What follows the program's name is the program's.
            "allow_interspersed_args": not getattr(module, "TAKES_PROGRAM", False),
        }
        app.command(verb, cls=Verb, short_help=VERBS[verb], context_settings=settings)(
            module.command
        )
    return app


def _drop_output() -> None:
    """What is still to be written is nobody's any more: Python would report it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: Sequence[str]) -> int:
    if COMPLETION_VARIABLE in os.environ:
        return _run_verbs(list(VERBS), arguments, completes=True)
    first = arguments[0] if arguments else "--help"
    if first in ("-h", "--help"):
        print(help_text(), end="")
        return 0
    if first in ("-V", "--version"):
        print(_version_text())
        return 0
    if first in _COMPILERS:
        from abut.recording.compilers import run_compiler

        run_compiler(first, list(arguments[1:]))
    if first not in VERBS:
        raise _unknown(first)
    return _run_verbs([first], arguments)


def _run_verbs(verbs: Sequence[str], arguments: Sequence[str], *, completes: bool = False) -> int:
    result = build_app(verbs, completes=completes)(list(arguments), prog_name="abut")
    return int(result or 0)


def _unknown(word: str) -> AbutError:
    if word.startswith("-"):
        problem = f"{word}: not an option of abut itself; options follow a verb"
        return AbutError(problem, fix="abut --help lists the verbs")
    return unknown("verb", word, VERBS, " (abut --help)")


def _version_text() -> str:
    import abut
    from abut.library import load_library

    try:
        library = load_library()
        about = f"library {library.version()}, {library.path}"
    except AbutError as error:
        about = f"library: {error.problem}"
    return f"abut {abut.__version__} ({about})"
