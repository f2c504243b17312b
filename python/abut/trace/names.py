"""Names for what a call chain allocates: the user's function, not what serves it, and the type.

`std::map<int, Order> node in Book::add, book.cpp:41`. The rules are data: see names.toml.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from abut.errors import AbutError, refused
from abut.trace.symbols import Place

OWN_RULES = Path("abut-names.toml")
_RULES = Path(__file__).with_name("names.toml")
_ANONYMOUS = "(anonymous namespace)"
_SUFFIX = re.compile(r"(?: const| volatile| &&?| \[clone [^]]*\]|::h[0-9a-f]{16})+$")
_INLINE = re.compile(r"\b__(?:cxx11|1|ndk1)::")
_BRACKETS = {ord("<"): 2, ord(">"): 3}  # of operators: they enclose nothing
_NUMBER = re.compile(r"(?<=[\d])(?:ul|u|l)\b")


@dataclass(frozen=True, slots=True)
class TypeRule:
    """Objects are `name` where a function's name holds `template`, its first argument `inside`; or
    where a function is of a source `file`.
    """

    name: str
    template: str = ""
    inside: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What names.toml holds."""

    prefixes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    shorter: tuple[tuple[str, str], ...] = ()
    types: tuple[TypeRule, ...] = ()

    def serves(self, place: Place) -> bool:
        """Whether a step of a chain only serves the program's own."""
        if place.function is None:
            return Path(place.module).name.startswith(self.modules)
        name = short_name(place.function)
        return (
            name.startswith(self.prefixes)
            or (place.file or "").startswith(self.files or ("\0",))
            or _any_of(self.patterns).fullmatch(name) is not None
            or Path(place.module).name.startswith(self.modules)
        )


@dataclass(frozen=True, slots=True)
class Name:
    """What a context allocates, where. `type` is empty where nothing tells it."""

    type: str
    function: str
    file: str
    line: int
    step: int  # of the chain: the first that is the program's own

    @property
    def where(self) -> str:
        """The function, and its place in the source where that is known."""
        place = f", {Path(self.file).name}:{self.line}" if self.file else ""
        return f"{self.function}{place}"

    def said(self, otherwise: str = "objects") -> str:
        """What, in which function; `otherwise` in place of the type where there is none."""
        return f"{self.type or otherwise} in {self.where}"


def read_rules(more: Path | None = None) -> Rules:
    """The rules that come with abut, after those of a file; of OWN_RULES if there is one and no
    other is named. Raises AbutError.
    """
    path = more or (OWN_RULES if OWN_RULES.is_file() else None)
    files = [path, _RULES] if path else [_RULES]
    parts = [_read(file) for file in files]
    names = [field.name for field in fields(Rules)]
    return Rules(**{name: sum((getattr(part, name) for part in parts), ()) for name in names})


def _read(path: Path) -> Rules:
    try:
        table = tomllib.loads(path.read_text())
        types = [dict(one) for one in table.pop("type", [])]
        shorter = dict(table.pop("shorter", {}))
        for one in (shorter, *types):
            _words([*one.values()])
        lists = {name: _words(values) for name, values in table.items()}
        for pattern in lists.get("patterns", ()):
            re.compile(pattern)
        kinds = tuple(TypeRule(**one) for one in types)
        return Rules(**lists, shorter=tuple(shorter.items()), types=kinds)
    except OSError as error:
        raise refused(path, error) from error
    except (TypeError, ValueError, re.error) as error:
        fix = "see names.toml, beside abut's trace/names.py, for the form"
        raise AbutError(f"{path}: {error}", fix=fix) from error


