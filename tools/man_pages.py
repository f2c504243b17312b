"""Writes the manual pages of the command line, from what it says of itself.

    python tools/man_pages.py FOLDER [--completions SHARE]

One page a verb, and abut(1) before them; and what lets shells complete verbs and options, where
they look for it below a prefix's `share`. CMake runs this when the library or the Python package is
installed, and `make docs` writes the pages into build/man. It needs typer and rich, and nothing
built.
"""

import argparse
import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from abut.cli import VERBS, build_app
from abut.errors import EXITS, RUN_EXITS
from abut.recording.compilers import COMPILERS, run_compiler

_CMAKE = Path(__file__).resolve().parents[1] / "CMakeLists.txt"
_VERSION = re.findall(r"project\(\s*abut\s+VERSION\s+([0-9.]+)", _CMAKE.read_text())[0]
_COMPLETIONS = {
    "bash": "bash-completion/completions/abut",
    "zsh": "zsh/site-functions/_abut",
    "fish": "fish/vendor_completions.d/abut.fish",
}
_ABOUT = "A cache-conscious heap for native Linux programs, and the bench that measures it."


def pages() -> Iterator[tuple[str, str]]:
    """Every page: its file's name, and its text."""
    commands = _commands()
    yield "abut.1", _front_page()
    for verb in VERBS:
        text = _compiler_page(verb) if verb in COMPILERS else _verb_page(verb, commands[verb])
        yield f"abut-{verb}.1", text


def write(folder: Path) -> None:
    """Write the pages there, and take away those of verbs that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = dict(pages())
    for old in folder.glob("*.1"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text)


def write_completions(share: Path) -> None:
    """Write what `abut completion` prints to where each shell looks for it below a `share`."""
    for shell, name in _COMPLETIONS.items():
        script = subprocess.run(
            [sys.executable, "-m", "abut", "completion", shell],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_text(script)


def _commands() -> Any:
    import typer.main

    return typer.main.get_command(build_app(list(VERBS))).commands  # type: ignore[attr-defined]


def _front_page() -> str:
    lines = _head("abut", _ABOUT, "VERB [OPTIONS] [-- PROGRAM ARGS...]")
    lines += [".SH VERBS"]
    for verb, about in VERBS.items():
        lines += [".TP", rf".BR abut\-{_escaped(verb)} (1)", _escaped(about)]
    lines += [".SH OPTIONS", ".TP", r".B \-\-help", "Show the verbs."]
    lines += [".TP", r".B \-\-version", "Show the versions of abut and of its library."]
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXITS.items():
        lines += [".TP", f".B {code}", _escaped(meaning)]
    lines += [".PP", _escaped(RUN_EXITS)]
    lines += [".SH ENVIRONMENT"]
    for name, meaning in (
        ("ABUT_LIBRARY", "the library to use instead of the one that belongs to the package"),
        ("ABUT_OPTION", "an option of the heap, by its name in capitals; see abut-options(1)"),
        ("XDG_CACHE_HOME", "below it, in abut, lie generated inputs and the Valgrind tool"),
    ):
        lines += [".TP", f".B {name}", _escaped(meaning)]
    return "\n".join(lines) + "\n"


def _verb_page(verb: str, command: Any) -> str:
    context = command.make_context(verb, [], resilient_parsing=True)
    lines = _head(f"abut {verb}", VERBS[verb], " ".join(command.collect_usage_pieces(context)))
    lines += [".SH DESCRIPTION", *_prose(command.help)]
    children = getattr(command, "commands", {})
    if not children:
        lines += _parameters(command, context)
    for name, child in children.items():
        inner = child.make_context(name, [], resilient_parsing=True)
        usage = " ".join(child.collect_usage_pieces(inner))
        lines += [f".SH {name.upper()}", f".B abut {verb} {name}", _escaped(usage), ".PP"]
        lines += [*_prose(child.help), *_parameters(child, inner, section=".SS")]
    lines += [".SH SEE ALSO", ".BR abut (1)"]
    return "\n".join(lines) + "\n"


def _compiler_page(verb: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        run_compiler(verb, ["--help"])
    text = said.getvalue().partition("\n")[2]
    lines = _head(f"abut {verb}", VERBS[verb], "ARGUMENTS...")
    lines += [".SH DESCRIPTION", *_prose(text.strip("\n")), ".SH SEE ALSO"]
    return "\n".join([*lines, ".BR abut (1)"]) + "\n"


def _head(name: str, about: str, usage: str) -> list[str]:
    page = name.replace(" ", "-")
    return [
        r".\" Written by tools/man_pages.py from what the command line says.",
        f'.TH "{_escaped(page.upper())}" 1 "" "abut {_VERSION}" "abut"',
        ".SH NAME",
        rf"{_escaped(page)} \- {_escaped(about[0].lower() + about[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {name}",
        _escaped(usage),
    ]


def _parameters(command: Any, context: Any, section: str = ".SH") -> list[str]:
    records = [
        record for each in command.get_params(context) if (record := each.get_help_record(context))
    ]
    lines = [f"{section} OPTIONS"] if records else []
    for names, meaning in records:
        lines += [".TP", f".B {_escaped(names)}", _escaped(" ".join(meaning.split()))]
    return lines


def _prose(text: str) -> Iterable[str]:
    """Paragraphs as such, and what is indented as it stands."""
    for block in re.split(r"\n\n+", text):
        if block.startswith("    "):
            shown = (_escaped(line[4:]) for line in block.splitlines())
            yield from (".PP", ".RS 4", ".nf", *shown, ".fi", ".RE")
        elif block.strip():
            yield from (".PP", _escaped(" ".join(block.split())))


def _escaped(text: str) -> str:
    """Text that troff shows as it is; what stands in backquotes becomes bold."""
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    bold = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", plain)
    return rf"\&{bold}" if bold.startswith((".", r"\(aq")) else bold


def main() -> int:
    """Write the pages into the folder that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--completions", metavar="SHARE", type=Path)
    settings = parser.parse_args()
    write(settings.folder)
    if settings.completions is not None:
        write_completions(settings.completions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
