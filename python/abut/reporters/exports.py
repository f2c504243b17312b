"""Costs by context in the formats of other tools' viewers."""

import csv
import io
import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import abut
from abut.simulation.costs import Costs
from abut.trace.names import Rules, name_of
from abut.trace.reader import Info
from abut.trace.symbols import Place

SPEEDSCOPE_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_KINDS, _CALLED = ("ob", "fl", "fn"), ("cob", "cfi", "cfn")
_UNKNOWN = Place("", 0, "unknown")


def collapsed(costs: Costs, figure: str) -> str:
    """A line a stack, as flamegraph.pl and its kin read it: frames, the outermost first; a cost."""
    number = list(costs.figures).index(figure)
    lines = []
    for stack in costs.stacks:
        weight = costs.of(stack)[number]
        if weight:
            names = [name.replace(";", ":") for name in stack.names]
            lines.append(f"{';'.join(names)} {weight}\n")
    return "".join(lines)


def table(costs: Costs, rules: Rules) -> str:
    """CSV: a row a context, with what it allocates where, and a column a figure."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["context", "type", "function", "file", "line", *costs.figures])
    for stack in costs.stacks:
        name = name_of(list(stack.places)[::-1], rules)
        rows.writerow(
            [stack.owner, name.type, name.function, name.file, name.line or "", *costs.of(stack)]
        )
    return out.getvalue()


def speedscope(costs: Costs, info: Info) -> str:
    """JSON for speedscope.app: a profile a figure, all of the same frames."""
    numbers: dict[tuple[Any, ...], int] = {}
    frames: list[dict[str, Any]] = []
    samples: list[list[int]] = []
    for stack in costs.stacks:
        sample = []
        for place in stack.places or [_UNKNOWN]:
            key = (str(place), place.file, place.line)
            if key not in numbers:
                numbers[key] = len(frames)
                facts = {"name": str(place), "file": place.file, "line": place.line}
                frames.append({name: fact for name, fact in facts.items() if fact is not None})
            sample.append(numbers[key])
        samples.append(sample)
    weights = [costs.of(stack) for stack in costs.stacks]
    document = {
        "$schema": SPEEDSCOPE_SCHEMA,
        "exporter": f"abut {abut.__version__}",
        "name": shlex.join(info.command),
        "activeProfileIndex": len(costs.figures) - 1,
        "shared": {"frames": frames},
        "profiles": [
            {
                "type": "sampled",
                "name": figure,
                "unit": "bytes" if figure == "bytes" else "none",
                "startValue": 0,
                "endValue": costs.totals[i],
                "samples": samples,
                "weights": [row[i] for row in weights],
            }
            for i, figure in enumerate(costs.figures)
        ],
    }
    return json.dumps(document)


def callgrind(costs: Costs, info: Info) -> str:
    """A profile for callgrind_annotate and KCachegrind: own costs, and those of calls."""
    events = [figure.replace(" ", "_") for figure in costs.figures]
    lines = [
        "# callgrind format",
        "version: 1",
        f"creator: abut-{abut.__version__}",
        f"pid: {info.process}",
        f"cmd: {shlex.join(info.command)}",
        "part: 1",
        "",
        "positions: line",
        f"events: {' '.join(events)}",
        f"summary: {_numbers(costs.totals)}",
        "",
    ]
    own, calls = _graph(costs)
    names = _Names()
    for function in sorted(set(own) | set(calls), key=str):
        lines += names.lines(function)
        for line, values in sorted(own.get(function, {}).items()):
            lines.append(f"{line} {_numbers(values)}")
        for (line, callee), (count, values) in sorted(calls.get(function, {}).items(), key=str):
            lines += names.lines(callee, _CALLED)
            lines += [f"calls={count} 0", f"{line} {_numbers(values)}"]
        lines.append("")
    lines.append(f"totals: {_numbers(costs.totals)}")
    return "\n".join(lines) + "\n"


_Function = tuple[str, str, str]  # object file, source file, name
_Own = dict[_Function, dict[int, list[int]]]
_Calls = dict[_Function, dict[tuple[int, _Function], tuple[int, list[int]]]]


def _function(place: Place) -> _Function:
    bare = Place(place.module, place.offset, place.function)
    return (place.module or "???", place.file or "???", str(bare))


def _graph(costs: Costs) -> tuple[_Own, _Calls]:
    """Own costs by function and line, and calls with what they come to; a call that a stack has
    several times counts once for it.
    """
    own: _Own = defaultdict(dict)
    calls: _Calls = defaultdict(dict)
    for stack in costs.stacks:
        values = costs.of(stack)
        places = list(stack.places) or [_UNKNOWN]
        last = places[-1]
        mine = own[_function(last)]
        mine[last.line or 0] = _sum(mine.get(last.line or 0), values)
        edges = {
            (_function(caller), (caller.line or 0, _function(callee)))
            for caller, callee in pairwise(places)
            # A function's calls of itself would be added to what it costs.
            if _function(caller) != _function(callee)
        }
        for caller, call in edges:
            count, before = calls[caller].get(call, (0, None))
            calls[caller][call] = (count + max(1, values[0]), _sum(before, values))
    return own, calls


def _sum(before: Sequence[int] | None, more: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(before or [0] * len(more), more, strict=True)]


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


class _Names:
    """Names, each written out once and a number from then on."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {kind: {} for kind in _KINDS}

    def lines(self, function: _Function, keys: Sequence[str] = _KINDS) -> list[str]:
        """The function, behind these keys."""
        return [self._line(*one) for one in zip(keys, _KINDS, function, strict=True)]

    def _line(self, key: str, kind: str, name: str) -> str:
        known = self._known[kind]
        if name in known:
            return f"{key}=({known[name]})"
        known[name] = len(known) + 1
        return f"{key}=({known[name]}) {name}"


def perfetto(info: Info, samples: Iterator[tuple[float, dict[str, int]]]) -> str:
    """Trace-event JSON, as Perfetto and chrome://tracing read it: counters over time (us)."""
    whole = {"pid": info.process or 1, "tid": 0}
    command = {"name": shlex.join(info.command)}
    events: list[dict[str, Any]] = [{"name": "process_name", "ph": "M", **whole, "args": command}]
    for time, values in samples:
        events += [
            {"name": name, "ph": "C", **whole, "ts": time, "args": {"bytes": value}}
            for name, value in values.items()
        ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
