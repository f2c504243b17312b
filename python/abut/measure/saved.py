"""What `abut compare --output` and `abut tune --json` wrote, read again: nothing is believed."""

import json
from pathlib import Path
from typing import Any

from abut.errors import AbutError, refused

_BEGINNING = 8


# A type, or several; [shape]; {name: shape}, or {...: shape} with any names; (None, shape)
# for what may be null.
_NUMBER, _TEXT = (int, float), (None, str)
_ESTIMATE = {"value": _NUMBER, "low": (None, _NUMBER), "high": (None, _NUMBER)}
_INTERVAL = (None, [_NUMBER])
_PROGRAM = {
    "name": str,
    "command": [str],
    "figures": {...: {...: {"median": _ESTIMATE, "to_reference": (None, _ESTIMATE)}}},
}
_COMPARISON = {
    "benchmarks": [_PROGRAM],
    "reference": str,
    "heaps": [{"name": str}],
    "versions": {...: _TEXT},
    "settings": {"runs": int, "warmup": int, "seed": int, "suite": _TEXT},
    "machine": {
        **dict.fromkeys(("processor", "system", "kernel", "glibc"), str),
        "cores": int,
        "virtual": bool,
    },
}
_TUNING = {
    "command": [str],
    "plan": _TEXT,
    "strategy": _TEXT,
    "why": _TEXT,
    "runs": int,
    "candidates": [{"strategy": str, "to_plain": _INTERVAL}],
    "held_out": [{"command": [str], "to_plain": _INTERVAL}],
}
_BOUNDS = 3  # the value, the low and the high end


def sorted_out(
    paths: list[Path],
) -> tuple[list[Path], list[dict[str, Any]], list[dict[str, Any]]]:
    """What of these are traces, which the comparisons, which the tunings. Raises AbutError."""
    traces: list[Path] = []
    comparisons: list[dict[str, Any]] = []
    tunings: list[dict[str, Any]] = []
    for path in paths:
        document = _object_in(path)
        if document is None:
            traces.append(path)
        elif "benchmarks" in document:
            comparisons.append(_checked(path, document, _COMPARISON))
        elif "candidates" in document:
            tunings.append(_checked(path, document, _TUNING))
        else:
            raise AbutError(
                f"{path}: neither a comparison nor a tuning",
                fix="write one with `abut compare --output` or `abut tune --json`",
            )
    return traces, comparisons, tunings


def _checked(path: Path, document: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    wrong = _wrong(document, shape, "") or _no_winner(document)
    if wrong:
        raise AbutError(
            f"{path}: not as abut writes it: {wrong}",
            fix="write it again with `abut compare --output` or `abut tune --json`",
        )
    return {**document, "file": str(path)}


def _no_winner(document: dict[str, Any]) -> str | None:
    """Of a tuning: what is missing of the plan that it says has won."""
    if not document.get("plan"):
        return None
    won = [one for one in document["candidates"] if one["strategy"] == document["strategy"]]
    return None if won and won[0]["to_plain"] else "strategy: none of the candidates measured"


def _wrong(value: Any, shape: Any, where: str) -> str | None:
    """The first place that is not as it must be."""
    if isinstance(shape, tuple) and shape[0] is None:
        return None if value is None else _wrong(value, shape[1], where)
    if isinstance(shape, (type, tuple)):
        return None if isinstance(value, shape) else f"{where}: {type(value).__name__}"
    if isinstance(shape, list):
        if not isinstance(value, list) or (shape == _INTERVAL[1] and len(value) != _BOUNDS):
            return f"{where}: no list of what it must hold"
        parts = [(one, shape[0], f"{where}[{i}]") for i, one in enumerate(value)]
    else:
        if not isinstance(value, dict):
            return f"{where}: no object"
        named = dict.fromkeys(value, shape[...]) if ... in shape else shape
        if missing := [name for name in named if name not in value]:
            return f"{where}.{missing[0]}: missing".lstrip(".")
        parts = [(value[name], one, f"{where}.{name}") for name, one in named.items()]
    found = (_wrong(one, of, at.lstrip(".")) for one, of, at in parts)
    return next((one for one in found if one), None)


def _object_in(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None for what does not begin as one."""
    try:
        with path.open("rb") as file:
            if not file.read(_BEGINNING).lstrip().startswith(b"{"):
                return None
        found = json.loads(path.read_text(), parse_constant=_no_number)
    except OSError as error:
        raise refused(path, error) from error
    except (ValueError, RecursionError) as error:
        fix = "name what `abut compare --output` or `abut tune --json` wrote"
        raise AbutError(f"{path}: is no JSON: {error}", fix=fix) from error
    return found if isinstance(found, dict) else None


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number")
