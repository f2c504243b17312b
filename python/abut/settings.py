"""`NAME=VALUE` settings of the heap, checked against the list that the library declares."""

import re
from collections.abc import Iterable
from pathlib import Path

from abut.errors import USAGE, AbutError, unknown
from abut.library import HeapOption


def environment_of(settings: Iterable[str], options: Iterable[HeapOption]) -> dict[str, str]:
    """The ABUT_* variables that stand for `settings`. Raises AbutError for a bad one."""
    known = {option.name: option for option in options}
    variables: dict[str, str] = {}
    for setting in settings:
        given, equals, value = setting.partition("=")
        name = given.lower().removeprefix("abut_")
        if not equals:
            raise _bad(f"option '{setting}': no value", "write it as NAME=VALUE")
        if name not in known:
            raise unknown("option of the heap", given, known, " (`abut options` explains them)")
        _check_value(known[name], value)
        if variables.setdefault(known[name].variable, value) != value:
            raise _bad(f"option '{name}': two values", "give it once")
    return variables


def _check_value(option: HeapOption, value: str) -> None:
    if option.kind == "number":
        _check_number(option, value)
    elif option.kind == "choice":
        choices = re.findall(r"[\w:-]+", option.range)
        if value not in choices:
            raise unknown(f"value of '{option.name}'", value, choices)
    elif option.name in _MADE_BY:
        _check_file(option.name, value)


_MADE_BY = {"plan": "abut place, or abut tune", "profile": "abut tune"}


def _check_file(name: str, value: str) -> None:
    """The library goes on without what it cannot read; who measures with it must not."""
    if value and not (name == "plan" and value.startswith("@")) and not Path(value).is_file():
        raise _bad(f"{value}: there is no such {name}", f"make one: {_MADE_BY[name]}")


def _check_number(option: HeapOption, value: str) -> None:
    bounds = [int(bound) for bound in re.findall(r"-?\d+", option.range)]
    fix = f"give a whole number within {option.range}"
    if not re.fullmatch(r"-?\d+", value):
        raise _bad(f"option '{option.name}': '{value}' is not a number", fix)
    if len(bounds) == 2 and not bounds[0] <= int(value) <= bounds[1]:  # noqa: PLR2004 (low, high)
        raise _bad(f"option '{option.name}': {value} is out of range", fix)


def _bad(problem: str, fix: str) -> AbutError:
    return AbutError(problem, fix=fix, exit_code=USAGE)
