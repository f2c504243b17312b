"""Reports on six programs of six kinds: their pages, and a table of what each report says first.

Those that Debian has without debug information are built from its sources, in build.

usage: .venv/bin/python bench/gallery.py --markdown
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import story
from debian_source import fetched

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "build" / "docs-extra" / "gallery"
_BIN = "build/release/bin/bench"
_PORT = "7391"
_WAIT_S = 120
_MOST = "20000000"  # accesses
# What it is, by name, and the command.
PROGRAMS = {
    "dot": ("C", ["{dot}", "-Tplain", "-o", "/dev/null", "{graph}"]),
    "factor": ("C++", [f"{_BIN}/factor", "--digits", "22"]),
    "lua": ("an interpreter", ["{lua}", "bench/scripts/tables.lua", "20000", "4"]),
    "redis": ("a server", ["{redis}", "--port", _PORT, "--save", "", "--dir", "{work}"]),
    "translate": ("a compiler", [f"{_BIN}/translate", "--file", "{work}/generated.pas"]),
    "pipeline": ("threads", [f"{_BIN}/pipeline", "--pairs", "2", "--messages", "100000"]),
}
# The package, and what makes `program` in its source.
_BUILDS = {
    "lua": (
        "lua5.4",
        """echo '#define DEB_HOST_MULTIARCH ""' > src/lua5.4-deb-multiarch.h
        cc -g -O2 -DLUA_USE_POSIX -o program $(ls src/*.c | grep -v luac) -lm""",
    ),
    "redis": (
        "redis",
        """make -j2 -C src MALLOC=libc USE_SYSTEMD=no OPTIMIZATION=-O2 redis-server
        cp src/redis-server program""",
    ),
}


def built(name: str) -> str:
    """The path of a program that Debian's source makes."""
    package, commands = _BUILDS[name]
    source = fetched(package, ROOT / "build" / "gallery-source")
    if not (source / "program").is_file():
        made = subprocess.run(
            ["sh", "-ec", commands], cwd=source, check=False, capture_output=True, text=True
        )
        if made.returncode:
            sys.exit(f"gallery.py: {package} cannot be built:\n{made.stderr}")
    return str(source / "program")


def abut(*words: str) -> str:
    """What `abut` prints."""
    command = [sys.executable, "-m", "abut", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"gallery.py: {' '.join(words)}: {done.stderr}")
    return done.stdout


def serve(record: list[str]) -> None:
    """Record a server, while a client asks it for something."""
    client = ["redis-cli", "-p", _PORT]
    server = subprocess.Popen([sys.executable, "-m", "abut", *record], cwd=ROOT,
                              stdout=subprocess.DEVNULL)  # fmt: skip
    for _ in range(_WAIT_S):
        if subprocess.run([*client, "ping"], capture_output=True, check=False).returncode == 0:
            break
        time.sleep(1)
    load = [
        "redis-benchmark",
        "-p",
        _PORT,
        "-q",
        "-n",
        "20000",
        "-r",
        "20000",
        "-t",
        "set,get,lpush",
    ]
    subprocess.run(load, stdout=subprocess.DEVNULL, check=True)
    subprocess.run([*client, "shutdown", "nosave"], check=False)
    server.wait()


def report(name: str, places: dict[str, str]) -> list[str]:
    """Record a program and write its page; a row of the table. `places`: of programs and inputs."""
    kind, command = PROGRAMS[name]
    trace, page = PAGES / f"{name}.trace", PAGES / f"{name}.html"
    program = [word.format_map(places) for word in command]
    record = ["record", "--quiet", "--sites", "--force", "-o", str(trace), "--", *program]
    if name == "redis":
        serve(record)
    else:
        abut(*record)
    abut("report", "--most", _MOST, "--force", "-o", str(page), str(trace))
    answer = json.loads(abut("report", "--most", _MOST, "--json", str(trace)))
    advice = answer["runs"][0]["advice"]
    first = advice["culprits"][0]
    change = f"{first['action']['title']}: {first['gain']:.0%}" if first["action"] else "nothing"
    trace.unlink()
    return [
        f'{kind}: <a href="gallery/{name}.html">{name}</a>',
        f"{advice['bound']:.0%}",
        first["name"],
        first["reason"] or "-",
        change,
    ]


def main() -> int:
    """Make all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--markdown", action="store_true", required=True, help="print the table")
    parser.parse_args()
    PAGES.mkdir(parents=True, exist_ok=True)
    places = {"work": str(PAGES), "graph": str(story.graph(300)), "dot": str(story.built("before"))}
    places |= {name: built(name) for name in _BUILDS}
    os.environ["GVBINDIR"] = str(Path(places["dot"]).parent)
    generate = [sys.executable, "bench/inputs/make_pascal.py", "--routines", "300"]
    subprocess.run([*generate, "--out", str(PAGES / "generated.pas")], cwd=ROOT, check=True)
    heads = ["program", "layout could save at most", "who waits most", "why", "what to change"]
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for name in PROGRAMS:
        print("| " + " | ".join(report(name, places)) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
