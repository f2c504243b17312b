"""The profile: a small text file with the settings that won for a program, and how they did.

It is TOML of the kind that the library reads itself when the program starts: tables, lists of them,
texts without escapes, whole numbers. What was measured stands in comments, which merging keeps.
"""

import re
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from abut.errors import AbutError, refused
from abut.library import load_library
from abut.settings import environment_of
from abut.tuning.policies import Policy

FORMAT = 1
_MOST_BYTES = 64 << 10
_MOST_COMMENT = 400  # characters
_FIX = "make it again with `abut tune`"
_LINE = re.compile(r'\s*(\[\w+\]|\[\[\w+\]\]|[a-z0-9_]+\s*=\s*("[^"\\\x00-\x1f]*"|\d+))?\s*(#.*)?')
_TABLES = {
    "program": {"name", "build_id", "objective"},
    "machine": {"processor", "cores", "system"},
}
_NOT_HERE = ("profile", "stats", "explain_file")
_LISTS: dict[str, dict[str, type]] = {
    "module": {"name": str, "build_id": str},
    "context": {"calls": str},
}
_PLACES: dict[str, type] = {"pool": int, "place": str}  # one of these, beside a context's calls
_CALL = re.compile(r"\S+\+0x[0-9a-f]{1,16}(\([^\s()]*\))?")
PLAIN, BESIDE = "plain", "beside"
MOST_MODULES, MOST_CONTEXTS, MOST_POOLS, MOST_CALLS = 32, 256, 254, 4


class Assigned(NamedTuple):
    """A context and where its objects go: to the pool of a number, "plain" to the plain heap, or
    "beside" their friends. `calls` are MODULE+0xOFFSET(FUNCTION), the innermost first. In another
    build of the module, any call in the function is meant.
    """

    calls: str
    place: int | str

    @property
    def where(self) -> str:
        """The place, for a reader."""
        return f"pool {self.place}" if isinstance(self.place, int) else self.place


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings by option, for the program that was measured on a machine; a file's plan lies in its
    folder. `evidence` are lines of comment; `modules` the build-ids of what contexts call in;
    `objective` is what it was tuned for, where that is known.
    """

    program: str
    build_id: str
    machine: Mapping[str, str | int]
    settings: Mapping[str, str]
    evidence: Sequence[str] = field(default_factory=list)
    modules: Mapping[str, str] = field(default_factory=dict)
    contexts: Sequence[Assigned] = ()
    objective: str = ""


def profile_text(profile: Profile) -> str:
    """The file's contents. Raises AbutError where they are too long."""
    comments = [f"# {_one_line(line)}"[:_MOST_COMMENT] for line in profile.evidence]
    lines = [
        *comments,
        f"profile = {FORMAT}",
        "",
        "[program]",
        *_entries({"name": profile.program, "build_id": profile.build_id}),
        *(_entries({"objective": profile.objective}) if profile.objective else []),
        "",
        "[machine]",
        *_entries(profile.machine),
        "",
        "[settings]",
        *_entries({n: int(v) if v.isdecimal() else v for n, v in profile.settings.items()}),
    ]
    for name, build_id in profile.modules.items():
        lines += ["", "[[module]]", *_entries({"name": name, "build_id": build_id})]
    for context in profile.contexts:
        place = "pool" if isinstance(context.place, int) else "place"
        entries = {"calls": context.calls, place: context.place}
        lines += ["", "[[context]]", *_entries(entries)]
    text = "\n".join(lines) + "\n"
    if len(text.encode()) > _MOST_BYTES:
        raise AbutError(
            "the profile is longer than 64 KiB",
            fix="merge fewer, or delete comments",
        )
    return text


