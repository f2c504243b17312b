"""What a trace says, as tables for a terminal and as JSON. Keys of JSON name their units."""

import dataclasses
import json
import os
import shlex
import signal
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table

from abut.reporters.grid import grid
from abut.reporters.units import amount
from abut.trace.reader import Check, Damage, Info
from abut.trace.sites import ContextSum
from abut.trace.steps import AccessStep, Step
from abut.trace.symbols import Place

SCHEMA = 1
_NANOSECONDS = 1e9
_CALLERS = 4
_CHECK_WORDS = {
    "accesses": "accesses",
    "without_object": "  to no object of the heap",
    "allocator_side": "  by the allocator",
    "outside": "  by the program, outside of the object's size",
    "dead": "  by the program, to a freed object",
    "allocator_outside": "  by the allocator, outside of the object's size",
    "allocator_dead": "  by the allocator, to a freed object",
    "events": "events",
    "live_objects": "objects never freed",
}


def document(**members: Any) -> str:
    """One JSON object with its schema's version."""
    return json.dumps({"schema": SCHEMA, **members}, indent=1, allow_nan=False)


def info_table(info: Info) -> Table:
    """What the trace says about itself, a row a fact."""
    table = Table(title=info.path, title_justify="left", show_header=False)
    rows = {
        "command": shlex.join(info.command),
        "machine": info.machine,
        "recorder": info.recorder,
        "started": _start_text(info),
        **info.notes,
        "accesses": f"{info.accesses:,}",
        "events": f"{info.events:,}",
        "contexts": f"{info.contexts:,} in {info.modules} modules",
        "file": _file_text(info),
        **_total_rows(info.totals),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _start_text(info: Info) -> str:
    if not info.started:
        return "unknown"
    started = datetime.fromtimestamp(info.started / _NANOSECONDS, UTC)
    return f"{started:%Y-%m-%d %H:%M:%S} UTC, process {info.process}"


def _file_text(info: Info) -> str:
    each = info.bytes_per_access
    suffix = f", {each:.3f} bytes an access" if each is not None else ""
    return f"{amount(info.file_bytes, 'B')} in {info.chunks} chunks{suffix}"


def _total_rows(totals: Mapping[str, int] | None) -> dict[str, str]:
    if totals is None:
        return {"end": "missing: the recording was cut short"}
    lost = {
        name: totals[name] for name in ("unmatched_frees", "dropped_events", "dropped_accesses")
    }
    rows = {"objects": f"{totals['objects']:,}, {totals['frees']:,} freed"}
    rows |= {name.replace("_", " "): f"{count:,}" for name, count in lost.items() if count}
    if totals["instructions"]:
        rows["instructions"] = f"{totals['instructions']:,}, while accesses were recorded"
    after = amount(totals["ended"] / _NANOSECONDS, "s")
    rows["end"] = f"{_end_of(totals['exit_status'])} after {after}"
    return rows


def _end_of(wait_status: int) -> str:
    """How a program ended, by what waitpid() says."""
    try:
        code = os.waitstatus_to_exitcode(wait_status)
        return f"status {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"status {wait_status}"


def info_json(info: Info, damages: Sequence[Damage]) -> str:
    """The same as JSON."""
    facts = dataclasses.asdict(info) | {"bytes_per_access": info.bytes_per_access}
    return document(**facts, damages=[damage._asdict() for damage in damages])


def check_table(check: Check) -> Table:
    """What was counted, a row a count."""
    table = Table("counted", "")
    table.columns[1].justify = "right"
    for name, words in _CHECK_WORDS.items():
        table.add_row(words, f"{check.counts[name]:,}")
    return table


def check_problems(check: Check) -> list[str]:
    """Broken rules and damage in words."""
    problems = [f"damage {damage}" for damage in check.damages]
    problems += [
        f"broken {violation.count:,} times: {violation.rule}; first: {violation.first}"
        for violation in check.violations
    ]
    return problems


def check_json(check: Check) -> str:
    """The same as JSON."""
    return document(
        clean=check.clean,
        violations=[dataclasses.asdict(violation) for violation in check.violations],
        damages=[damage._asdict() for damage in check.damages],
        counts=check.counts,
    )


def contexts_table(sums: Sequence[ContextSum], places: Mapping[int, Sequence[Place]]) -> Table:
    """A row a context: what its objects come to, and who called whom."""
    table = Table()
    for column in ("context", "objects", "bytes", "never freed", "accesses"):
        table.add_column(column, justify="right")
    table.add_column("allocated by, called by …")
    for row in sums:
        shown = list(places.get(row.context, ()))[:_CALLERS]
        table.add_row(
            str(row.context),
            f"{row.objects:,}",
            amount(row.bytes, "B"),
            amount(row.live, "B"),
            amount(row.accesses, ""),
            "\n".join(map(str, shown)) or "unknown",
        )
    return table


def contexts_json(sums: Sequence[ContextSum], places: Mapping[int, Sequence[Place]]) -> str:
    """The same as JSON, with whole call chains."""
    rows = [
        dataclasses.asdict(row)
        | {"chain": [dataclasses.asdict(place) for place in places.get(row.context, ())]}
        for row in sums
    ]
    return document(contexts=rows)


def objects_table(rows: Sequence[Mapping[str, int]]) -> Table:
    """A row an object."""
    table = grid(
        "",
        ["object", "size", "context", "born", "died", "reads", "writes", "by allocator"],
        words=0,
    )
    for row in rows:
        died = amount(row["died"] / _NANOSECONDS, "s") if row["died"] >= 0 else "-"
        counts = (amount(row[name], "") for name in ("reads", "writes", "allocator_accesses"))
        born = amount(row["born"] / _NANOSECONDS, "s")
        size = amount(row["size"], "B")
        table.add_row(str(row["object"]), size, str(row["context"]), born, died, *counts)
    return table


def steps_json(steps: Sequence[Step]) -> str:
    """Steps as JSON."""
    rows = [
        {"step": "access" if isinstance(step, AccessStep) else "event", **step._asdict()}
        for step in steps
    ]
    return document(steps=rows)
