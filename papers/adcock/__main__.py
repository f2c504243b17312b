"""Adcock's experiments from a shell: `python -m abut_papers.adcock [EXPERIMENT...]`."""

import argparse
import json
import sys
from math import inf
from pathlib import Path

from abut.commands.console import console
from abut.errors import AbutError
from abut.machine import describe, this_machine
from abut_papers.adcock.bench import ABOUT, PROGRAMS, run
from abut_papers.adcock.experiments import SIZES, experiments
from abut_papers.adcock.journal import RunJournal


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m abut_papers.adcock", description=ABOUT)
    parser.add_argument("programs", nargs="*", default=PROGRAMS, metavar="EXPERIMENT")
    parser.add_argument("--suite", choices=SIZES, default="quick")
    parser.add_argument("--all", action="store_true", help="every experiment there is")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--journal", type=Path, help="where runs are kept, not to be run again")
    parser.add_argument("--seconds", type=float, default=inf, help="begin no run after so long")
    parser.add_argument("--kept", action="store_true", help="show the journal, and run nothing")
    parser.add_argument("--ways", help="only those whose names begin so: PREFIX[,PREFIX...]")
    parser.add_argument("--picture", type=Path, help="draw what was measured, too")
    chosen = parser.parse_args()

    def tell(line: str) -> None:
        if sys.stderr.isatty():
            print(line, file=sys.stderr)

    programs = [one.name for one in experiments(chosen.suite)] if chosen.all else chosen.programs
    try:
        journal = RunJournal(chosen.journal, chosen.seconds, chosen.kept)
        ways = chosen.ways.split(",") if chosen.ways else ()
        result = run(programs, chosen.suite, chosen.runs, tell, journal, ways)
    except AbutError as error:
        print(f"abut: {error}", file=sys.stderr)
        return error.exit_code
    if chosen.picture:
        result.draw(chosen.picture)
    if chosen.json:
        print(json.dumps(result.document(), indent=1))
        return 0
    out = console()
    out.print(describe(this_machine()))
    for table in result.tables():
        out.print(table)
    for line in result.verdict():
        out.print(line, highlight=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