def read_profile(path: Path) -> Profile:
    """The profile in a file. Raises AbutError that says where it is wrong."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise _bad(path, "it is longer than 64 KiB")
        text = content.decode()
        document = tomllib.loads(text)
    except OSError as error:
        raise refused(path, error) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(path, f"is no TOML: {error}") from error
    _check(path, text, document)
    settings = {name: str(value) for name, value in document.get("settings", {}).items()}
    options = load_library().options()
    if odd := settings.keys() - {option.name for option in options}:
        raise _bad(path, f"{min(odd)}: there is no such option of the heap")
    environment_of(
        [f"{name}={value}" for name, value in settings.items() if name != "plan"], options
    )
    plan = settings.get("plan")
    if plan and not (path.absolute().parent / plan).is_file():
        raise _bad(path, f"its plan {plan} is not there")
    found = document.get("context", [])
    return Profile(
        document["program"].get("name", ""),
        document["program"].get("build_id", ""),
        document.get("machine", {}),
        settings,
        [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")],
        {one["name"]: one["build_id"] for one in document.get("module", [])},
        [Assigned(one["calls"], one.get("pool", one.get("place"))) for one in found],
        document["program"].get("objective", ""),
    )


def policy_of(path: Path, profile: Profile) -> Policy:
    """The settings of a profile that was read from a file, to be measured."""
    settings = dict(profile.settings)
    if "plan" in settings:
        settings["plan"] = str(path.absolute().parent / settings["plan"])
    if profile.contexts:
        settings["profile"] = str(path.absolute())
    return Policy(path.name, settings)


def merged(profiles: Mapping[Path, Profile], folder: Path) -> Profile:
    """One for a folder with the settings of all, and the contexts of the one that has some; program
    and machine are the last one's.

    Raises AbutError where they are for different programs, or contradict each other, or where their
    plan lies in another folder.
    """
    settings: dict[str, str] = {}
    evidence: list[str] = []
    origins: dict[str, Path] = {}
    first, *_, last = profiles.values()
    assigning = {tuple(one.contexts): one for one in profiles.values() if one.contexts}
    if len(assigning) > 1:
        raise AbutError(
            "several of them assign places to contexts, and differently",
            fix="merge one of them, or tune with the inputs of all: --train, --train",
        )
    for path, profile in profiles.items():
        if profile.program != first.program:
            raise AbutError(
                f"{path}: is for {profile.program}, and the first for {first.program}",
                fix="merge profiles of one program",
            )
        own = dict(profile.settings)
        if "plan" in own:  # two of one name are two
            own["plan"] = str(path.parent.resolve() / own["plan"])
        for name, value in own.items():
            if settings.setdefault(name, value) != value:
                raise AbutError(
                    f"{path}: {name} is {value}, and {settings[name]} in {origins[name]}",
                    fix="delete one of the two lines, or tune with both inputs: --train, --train",
                )
            origins.setdefault(name, path)
        evidence += [f"from {path.name}:", *profile.evidence]
    modules = {name: one.modules[name] for one in assigning.values() for name in one.modules}
    contexts = [one for contexts in assigning for one in contexts]
    if plan := settings.get("plan"):
        settings["plan"] = Path(plan).name
        if Path(plan).parent != folder.resolve():
            raise AbutError(
                f"{plan}: a profile lies in the folder of its plan",
                fix=f"name an output in {Path(plan).parent}",
            )
    objectives = {one.objective for one in profiles.values()}
    return replace(
        last,
        settings=settings,
        evidence=evidence,
        modules=modules,
        contexts=contexts,
        objective=last.objective if len(objectives) == 1 else "",
    )


def _check(path: Path, text: str, document: Mapping[str, Any]) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if not _LINE.fullmatch(line):
            raise _bad(path, f"line {number}: neither [TABLE] nor NAME = VALUE")
    if not text.endswith("\n"):
        raise _bad(path, "its last line is cut off")
    if document.get("profile") != FORMAT:
        raise _bad(path, f"it does not begin with `profile = {FORMAT}`")
    for name in sorted(document.keys() - {"profile", *_LISTS}):
        _check_table(path, name, document[name])
    for name in _LISTS:
        _check_list(path, name, document.get(name, []), document.get("module", []))
    if not document.get("settings") and not document.get("context"):
        raise _bad(path, "it has no settings")
    if "program" not in document:
        raise _bad(path, "it does not name the program")


def _check_table(path: Path, name: str, table: object) -> None:
    if name not in ("settings", *_TABLES):
        raise _bad(path, f"{name}: this version has no such table")
    if not isinstance(table, Mapping):
        raise _bad(path, f"{name} is no table")
    if name in _TABLES and (odd := table.keys() - _TABLES[name]):
        raise _bad(path, f"[{name}] has no {min(odd)}")
    if name == "program" and not all(isinstance(one, str) for one in table.values()):
        raise _bad(path, "[program] has texts")
    for one in _NOT_HERE:
        if name == "settings" and one in table:
            raise _bad(path, f"{one} is not for a profile to set")


def _check_list(path: Path, name: str, entries: Any, modules: Any) -> None:
    if not isinstance(entries, list):
        raise _bad(path, f"[[{name}]] begins an entry of it, not [{name}]")
    most = MOST_MODULES if name == "module" else MOST_CONTEXTS
    if len(entries) > most:
        raise _bad(path, f"there are more than {most} of [[{name}]]")
    for one in entries:
        wanted = dict(_LISTS[name])
        if name == "context":
            place = next((key for key in _PLACES if key in one), "pool")
            wanted[place] = _PLACES[place]
        if one.keys() != wanted.keys() or not all(type(one[key]) is wanted[key] for key in wanted):
            raise _bad(path, f"[[{name}]] has {' and '.join(wanted)}, and nothing else")
        if name == "context":
            _check_context(path, one, {module.get("name") for module in modules})


def _check_context(path: Path, context: Mapping[str, Any], modules: Container[Any]) -> None:
    calls = context["calls"].split(" ")
    if len(calls) > MOST_CALLS or not all(_CALL.fullmatch(call) for call in calls):
        raise _bad(path, f"calls are up to {MOST_CALLS} of MODULE+0xOFFSET(FUNCTION)")
    for module in sorted(call.rpartition("+0x")[0] for call in calls):
        if module not in modules:
            raise _bad(path, f"{module}: there is no [[module]] of that name")
    if not 1 <= context.get("pool", 1) <= MOST_POOLS:
        raise _bad(path, f"pools are numbered from 1 to {MOST_POOLS}")
    if context.get("place", PLAIN) not in (PLAIN, BESIDE):
        raise _bad(path, f"a context's place is {PLAIN} or {BESIDE}")


def _bad(path: Path, why: str) -> AbutError:
    return AbutError(f"{path}: {why}", fix=_FIX)


def _entries(table: Mapping[str, str | int]) -> list[str]:
    return [
        f"{name} = {value}" if isinstance(value, int) else f'{name} = "{_plain(value)}"'
        for name, value in table.items()
    ]


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _plain(text: str) -> str:
    """Without what would have to be escaped."""
    return _one_line(text).replace('"', "'").replace("\\", "/")
