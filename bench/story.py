"""A story that the docs tell: a report on Graphviz, the change that it leads to, what that gains.

Fetches Graphviz's source as Debian has it, and builds it twice: as it is, and with story.patch.
`tools/setup.sh build sources` installs what builds it. What is built in build/story is not built
again.

usage: .venv/bin/python bench/story.py report|change|gain
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from debian_source import fetched
from two_programs import gain

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "story"
PATCH = Path(__file__).with_suffix(".patch")
_PLUGINS = ("core", "dot_layout")
_ROUNDS = 25
_SHOWN = 75  # lines of the report


def built(name: str) -> Path:
    """The program `dot` as it is (before) or changed (after), with its plug-ins beside it."""
    place = FOLDER / name
    dot = place / "dot"
    if not dot.is_file():
        source = FOLDER / "source" / name
        if not source.is_dir():
            shutil.copytree(fetched("graphviz", FOLDER), source, symlinks=True)
            if name == "after":
                subprocess.run(["patch", "-s", "-p1", "-i", PATCH], cwd=source, check=True)
        flags = [
            "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DCMAKE_C_FLAGS=-w -fcommon",
            "-DCMAKE_CXX_FLAGS=-w",
        ]
        work = place / "build"
        for words in (
            ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(work), *flags],
            ["ninja", "-C", str(work), "dot", *(f"gvplugin_{one}" for one in _PLUGINS)],
        ):
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for one in _PLUGINS:
            shutil.copy(next(work.glob(f"plugin/{one}/*.so.6")), place)
        shutil.copy(work / "cmd" / "dot" / "dot", dot)
        subprocess.run([dot, "-c"], env={**os.environ, "GVBINDIR": str(place)}, check=True)
    return dot


def graph(nodes: int) -> Path:
    """A tree of so many nodes, and as many edges across it."""
    path, source = FOLDER / f"{nodes}.gv", random.Random(7)
    tree = [(source.randrange(max(0, n - 60), n), n) for n in range(1, nodes)]
    starts = [source.randrange(nodes - 1) for _ in range(nodes)]
    across = [(n, min(nodes - 1, n + source.randrange(1, 200))) for n in starts]
    edges = "".join(f"n{one} -> n{other};\n" for one, other in tree + across)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"digraph g {{\n{edges}}}\n")
    return path


def command(name: str, nodes: int) -> list[str]:
    """Lays a graph out."""
    dot = built(name)
    return ["env", f"GVBINDIR={dot.parent}", str(dot), "-Tplain", str(graph(nodes))]


def report() -> None:
    """What the report says first."""
    os.environ["GVBINDIR"] = str(built("before").parent)
    abut, trace = [sys.executable, "-m", "abut"], "build/story/dot.trace"
    program = ["build/story/before/dot", "-Tplain", "-o", "/dev/null"]
    record = ["record", "-q", "--force", "-o", trace, "--", *program]
    subprocess.run([*abut, *record, f"build/story/{graph(600).name}"], cwd=ROOT, check=True)
    words = [*abut, "report", "--terminal", trace]
    shown = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    print(*shown.stdout.splitlines()[:_SHOWN], sep="\n")


def main() -> int:
    """One step of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("step", choices=("report", "change", "gain"))
    step = parser.parse_args().step
    FOLDER.mkdir(parents=True, exist_ok=True)
    if step == "report":
        report()
    elif step == "change":
        sys.stdout.write(PATCH.read_text())
    else:
        for nodes in (600, 1200):
            ratio, seconds = gain(command("before", nodes), command("after", nodes), _ROUNDS)
            print(f"{nodes} nodes: {seconds:.2f} s before; after, times {ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
