"""Collects the messages that abut may print, from the code that prints them.

    python tools/messages.py --markdown library
    python tools/messages.py --markdown command

What differs from time to time stands as `…`.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = ROOT / "python" / "abut"
_ANY = "…"
_LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
_NATIVE = {  # where messages stand after which the program goes on
    "api/profile.cpp": (rf"(?:return|<<) {_LITERALS};", rf"[?:] {_LITERALS}"),
    "base/profile.cpp": (rf"fail\({_LITERALS}\)", rf"constexpr char k\w+\[\] = {_LITERALS}"),
    "api/json_file.cpp": (rf"<< path\s*<< {_LITERALS}",),
    "placement/place.cpp": (rf'\{{"\w+", {_LITERALS}\}}', rf"what\s*<< {_LITERALS}"),
    "plan/start.cpp": (rf"complain\(path, {_LITERALS}\)",),
    "plan/format.cpp": (rf"return {_LITERALS};",),
    "plan/follower.cpp": (rf"return {_LITERALS};",),
}
_GOES_ON, _ENDS = "it goes on", "it is ended"
_FATAL = (
    rf"os::fail\([^;]*?, {_LITERALS}\)",
    rf"constexpr const char \*k\w+ =\s*{_LITERALS};",
    rf"\? {_LITERALS}\s*: \"",
    rf"\? \"[^\"]*\"\s*: {_LITERALS}\);",
    rf"message << {_LITERALS} << name << \"",
)


class Message(NamedTuple):
    """What is said, what mends it (empty where nothing is said), and where it is said."""

    text: str
    fix: str
    where: str


def library_messages() -> Iterator[Message]:
    """What the library prints; `where` is whether the program ends then."""
    folders = ("api", "base", "heap", "os", "placement", "plan", "friends", "offload")
    for path in sorted(ROOT.glob("src/runtime/**/*.[ch]pp")) + sorted(
        ROOT.glob("papers/**/*.[ch]pp")
    ):
        if path.parent.name not in folders:
            continue
        name = "/".join(path.parts[-2:])
        code = path.read_text()
        for patterns, where in ((_NATIVE.get(name, ()), _GOES_ON), (_FATAL, _ENDS)):
            for pattern in patterns:
                for match in re.finditer(pattern, code):
                    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1]))
                    if " " in text and "/proc" not in text:
                        yield Message(text.removesuffix("\\n").removeprefix(": "), "", where)


def command_messages() -> Iterator[Message]:
    """What the command line's errors say; `where` is the module."""
    shared = _constants(ast.parse((_PACKAGE / "places.py").read_text()))
    papers = ROOT / "papers"
    for path in (*sorted(_PACKAGE.rglob("*.py")), *sorted(papers.rglob("*.py"))):
        tree = ast.parse(path.read_text())
        names = shared | _constants(tree)
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if call.func.id not in ("AbutError", "NotHere", "unknown") or not call.args:
                continue
            fixes = [_shown(each.value, names) for each in call.keywords if each.arg == "fix"]
            fixes = [fix for fix in fixes if fix != _ANY]
            text = _shown(call.args[0], names)
            if call.func.id == "unknown":
                text, fixes = f"{text}: there is none called '{_ANY}'", [f"choose of {_ANY}"]
            if re.search(r"[a-z]{3}", text):
                root = _PACKAGE if path.is_relative_to(_PACKAGE) else ROOT
                where = ".".join(path.relative_to(root).with_suffix("").parts)
                yield Message(text, (fixes or [""])[0], where)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    return {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _shown(node: ast.expr, names: dict[str, ast.expr]) -> str:
    """The text of an expression, as far as it is known beforehand."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return re.sub(f"{_ANY}+", _ANY, "".join(_shown(part, {}) for part in parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _shown(left, names) + _shown(right, names)
        case ast.Call(func=ast.Name(id="build_fix"), args=[target]):
            built = _shown(target, names)
            return f"tools/build.sh release {built}, or pip install --force-reinstall abut"
        case ast.Name(id=name) if name in names:
            return _shown(names[name], {})
    return _ANY


def table(messages: Iterator[Message], heads: tuple[str, ...]) -> str:
    """A Markdown table without doubles, by the words."""
    last = len(heads) - 1
    rows = sorted({(*message[:last], message.where) for message in messages}, key=_order)
    cells = [[_cell(cell) for cell in row] for row in rows]
    lines = [heads, ["---"] * len(heads), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _order(row: tuple[str, ...]) -> tuple[str, ...]:
    return (re.sub(r"[^a-z ]", "", row[0].lower()).strip(), *row)


def _cell(text: str) -> str:
    plain = text.replace("|", "\\|").replace("\n", " ").replace("`", "")
    return f"`{plain}`" if " " in plain and plain not in (_GOES_ON, _ENDS) else plain


def main() -> int:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--markdown", action="store_true", required=True)
    parser.add_argument("whose", choices=("library", "command"))
    if parser.parse_args().whose == "library":
        print(table(library_messages(), ("message", "the program")))
    else:
        print(table(command_messages(), ("message", "fix", "module")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
