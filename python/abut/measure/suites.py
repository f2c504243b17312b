"""The benchmarks as their TOML files declare them: checked on reading, nothing run.

Errors name the file, the benchmark and the key.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abut.errors import AbutError, unknown

SCHEMA = 1
PLACEHOLDERS = frozenset({"bin", "cc1", "bench", "work", "python"})
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KINDS = ("own", "real")
_OUTPUTS = ("compare", "ignore")
_REQUIRED = ("name", "about", "kind", "command", "suites")
_KEYS = (*_REQUIRED, "prepare", "stdin", "env", "needs", "output", "sizes", "each")


@dataclass(frozen=True, slots=True)
class Need:
    """A program that must be in PATH, and the Debian package that brings it."""

    program: str
    package: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One declared benchmark; texts still hold their placeholders."""

    name: str
    about: str
    kind: str
    command: tuple[str, ...]
    prepare: tuple[str, ...]
    stdin: str | None
    env: Mapping[str, str]
    needs: tuple[Need, ...]
    output: str
    suites: tuple[str, ...]
    sizes: Mapping[str, Mapping[str, str]]
    file: Path


def load_benchmarks(folder: Path) -> list[Benchmark]:
    """Every benchmark that the TOML files in `folder` declare, in order of file and place."""
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise AbutError(
            f"{folder}: no suites (*.toml) here", fix="install abut with its benchmarks"
        )
    found: dict[str, Benchmark] = {}
    for file in files:
        for benchmark in _read_file(file):
            if earlier := found.get(benchmark.name):
                raise AbutError(
                    f"{file}: benchmark '{benchmark.name}' is declared in {earlier.file} too",
                    fix="give one of them another name",
                )
            found[benchmark.name] = benchmark
    return list(found.values())


def choose(benchmarks: Sequence[Benchmark], suite: str, only: Sequence[str]) -> list[Benchmark]:
    """Those of `suite`, or of them those named in `only`. Raises AbutError for unknown names."""
    chosen = [benchmark for benchmark in benchmarks if suite in benchmark.suites]
    if not chosen:
        names = sorted({name for benchmark in benchmarks for name in benchmark.suites})
        raise unknown("suite", suite, names)
    names = [benchmark.name for benchmark in chosen]
    for name in only:
        if name not in names:
            raise unknown(f"benchmark of suite '{suite}'", name, names)
    return [benchmark for benchmark in chosen if not only or benchmark.name in only]


def _read_file(file: Path) -> list[Benchmark]:
    try:
        document = tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AbutError(f"{file}: not valid TOML: {error}", fix="correct that place") from error
    if document.get("schema") != SCHEMA:
        raise AbutError(
            f"{file}: schema is {document.get('schema')!r}, and this abut reads {SCHEMA}",
            fix=f"begin the file with `schema = {SCHEMA}`",
        )
    if unknown := set(document) - {"schema", "common", "benchmark"}:
        raise AbutError(f"{file}: unknown key '{min(unknown)}'", fix="remove it")
    entries = document.get("benchmark", [])
    if not isinstance(entries, list):
        raise AbutError(f"{file}: 'benchmark' is not a list", fix="write [[benchmark]]")
    common = document.get("common", {})
    if not isinstance(common, dict):
        raise AbutError(f"{file}: 'common' is not a table", fix="write [common]")
    return [
        _Reader(file, variant, number).read()
        for number, entry in enumerate(entries, 1)
        for variant in _Reader(file, _with_common(entry, common), number).variants()
    ]


def _with_common(entry: dict[str, Any], common: dict[str, Any]) -> dict[str, Any]:
    """The table with what is common to all of the file; so its sizes."""
    both = common | entry
    if all(isinstance(each.get("sizes"), dict) for each in (common, entry)):
        both["sizes"] = common["sizes"] | entry["sizes"]
    return both


