"""Writes what commands print into the pages that show it, so that no output is typed by hand.

A page marks the place with a comment that holds one command a line, and an end:

    <!-- output
    abut lib
    -->
    ...what is written again...
    <!-- end -->

Kinds of places: `reference` is generated from abut itself; it is empty in the tree, and Sphinx
fills it when it reads the page. `output` shows a run as an example, `refusal` one that must fail;
`measured` takes long and needs a quiet machine. What commands with `--markdown` print becomes part
of the page, all else a console listing. A listing that no command produced gives a reason:
`<!-- not run: why -->`. A place whose commands do not end as they should stays as it is. Below
what was measured stands where, when and with which versions.
Assumes the environment that set-up made, with `abut` in it, and a release build.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from abut.heaps import find_heaps
from abut.machine import describe, this_machine
from abut.measure.versions import versions_of

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("reference", "output", "refusal", "measured")
_PLACE = re.compile(
    rf"^<!-- (?P<kind>{'|'.join(KINDS)})\n(?P<commands>.*?)\n-->\n(?P<text>.*?)^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)
_LISTING = re.compile(
    r"^(?:<!-- not run: (?P<why>[^\n]+) -->\n)?```(?:console|sh|shell|bash)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_COLUMNS = 100


class WrongEndError(Exception):
    """A command in a page fails, or does not where it should."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a page, and the commands whose output stands there."""

    page: Path
    kind: str
    commands: tuple[str, ...]
    text: str


def pages() -> Iterator[Path]:
    """The tracked pages that may hold such places; Sphinx's copies of the papers' are left out."""
    yield ROOT / "README.md"
    found = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("papers/*/README.md")]
    yield from sorted(page for page in found if page.parent != ROOT / "docs" / "papers")


def places(page: Path) -> Iterator[Place]:
    """Every place in a page, from the top."""
    for match in _PLACE.finditer(page.read_text()):
        commands = tuple(match["commands"].splitlines())
        yield Place(page, match["kind"], commands, match["text"])


def unproduced(page: Path) -> Iterator[tuple[str, str]]:
    """Console listings that stand in no such place: why they were not run, and their text."""
    for match in _LISTING.finditer(_PLACE.sub("", page.read_text())):
        yield match["why"] or "", match["text"]


def fresh_text(place: Place) -> str:
    """What should stand there, from running the commands now. Raises WrongEndError."""
    printed = {command: _printed(command, place) for command in place.commands}
    if _is_markdown(place):
        return "\n\n".join(printed.values()) + "\n"
    shown = (f"$ {command}\n{text}".rstrip() for command, text in printed.items())
    return "```console\n" + "\n".join(shown) + "\n```\n"


def filled(page: Path) -> str:
    """The page's text with its `reference` places generated. Raises WrongEndError."""
    text = page.read_text()
    for place in places(page):
        if place.kind == "reference":
            head = _head(place)
            text = text.replace(head + place.text, head + fresh_text(place), 1)
    return text


def rewrite(page: Path, kinds: Iterable[str], only: str = "") -> bool:
    """Write again the places of these kinds one of whose commands has `only` in it; false if
    nothing changed. Raises WrongEndError.
    """
    before = page.read_text()
    for place in places(page):
        if place.kind in kinds and any(only in command for command in place.commands):
            begun = Start() if place.kind == "measured" else None
            print("\n".join(f"  {command}" for command in place.commands), file=sys.stderr)
            head = _head(place)
            fresh = fresh_text(place)
            if begun:
                fresh += f"\n{origin(begun)}\n"
            text = page.read_text()
            page.write_text(text.replace(head + place.text, head + fresh, 1))
    return page.read_text() != before


def load_now() -> float:
    """How many processors are busy, or taken by other guests, over the next half a second.

    Not the mean of the last minute: that is full of what was measured before.
    """
    before = _processor_times()
    time.sleep(0.5)
    passed = [now - then for now, then in zip(_processor_times(), before, strict=True)]
    idle = passed[3] + passed[4]  # the latter waits for a device
    return (os.cpu_count() or 1) * (1 - idle / max(sum(passed), 1))


def _processor_times() -> list[int]:
    """Ticks of user, nice, system, idle, iowait, irq, softirq and steal, see proc(5)."""
    return [int(word) for word in Path("/proc/stat").read_text().split()[1:9]]


class Start:
    """When a measurement began, and what else the machine did then."""

    def __init__(self) -> None:
        self.load = load_now()
        self.time = time.time()


def origin(start: Start) -> str:
    """Where, when and of which versions it was measured, in one paragraph."""
    heaps, _ = find_heaps(["glibc", "jemalloc", "mimalloc", "tcmalloc", "abut"])
    versions = (f"{name} {text}" for name, text in versions_of(heaps).items() if text)
    date = time.strftime("%Y-%m-%d", time.gmtime(start.time))
    return (
        f"*{describe(this_machine())}; {', '.join(versions)}. Measured on {date} in"
        f" {time.time() - start.time:.0f} s at commit {_commit()}, load before {start.load:.2f}.*"
    )


def _commit() -> str:
    """Of what is built: pages are not, and change while they are measured."""
    code = ["--", ".", ":!*.md", ":!docs"]
    changed = _git("status", "--porcelain", "--untracked-files=no", *code)
    return _git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def _git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def _head(place: Place) -> str:
    return f"<!-- {place.kind}\n" + "\n".join(place.commands) + "\n-->\n"


def _is_markdown(place: Place) -> bool:
    return all("--markdown" in command.split() for command in place.commands)


def _printed(command: str, place: Place) -> str:
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=ROOT,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if (done.returncode != 0) != (place.kind == "refusal"):
        name = place.page.name
        raise WrongEndError(f"{name}: {command}: ends with {done.returncode}\n{done.stdout}")
    lines = [_without_root(line).rstrip() for line in done.stdout.splitlines()]
    return "\n".join(lines).strip("\n")


def _without_root(line: str) -> str:
    """The line with the source tree's place as a reader may have it; a table's edge stays put."""
    shown = line.replace(str(ROOT), "~/abut")
    return f"{shown[:-1]:<{len(line) - 1}}│" if shown.endswith("│") else shown


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "ABUT_LIBRARY") if name in os.environ}
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    return {**kept, "PATH": path, "LANG": "C.UTF-8", "COLUMNS": str(_COLUMNS)}


def main() -> int:
    """Rewrite the pages of the documentation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("outputs", "measured"))
    parser.add_argument("pages", nargs="*", type=Path, help="only these pages")
    parser.add_argument("--only", default="", help="only places with this in a command")
    kinds = {"outputs": ("output", "refusal"), "measured": ("measured",)}
    given = parser.parse_args()
    chosen = kinds[given.what]
    wrong = False
    for page in [page.resolve() for page in given.pages] or pages():
        try:
            if rewrite(page, chosen, given.only):
                print(f"written: {page.relative_to(ROOT)}")
        except WrongEndError as error:
            print(error, file=sys.stderr)
            wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
