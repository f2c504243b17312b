"""Shows headers as their users need them: comments and public declarations, without bodies.

    python tools/interface.py --markdown include/abut/allocator.hpp ...

It reads what the house's own headers are written in, not all of C++. Comments stand before what
they explain; what is in a namespace `detail` or behind `private:` is not shown.
"""

import argparse
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<blank>\n[ \t]*\n)
    |(?P<mark>[{};]|\b(?:public|private|protected)[ ]*:(?!:))
    |(?P<other>.)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_TYPE = re.compile(r"^(?:template\s*<.*?>\s*(?:requires[^{]*?)?)?(class|struct|union)\b", re.DOTALL)
_HIDDEN = ("friend ", "static_assert", "using namespace", "__attribute__", 'extern "C" __attr')
_LONG = 100


@dataclass(slots=True)
class Item:
    """A declaration with what is said of it; a type has members of its own."""

    comment: str
    text: str
    after: str = ""
    members: "list[Item] | None" = None

    def lines(self) -> list[str]:
        """As it is shown."""
        shown = self.comment.splitlines() + self.text.splitlines()
        if self.text.startswith("namespace"):
            return [f"{self.text} {{", "", *_spaced(self.members or []), "", "}"]
        if self.members is None:
            shown[-1] += self.after
            return shown
        if not self.members:
            return [*shown[:-1], shown[-1] + " {};"]
        shown[-1] += " {"
        for member in self.members:
            shown += ["  " + line if line else "" for line in member.lines()]
        return [*shown, "};"]


@dataclass(slots=True)
class _Reader:
    """The header's tokens, and how far they have been read."""

    tokens: list[tuple[str, str]]
    at: int = 0
    comment: list[str] = field(default_factory=list)

    def items(self, *, public: bool = True) -> list[Item]:
        """What is declared up to the closing brace or the end."""
        found: list[Item] = []
        shown, text = public, ""
        while self.at < len(self.tokens):
            kind, token = self.tokens[self.at]
            self.at += 1
            if kind == "comment" and not text.strip():
                self._take_comment(token, found)
            elif kind == "blank" and not text.strip():
                self.comment.clear()
            elif kind == "mark" and token == "}":
                break
            elif kind == "mark" and token[-1] == ":":
                shown, text = token.startswith("public"), ""
                self.comment.clear()
            elif kind == "mark" and token == "{" and _is_open(text):
                text += f"{{{self._skip()}}}"
            elif kind == "mark":
                new = self._declared(_tidy(text), token)
                found += new if shown else []
                text = ""
            elif kind not in ("comment", "directive"):
                text += token
        return found

    def _take_comment(self, token: str, found: list[Item]) -> None:
        """Before a declaration, or on the line behind one."""
        token = re.sub(r"\s*(//|:)?\s*NOLINT.*", "", token)
        behind = "\n" not in self._text_before()
        if behind and found and token:
            found[-1].after = f" {token}"
        elif token.strip("/ "):
            self.comment.append(textwrap.dedent(re.sub(r"\n ?", "\n ", token)))

    def _text_before(self) -> str:
        """What stands between this comment and the mark or comment before it."""
        text, at = "", self.at - 2
        while at >= 0 and self.tokens[at][0] == "other":
            text, at = self.tokens[at][1] + text, at - 1
        return text if at >= 0 and self.tokens[at][1] == ";" else "\n"

    def _declared(self, text: str, mark: str) -> list[Item]:
        """The declaration that ends here, or whose braces begin."""
        comment = "\n".join(self.comment)
        self.comment.clear()
        kind = _TYPE.match(text)
        if mark == ";":
            new = [Item(comment, f"{text};")]
        elif text.startswith("extern"):
            new = self.items()
        elif text.startswith("namespace"):
            inner = self.items()
            new = [Item("", text, members=inner)] if inner else []
        elif text.startswith("enum"):
            new = [Item(comment, f"{text} {{{self._skip()}}};")]
        elif kind:
            new = [Item(comment, text, members=self.items(public=kind[1] != "class"))]
        else:
            new = [Item(comment, f"{self._signature(text)};")]
        hidden = not text or text.startswith(_HIDDEN) or text in ("namespace", "namespace detail")
        return [] if hidden else new

    def _signature(self, text: str) -> str:
        """Of a function or variable, whose body or value is passed over."""
        body = f"{{{self._skip()}}}"
        if " = " in _outside(text.rpartition("\n")[2]) or ")" not in text:
            while self.tokens[self.at][1] != ";":
                body += self.tokens[self.at][1]
                self.at += 1
            self.at += 1
            whole = re.sub(r"=\{", "= {", text + body)
            return whole if len(whole) < _LONG else re.split(r" = ?", text)[0]
        return re.split(r"(?<=[)\w])\s*(?<!:):(?!:)", text)[0]

    def _skip(self) -> str:
        """Past the closing brace; what stood before it."""
        depth, text = 1, ""
        while depth:
            _, token = self.tokens[self.at]
            self.at += 1
            depth += (token == "{") - (token == "}")
            text += token if depth else ""
        return text


def _is_open(text: str) -> bool:
    """Whether a parenthesis or the list of a template's parameters has not ended yet."""
    if text.count("(") > text.count(")"):
        return True
    return text.lstrip().startswith("template") and text.count("<") > text.count(">")


def _outside(text: str) -> str:
    """The text without what stands in parentheses, such as default arguments."""
    while (inner := re.sub(r"\([^()]*\)", "", text)) != text:
        text = inner
    return text


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return (
        re.sub(r"^(template <.*?>) (?=\w)", r"\1\n", text) if text.startswith("template") else text
    )


def interface(header: str) -> str:
    """The header's lead, and its public declarations."""
    tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(header)]
    lead = []
    for kind, token in tokens:
        if kind != "comment":
            if token.strip():
                break
            if kind == "blank":
                break
            continue
        lead.append(token)
    items = _Reader(tokens[2 * len(lead) :]).items()
    return "\n".join([*lead, "", *_spaced(items)])


def _spaced(items: list[Item]) -> list[str]:
    """The lines of all, with a space before what has a comment or members."""
    lines: list[str] = []
    for item in items:
        if lines and (item.comment or item.members is not None or lines[-1] == "};"):
            lines.append("")
        lines += item.lines()
    return lines


def markdown(path: Path) -> str:
    """A section of a page: the header's name, and its interface as code."""
    language = "c" if path.suffix == ".h" else "cpp"
    name = path.as_posix().removeprefix("include/")
    return f"## `{name}`\n\n```{language}\n{interface(path.read_text())}\n```\n"


def main() -> int:
    """Print the sections of the headers that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--markdown", action="store_true", help="as sections of a page")
    parser.add_argument("headers", nargs="+", type=Path)
    given = parser.parse_args()
    show = markdown if given.markdown else (lambda path: interface(path.read_text()) + "\n")
    print("\n".join(show(path) for path in given.headers), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