class _Reader:
    """Reads one [[benchmark]] table, complaining with its place."""

    def __init__(self, file: Path, entry: dict[str, Any], number: int) -> None:
        self._file = file
        self._entry = entry
        self._where = f"{file}: benchmark {number} ({entry.get('name', 'unnamed')})"
        if unknown := set(self._entry) - set(_KEYS):
            raise self._bad(min(unknown), "is unknown", f"the keys are {', '.join(_KEYS)}")
        for key in _REQUIRED:
            if key not in self._entry:
                raise self._bad(key, "is missing", "add it")

    def variants(self) -> list[dict[str, Any]]:
        """The table once for each row of `each`, with the row's values for its keys in braces."""
        table = {key: value for key, value in self._entry.items() if key != "each"}
        if "each" not in self._entry:
            return [table]
        rows = self._entry["each"]
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise self._bad("each", "is not a list of tables", "write each = [{ size = 24 }]")
        if any(set(row) != set(rows[0]) for row in rows):
            raise self._bad("each", "has rows of different keys", "give all rows the same keys")
        used = set(_PLACEHOLDER.findall(str(table)))
        taken = PLACEHOLDERS.union(*self._sizes().values())
        for key in rows[0]:
            if key in taken:
                raise self._bad("each", f"has '{key}', which has a meaning", "choose another name")
            if key not in used:
                raise self._bad("each", f"has '{key}' for nothing", f"write {{{key}}} in a text")
        return [_with_row(table, row) for row in rows]

    def read(self) -> Benchmark:
        stdin = self._text("stdin") if "stdin" in self._entry else None
        benchmark = Benchmark(
            name=self._name(),
            about=self._text("about"),
            kind=self._one_of("kind", _KINDS),
            command=self._texts("command"),
            prepare=self._texts("prepare") if "prepare" in self._entry else (),
            stdin=stdin,
            env=self._table("env"),
            needs=self._needs(),
            output=self._one_of("output", _OUTPUTS) if "output" in self._entry else "compare",
            suites=self._texts("suites"),
            sizes=self._sizes(),
            file=self._file,
        )
        self._check_placeholders(benchmark)
        return benchmark

    def _bad(self, key: str, problem: str, fix: str) -> AbutError:
        return AbutError(f"{self._where}: key '{key}' {problem}", fix=fix)

    def _name(self) -> str:
        name = self._text("name")
        if not _NAME.fullmatch(name):
            raise self._bad("name", f"is '{name}'", "use a-z, 0-9 and single hyphens")
        return name

    def _text(self, key: str) -> str:
        value = self._entry[key]
        if not isinstance(value, str) or not value:
            raise self._bad(key, "is not a text", "give a text in quotes")
        return value

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._entry[key]
        if not isinstance(value, list) or not value or not all(isinstance(i, str) for i in value):
            raise self._bad(key, "is not a list of texts", "give at least one, in quotes")
        return tuple(value)

    def _one_of(self, key: str, allowed: Sequence[str]) -> str:
        value = self._text(key)
        if value not in allowed:
            raise self._bad(key, f"is '{value}'", f"choose of {', '.join(allowed)}")
        return value

    def _table(self, key: str) -> dict[str, str]:
        value = self._entry.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(i, str) for i in value.values()):
            raise self._bad(key, "is not a table of texts", "give texts in quotes")
        return value

    def _needs(self) -> tuple[Need, ...]:
        value = self._entry.get("needs", [])
        fix = 'write needs = [{ program = "...", package = "..." }]'
        if not isinstance(value, list):
            raise self._bad("needs", "is not a list", fix)
        for need in value:
            if not isinstance(need, dict) or set(need) != {"program", "package"}:
                raise self._bad("needs", "has an entry that is no program and package", fix)
        return tuple(Need(str(need["program"]), str(need["package"])) for need in value)

    def _sizes(self) -> dict[str, dict[str, str]]:
        value = self._entry.get("sizes", {})
        if not isinstance(value, dict) or not all(isinstance(i, dict) for i in value.values()):
            raise self._bad(
                "sizes", "is not a table of tables", "write sizes.quick = { count = 9 }"
            )
        suites = self._texts("suites")
        if value and (lacking := set(suites) - set(value)):
            raise self._bad("sizes", f"lacks '{min(lacking)}'", "give a size for every suite")
        return {size: {k: str(v) for k, v in keys.items()} for size, keys in value.items()}

    def _check_placeholders(self, benchmark: Benchmark) -> None:
        texts = [*benchmark.command, *benchmark.prepare, *benchmark.env.values()]
        texts.append(benchmark.stdin or "")
        used = {name for text in texts for name in _PLACEHOLDER.findall(text)}
        for suite in benchmark.suites:
            known = PLACEHOLDERS | set(benchmark.sizes.get(suite, {}))
            if unknown := used - known:
                raise AbutError(
                    f"{self._where}: '{{{min(unknown)}}}' stands for nothing in suite '{suite}'",
                    fix=f"the placeholders are {', '.join(sorted(known))}",
                )


def _with_row(value: Any, row: Mapping[str, Any]) -> Any:
    """`value` with the row's values in all its texts; a list stands for several words of a list."""
    if isinstance(value, dict):
        return {key: _with_row(held, row) for key, held in value.items()}
    if isinstance(value, list):
        parts = [_with_row(held, row) for held in value]
        return [word for part in parts for word in (part if isinstance(part, list) else [part])]
    if isinstance(value, str):
        lists = {f"{{{key}}}": held for key, held in row.items() if isinstance(held, list)}
        texts = {key: str(held) for key, held in row.items() if not isinstance(held, list)}
        return lists.get(value, expand(value, texts))
    return value


def expand(text: str, values: Mapping[str, str]) -> str:
    """`text` with its placeholders replaced; other braces are left alone."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