def _words(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError(f"{values!r} is no list of words")
    return tuple(values)


def name_of(places: Sequence[Place], rules: Rules) -> Name:
    """The name of what a chain allocates; the chain's innermost place comes first."""
    if not places:
        return Name("", "unknown code", "", 0, 0)
    last = len(places) - 1
    step = next((n for n, place in enumerate(places) if not rules.serves(place)), last)
    own = places[step]
    function = readable(short_name(own.function), rules) if own.function else str(own)
    kind = type_in(places[:step], rules)
    return Name(kind, function, own.file or "", own.line or 0, step)


def type_in(places: Sequence[Place], rules: Rules) -> str:
    """The type that these functions tell, by the first rule that fits one of them."""
    functions = [one.function for one in places if one.function]
    files = {Path(one.file).name for one in places if one.file}
    for rule in rules.types:
        if rule.file in files:
            return rule.name
        for function in _outermost(functions, rule.template):
            for arguments in template_arguments(function, rule.template):
                if rule.inside and not arguments[0].startswith(f"{rule.inside}<"):
                    continue
                inner = next(template_arguments(arguments[0], rule.inside)) if rule.inside else None
                cleaned = [
                    readable(one.removesuffix(" const"), rules) for one in inner or arguments
                ]
                with suppress(IndexError):  # fewer than the name needs
                    return readable(rule.name.format(*cleaned), rules)
    return ""


def _outermost(functions: Sequence[str], template: str) -> list[str]:
    """Of the first functions in a row that have the template, the last. Compilers make one of equal
    functions of several types, so that the others may be named after another type.
    """

    def has(function: str) -> bool:
        return bool(template) and any(template_arguments(function, template))

    return list(takewhile(has, dropwhile(lambda one: not has(one), functions)))[-1:]


@cache
def short_name(function: str) -> str:
    """A demangled function without its result, template arguments and parameters."""
    text = function.replace(_ANONYMOUS, "{anonymous}").replace("operator()", "operator\0")
    text = re.sub(r"operator[-<>=]+", lambda found: found[0].translate(_BRACKETS), text)
    text = re.sub(r"\{lambda\([^{}]*\)(#\d+)\}", r"{lambda\1}", text)
    kept, depth = [], 0
    for letter in text:
        depth += letter in "<("
        if depth == 0:
            kept.append(letter)
        depth -= letter in ">)" and depth > 0
    plain = _SUFFIX.sub("", "".join(kept)).strip()
    begin = plain.find("operator ")
    head, tail = (plain[:begin], plain[begin:]) if begin >= 0 else (plain, "")
    name = head.rpartition(" ")[2] + tail
    name = name.translate({there: here for here, there in _BRACKETS.items()})
    return _INLINE.sub("", name.replace("\0", "()").replace("{anonymous}::", "")) or function


def template_arguments(text: str, template: str) -> Iterator[list[str]]:
    """The arguments of each `template<...>` in a text."""
    text = _INLINE.sub("", text)
    at = text.find(template + "<")
    while at >= 0:
        begin = at + len(template) + 1
        if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_:"):
            yield _split(text, begin)[0]
        at = text.find(template + "<", begin)


def _split(text: str, begin: int) -> tuple[list[str], int]:
    """The arguments that begin there, and where their `>` is."""
    parts, depth, start, at = [], 0, begin, begin
    while at < len(text):
        letter = text[at]
        if depth == 0 and letter in ",>":
            parts.append(text[start:at].strip())
            start = at + 1
            if letter == ">":
                break
        depth += (letter in "<(") - (letter in ">)")
        at += 1
    return parts, at


def readable(text: str, rules: Rules) -> str:
    """A type as one would write it: without arguments that stand there by default."""
    written, at = [], 0
    text = _NUMBER.sub("", _INLINE.sub("", text))
    while at < len(text):
        if text[at] == "<" and at and (text[at - 1].isalnum() or text[at - 1] in "_:"):
            parts, at = _split(text, at + 1)
            usual = tuple(f"{one}<" for one in rules.defaults)
            kept = [readable(one, rules) for one in parts if not (one + "<").startswith(usual)]
            written.append(f"<{', '.join(kept)}>" if kept else "")
        else:
            written.append(text[at])
        at += 1
    found = "".join(written)
    for long, short in rules.shorter:
        found = found.replace(long, short)
    return found


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns) or r"(?!)")
