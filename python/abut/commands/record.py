"""`abut record`: what a program does with its heap, every event and every access, in a trace.

This process becomes the collector, whose only child is the program.
"""

import dataclasses
import glob
import os
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import abut
from abut.environment import copying_in_vectors, untouched_environment
from abut.errors import RUN_FAILED, USAGE, AbutError
from abut.heaps import preload, require_heap
from abut.places import build_fix, built, collector_candidate, native_folder
from abut.program import find_program, preload_obstacle, prepare_exec
from abut.targets import check_target, utf8
from abut.verb import refuse

TAKES_PROGRAM = True
_FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_WINDOW = re.compile(r"(\d+)([kMGT]?)/(\d+)([kMGT]?)")


class Recorder(StrEnum):
    """How a program is watched."""

    VALGRIND = "valgrind"
    LIGHT = "light"
    COMPILED = "compiled"


def command(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="What to run, with its arguments.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The trace [PROGRAM.trace]."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a trace that is there.")
    ] = False,
    recorder: Annotated[
        Recorder,
        typer.Option(
            help="valgrind: every access of any program; light: allocations and frees alone, at"
            " nearly no cost; compiled: the accesses of a program that `abut cc` compiled."
        ),
    ] = Recorder.VALGRIND,
    heap: Annotated[
        str | None,
        typer.Option(help="glibc, jemalloc, mimalloc, tcmalloc, abut, or a library's path."),
    ] = None,
    sites: Annotated[
        bool, typer.Option("--sites", help="Record which instruction made each access, too.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Record accesses to stacks and fixed addresses, too."),
    ] = False,
    begin: Annotated[
        str | None,
        typer.Option("--from", metavar="FUNCTION", help="Record accesses from its first call on."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Record accesses from abut_trace_start() on.")
    ] = False,
    window: Annotated[
        str | None,
        typer.Option(metavar="PART/WHOLE", help="Record PART accesses of every WHOLE: 100M/1G."),
    ] = None,
    follow_children: Annotated[
        bool,
        typer.Option("--follow-children", help="Record children, too, into FILE.2, FILE.3 ..."),
    ] = False,
    lossless: Annotated[
        bool,
        typer.Option(
            "--lossless", help="With light: a program too fast for the recorder waits for it."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing at the end.")] = False,
) -> None:
    """Record every access of a program to its heap, whichever heap that is, into a trace.

    The program is neither recompiled nor changed; it runs about ten times as long. Its exit code,
    signals and standard streams pass through. abut's own failures exit with 125.

    Examples:

        abut record -- lua5.4 script.lua
        abut record --heap abut -o abut.trace -- xmllint --noout big.xml
        abut record --from main --window 100M/1G -- long-running-program
        abut record --recorder light -- long-running-program
    """
    parts = {"--everything": everything, "--from": begin, "--wait": wait, "--window": window}
    parts |= {"--lossless": lossless, "--sites": sites}
    try:
        _refuse(recorder, {name for name, value in parts.items() if value})
        if begin:
            refuse("--from says already where accesses begin", "wait")
        path = find_program(program[0])
        _warn_of_obstacles(path)
        arguments = [f"--recorder={recorder}", *_flags(force=force, sites=sites, quiet=quiet)]
        arguments += _flags(everything=everything, lossless=lossless)
        arguments += ["--follow"] if follow_children else []
        # What reads traces takes no other names.
        usual = f"{os.fsencode(path.name).decode(errors='replace')}.trace"
        trace = Path(utf8(output or usual))
        arguments += [f"--output={trace}"]
        if follow_children:
            for child in trace.parent.glob(f"{glob.escape(trace.name)}.[0-9]*"):
                check_target(child, force=force)
        arguments += [f"--tool-option={option}" for option in _tool_options(begin, wait, window)]
        environment = untouched_environment()
        if recorder is Recorder.VALGRIND:
            environment = copying_in_vectors(environment)
            arguments += _heap_arguments(heap, environment)
        else:
            arguments += _library_arguments(recorder, heap, environment)
        collector = built(collector_candidate(), "collector", "abut-collect")
        arguments += [f"--version={abut.__version__}", f"--machine={_machine()}"]
        if recorder is Recorder.VALGRIND:
            arguments += _tool_arguments()
    except AbutError as error:
        if error.exit_code is None:
            error.exit_code = RUN_FAILED
        raise
    prepare_exec()
    try:
        os.execve(collector, [str(collector), *arguments, "--", *program], environment)
    except OSError as error:
        problem = f"{collector}: {error.strerror}"
        raise AbutError(problem, fix=build_fix("abut-collect"), exit_code=RUN_FAILED) from error


def _tool_arguments() -> list[str]:
    from abut.preloading import preloadable
    from abut.recording.valgrind_tool import launcher, tool_folder

    # What Valgrind preloads lies in it.
    folder = preloadable(tool_folder(lambda text: print(f"abut: {text}", file=sys.stderr)))
    return [f"--launcher={launcher()}", f"--tool={folder}"]


_NOT_FOR = {
    Recorder.VALGRIND: frozenset({"--lossless"}),
    Recorder.LIGHT: frozenset({"--everything", "--from", "--wait", "--window", "--sites"}),
    Recorder.COMPILED: frozenset({"--everything", "--from"}),
}
_WHY_NOT = {
    Recorder.VALGRIND: "it loses nothing, however fast the program is",
    Recorder.LIGHT: "it records no accesses, and allocations throughout",
    Recorder.COMPILED: "it sees blocks alone, and not where functions begin",
}


def _refuse(recorder: Recorder, options: set[str]) -> None:
    """Not every recorder sees what an option is about."""
    if refused := sorted(options & _NOT_FOR[recorder]):
        raise AbutError(
            f"{', '.join(refused)}: not for --recorder {recorder}: {_WHY_NOT[recorder]}",
            fix="leave it out, or choose another --recorder",
            exit_code=USAGE,
        )


def _refuse_placing(recorder: Recorder, environment: dict[str, str]) -> None:
    """The form of the heap that records has neither plans nor pools, which a profile may set: its
    layout would be another than the one asked for.
    """
    allowed = {"ABUT_PLAN": ("",), "ABUT_PLACE": ("auto", "friends", "off"), "ABUT_PROFILE": ("",)}
    for name, values in allowed.items():
        if environment.get(name, values[0]) not in values:
            raise AbutError(
                f"{name}={environment[name]}: the {recorder} recorder's heap has no"
                " plans and no pools, and a profile may set them",
                fix=f"unset {name}, or record with --recorder valgrind --heap abut",
                exit_code=USAGE,
            )


def _library_arguments(
    recorder: Recorder, heap: str | None, environment: dict[str, str]
) -> list[str]:
    """What makes the program run under abut's heap in the form that records."""
    found = require_heap(heap or "abut")
    if not found.name.startswith("abut"):
        raise AbutError(
            f"--heap {found.name}: the {recorder} recorder is part of abut's heap",
            fix="leave it out, or record with --recorder valgrind",
            exit_code=USAGE,
        )
    library = built(native_folder() / "libabut_light.so", "recording library", "abut_light")
    environment |= found.environment
    _refuse_placing(recorder, environment)
    chosen = preload(dataclasses.replace(found, library=library), environment.pop("LD_PRELOAD", ""))
    return [f"--preload={chosen}"]


def _flags(**wanted: bool) -> list[str]:
    return [f"--{name}" for name, is_wanted in wanted.items() if is_wanted]


def _machine() -> str:
    from abut.machine import this_machine

    machine = this_machine()
    virtual = ", virtual" if machine.virtual else ""
    cores = "1 core" if machine.cores == 1 else f"{machine.cores} cores"
    return f"{machine.processor}, {cores}{virtual}; {machine.system}"


def _heap_arguments(heap: str | None, environment: dict[str, str]) -> list[str]:
    """What makes the program run under the heap; its settings go into the environment.

    What the caller preloads is for the program alone, and not for the collector.
    """
    callers = environment.pop("LD_PRELOAD", "")
    if heap is None:
        return [f"--preload={callers}"] if callers else []
    found = require_heap(heap)
    environment |= found.environment
    chosen = preload(found, callers)
    return [f"--preload={chosen}"] if chosen else []


def _tool_options(begin: str | None, wait: bool, window: str | None) -> list[str]:
    options = [f"--from={begin}"] if begin else []
    options += ["--wait=yes"] if wait else []
    if window is not None:
        part, whole = _window(window)
        options.append(f"--window={part}/{whole}")
    return options


def _window(text: str) -> tuple[int, int]:
    found = _WINDOW.fullmatch(text)
    if found:
        part = int(found[1]) * _FACTORS[found[2]]
        whole = int(found[3]) * _FACTORS[found[4]]
        if 0 < part < whole < 1 << 63:
            return part, whole
    raise AbutError(
        f"--window {text}: not a part of a whole",
        fix="say for example --window 100M/1G: 100 million accesses of every 1000 million",
        exit_code=USAGE,
    )


def _warn_of_obstacles(path: Path) -> None:
    if obstacle := preload_obstacle(path):
        print(f"abut: warning: no blocks will be seen: {obstacle}", file=sys.stderr)
