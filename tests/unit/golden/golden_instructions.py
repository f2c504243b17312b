"""Compares the instructions that calls of the library take with golden numbers.

More instructions than the golden number fail the test and print the path that was taken,
instruction by instruction, so that the change can be looked at. Fewer pass, with a word that the
number can be lowered.
`--update` writes the numbers that the library has now; those of other compilers and calls stay.
`--profiled` counts requests of call sites that are in no context of a profile while it is
followed. There fewer fail, too: then the profile is not followed.

What the library calls outside of itself (the C library's memset in calloc) is not counted: it
differs from machine to machine.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED = 77
Golden = dict[tuple[str, str], int]  # by compiler and call
UPDATE = "cmake --build build/release --target update-golden"
HEADER = f"""\
# Machine instructions from the first of a call to its return, on the hot path, in the release
# build: compiler, instructions, call. Written by `{UPDATE}`.
"""


UNDER_A_PROFILE = " under a profile"
PROFILED = ("malloc(32)", "calloc(1, 32)", "operator new(32)")
INDIRECT_CALL = re.compile(r"\s*[0-9a-f]+:\s+call\s+\*.*\n\s*([0-9a-f]+):")


@dataclass
class Call:
    """One call and the instructions that it took."""

    name: str
    inside: list[int] = field(default_factory=list)  # offsets in the library
    outside: int = 0


def read_calls(text: str) -> list[Call]:
    """Read what step_calls printed: of each name the call with the fewest instructions."""
    calls: list[Call] = []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "call":
            calls.append(Call(rest))
        elif kind == "in":
            calls[-1].inside.append(int(rest, 16))
        else:
            calls[-1].outside += 1
    fewest: dict[str, Call] = {}
    for call in calls:
        known = fewest.setdefault(call.name, call)
        if len(call.inside) < len(known.inside):
            fewest[call.name] = call
    return list(fewest.values())


def read_golden(path: Path) -> Golden:
    """Read the golden numbers, by compiler and call."""
    golden: Golden = {}
    if path.exists():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                compiler, number, call = line.split(maxsplit=2)
                golden[compiler, call] = int(number)
    return golden


def write_golden(path: Path, golden: Golden) -> None:
    """Write the golden numbers, compilers in order and calls as they were counted."""
    compilers = sorted({compiler for compiler, _ in golden})
    lines = [
        f"{compiler:10} {number:4} {call}\n"
        for wanted in compilers
        for (compiler, call), number in golden.items()
        if compiler == wanted
    ]
    path.write_text(HEADER + "".join(lines))


def disassemble(library: Path) -> dict[int, str]:
    """Every instruction of the library by its offset, with the symbol that it belongs to."""
    command = ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", str(library)]
    try:
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    instructions: dict[int, str] = {}
    symbol, start = "", 0
    for line in text.splitlines():
        address, colon, code = line.partition(":")
        if line.endswith(">:"):
            begin, _, name = line[:-2].partition(" <")
            symbol, start = name, int(begin, 16)
        elif colon and "\t" in code:
            offset = int(address, 16)
            instructions[offset] = f"{symbol}+{offset - start:#x}\t{code.strip()}"
    return instructions


def print_path(call: Call, instructions: dict[int, str]) -> None:
    """Print the instructions that a call took, in order."""
    for number, offset in enumerate(call.inside, 1):
        text = instructions.get(offset, "(install binutils to see it)")
        print(f"  {number:4}  {offset:#8x}  {text}")


def compare(
    calls: list[Call], golden: Golden, compiler: str, library: Path, *, is_exact: bool
) -> int:
    """Print the table; return the number of calls that take more than their golden number.

    Where `is_exact`, those that take fewer count, too.
    """
    instructions: dict[int, str] = {}
    failed = 0
    for call in calls:
        now, then = len(call.inside), golden[compiler, call.name]
        verdict = "" if now == then else f"golden: {then}, {'MORE' if now > then else 'fewer'}"
        beyond = f"(and {call.outside} outside of the library)" if call.outside else ""
        print(f"{now:5} {call.name:28} {beyond} {verdict}".rstrip())
        if now > then:
            failed += 1
            instructions = instructions or disassemble(library)
            print_path(call, instructions)
        elif now < then:
            failed += is_exact
            print(f"      lower the golden number: {UPDATE}")
    return failed


def output_of(*command: str | Path) -> str:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def profile_beside(program: Path) -> str:
    """A profile with a context that begins at none of the program's calls.

    Nor does its call end in the same byte as one of those.
    """
    code = output_of("objdump", "--disassemble", "--no-show-raw-insn", program)
    taken = {int(site, 16) % 256 for site in INDIRECT_CALL.findall(code)}
    free = next(byte for byte in range(1, 256) if byte not in taken)
    build_id = output_of("readelf", "--notes", program).partition("Build ID: ")[2].split()[0]
    measured = f'name = "{program.name}"\nbuild_id = "{build_id}"\n'
    return (
        f'profile = 1\n[program]\n{measured}[settings]\nplace = "pools"\n[[module]]\n{measured}'
        f'[[context]]\npool = 1\ncalls = "{program.name}+{free - 1:#x}(main)"\n'
    )


def step(arguments: argparse.Namespace) -> subprocess.CompletedProcess[str]:
    """Run the program one instruction at a time."""
    command = [arguments.stepper, arguments.library, arguments.program]
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if arguments.profiled:
            profile = Path(folder) / "profile"
            profile.write_text(profile_beside(arguments.program))
            environment |= {"ABUT_PROFILE": str(profile), "ABUT_EXPLAIN": "on"}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("library", "stepper", "program", "golden"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--compiler", required=True, help="such as GNU-12: whose golden numbers")
    parser.add_argument("--profiled", action="store_true", help="count under a profile")
    parser.add_argument("--update", action="store_true", help="write the numbers and do no more")
    parser.add_argument("--path", metavar="CALL", help="print the path of this call and do no more")
    return parser.parse_args()


def compare_or_skip(arguments: argparse.Namespace, calls: list[Call]) -> int:
    """Compare, if there are golden numbers to compare with."""
    golden = read_golden(arguments.golden)
    missing = [call.name for call in calls if (arguments.compiler, call.name) not in golden]
    if not missing:
        compiler, library, is_exact = arguments.compiler, arguments.library, arguments.profiled
        return 1 if compare(calls, golden, compiler, library, is_exact=is_exact) else 0
    if len(missing) == len(calls):
        print(f"skipped: there are no golden numbers for {arguments.compiler} yet")
    else:
        print(f"no golden number for {arguments.compiler}: {', '.join(missing)}")
    print(f"write them: {UPDATE}")
    return SKIPPED if len(missing) == len(calls) else 1


def update(path: Path, compiler: str, calls: list[Call]) -> None:
    """Replace the golden numbers of these calls for one compiler."""
    now = {(compiler, call.name): len(call.inside) for call in calls}
    write_golden(path, read_golden(path) | now)


def main() -> int:
    """Count, then compare, update or print."""
    arguments = parse_arguments()
    stepped = step(arguments)
    if stepped.returncode == SKIPPED:
        print("skipped: the kernel lets no process single-step another here (ptrace)")
        return SKIPPED
    if stepped.returncode != 0:
        print(stepped.stderr, end="")
        return 1
    calls = read_calls(stepped.stdout)
    if arguments.profiled:
        calls = [
            Call(call.name + UNDER_A_PROFILE, call.inside)
            for call in calls
            if call.name in PROFILED
        ]
    if arguments.path is not None:
        instructions = disassemble(arguments.library)
        for call in calls:
            if call.name == arguments.path:
                print_path(call, instructions)
    elif arguments.update:
        update(arguments.golden, arguments.compiler, calls)
    else:
        return compare_or_skip(arguments, calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
