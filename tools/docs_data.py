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
`<!-- not run: why -->`. A place whose commands do not end as they should stays as it is.
Assumes the environment that set-up made, with `abut` in it, and a release build.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


def pages(root: Path = ROOT) -> Iterator[Path]:
    """The tracked pages that may hold such places; Sphinx's copies of the papers' are left out."""
    yield root / "README.md"
    found = [*(root / "docs").rglob("*.md"), *root.glob("papers/*/README.md")]
    yield from sorted(page for page in found if page.parent != root / "docs" / "papers")


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
        return "\n".join(printed.values()) + "\n"
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


def rewrite(page: Path, kinds: Iterable[str]) -> bool:
    """Write the places of these kinds again; false if nothing changed. Raises WrongEndError."""
    before = page.read_text()
    for place in places(page):
        if place.kind in kinds:
            print("\n".join(f"  {command}" for command in place.commands), file=sys.stderr)
            head = _head(place)
            fresh = fresh_text(place)
            text = page.read_text()
            page.write_text(text.replace(head + place.text, head + fresh, 1))
    return page.read_text() != before


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
    kinds = {"outputs": ("output", "refusal"), "measured": ("measured",)}
    given = parser.parse_args()
    chosen = kinds[given.what]
    wrong = False
    for page in [page.resolve() for page in given.pages] or pages():
        try:
            if rewrite(page, chosen):
                print(f"written: {page.relative_to(ROOT)}")
        except WrongEndError as error:
            print(error, file=sys.stderr)
            wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
