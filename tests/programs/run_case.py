#!/usr/bin/env python3
"""Runs one real program twice, under the C library's heap and under a preloaded one, and compares.

A case is a bash script in `cases/` with lines at its top as tests/peers/scripts.py reads them. It
finds this project's sources in $SOURCE, and what it shares with the suites there in $PEERS; all
variables named ABUT_* are passed on. Exit code 0: all the same. 1: a difference, or the library
cannot be preloaded. 2: the case cannot be run.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

# Its folder was not on the path before.
from peers import children, compare, scripts  # noqa: E402
from peers.model import NotRunError  # noqa: E402


def compared(name: str, library: Path, timeout: float) -> compare.Finding:
    path = HERE / "cases" / f"{name}.sh"
    if not path.is_file():
        raise NotRunError(f"there is no file {path}")
    script = scripts.Script.load(path)
    if missing := script.missing():
        raise NotRunError(f"{missing[0]}; all: xargs apt-get install -y < {HERE}/packages.txt")
    children.check_preload(library)
    passed_on = {name: value for name, value in os.environ.items() if name.startswith("ABUT_")}
    passed_on["SOURCE"] = str(children.ROOT)
    with children.scratch() as folder:
        plain, preloaded = (
            script.run(folder / "home", heap, timeout, **passed_on) for heap in (None, library)
        )
    return compare.evaluate("programs", name, plain, preloaded, [])


def main() -> int:
    parser = argparse.ArgumentParser(description="run one real program under two heaps and compare")
    parser.add_argument("name", help="a script in cases/, without .sh: git, long/self_build")
    parser.add_argument("--library", type=Path, required=True, help="the heap to preload")
    parser.add_argument("--timeout", type=float, default=280, help="seconds for one run")
    options = parser.parse_args()
    try:
        found = compared(options.name, options.library.absolute(), options.timeout)
    except NotRunError as reason:
        print(f"{options.name}: {reason}", file=sys.stderr)
        return 2
    if found.verdict is compare.Verdict.EQUAL:
        print(f"{options.name}: the same under both heaps")
        return 0
    print(f"{options.name}: DIFFERENT: {found.became()}")
    print("\n".join([*found.changes()[:40], found.preloaded.detail[-2000:]]), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
