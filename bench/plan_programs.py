"""What the benchmarks of plans have in common: which of their programs are to be run."""

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping


def add_only(parser: ArgumentParser) -> None:
    """Let the command line name programs."""
    parser.add_argument("--only", default="", help="names of programs, with commas")


def chosen_programs(
    programs: Mapping[str, list[str]], only: str
) -> Iterator[tuple[str, list[str]]]:
    """Those that are named (all, if none is) and installed; it is said which are not."""
    for name, argv in programs.items():
        if only and name not in only.split(","):
            continue
        if shutil.which(argv[0]) is None:
            print(f"{argv[0]}: not there, left out", file=sys.stderr)
            continue
        yield name, argv
