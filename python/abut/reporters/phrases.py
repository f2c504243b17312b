"""What a report says in words: the verdict, why it may be believed, and how to make it again."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from abut.reporters.advice import bound_card, next_of
from abut.reporters.units import amount
from abut.trace.imports import FORMATS

_TWO = 2
_WASTEFUL, _HURTING, _GAIN, _DISTURBING = 0.5, 5.0, 0.03, 0.1
Document = Mapping[str, Any]


def cards(report: Document, tunings: Sequence[Document], instructions: int | None) -> list[Any]:
    """The verdict's numbers."""
    run = report["run"]
    if not run["accesses"]:
        return [
            _card(amount(run["most_live_bytes"], "B"), "alive at most", "bytes as asked for"),
            _card(f"{run['objects']:,}", "objects", "this trace holds no accesses: no misses"),
        ]
    level = run["levels"][0]
    share = run["use"]["share"]
    bound = bound_card(report["advice"])
    return [
        *([bound] if bound else []),
        _card(
            f"{share:.0%}" if share is not None else "-",
            "of each line fetched is used",
            f"{amount(_wasted(run), 'B')} of {amount(sum(run['use']['brought']), 'B')} that "
            f"{level['name']} brought in was in vain",
        ),
        _misses_card(report, instructions),
        _layout_card(report, tunings),
    ]


def _card(value: str, what: str, about: str) -> dict[str, str]:
    return {"value": value, "what": what, "about": about}


def _wasted(run: Document) -> float:
    return float(sum(run["use"]["brought"]) - sum(run["use"]["used"]))


def _misses_card(report: Document, instructions: int | None) -> dict[str, str]:
    run = report["run"]
    instructions = instructions or (report["trace"]["totals"] or {}).get("instructions")
    level, last = run["levels"][0], run["levels"][-1]
    per = "instructions" if instructions else "accesses"
    whole = instructions * run["sampled"]["share"] if instructions else run["accesses"]
    rate, rest = (1000 * sum(one["misses"]) / whole for one in (level, last))
    return _card(
        f"{rate:.1f}",
        f"{level['name']} misses per 1000 {per}",
        f"of which {rest:.2f} go to memory; {amount(run['accesses'], '')} accesses looked at",
    )


def _layout_card(report: Document, tunings: Sequence[Document]) -> dict[str, str]:
    for tuning in tunings:
        if tuning.get("plan"):
            won = next(one for one in tuning["candidates"] if one["strategy"] == tuning["strategy"])
            value, low, high = won["to_plain"]
            about = f"measured, {tuning['runs']} runs: {1 - high:.1%} to {1 - low:.1%}"
            return _card(f"{1 - value:.0%}", f"less time with {tuning['strategy']}", about)
    saved = layout_gain(report)
    if saved is None:
        return _card("-", "no better layout looked for", report.get("why_no_layout") or "")
    name = report["best"]["name"]
    return _card(
        f"{max(0.0, saved):.0%}",
        "less time an access, with the best layout found",
        f"by {name}, simulated and not measured; abut tune measures it",
    )


def layout_gain(report: Document) -> float | None:
    """The share of the mean time of an access that the best layout saves, simulated."""
    if not report["layouts"] or not report["baseline_cycles"]:
        return None
    return 1.0 - float(report["layouts"][0]["cycles"]) / float(report["baseline_cycles"])


def sentences(report: Document) -> list[str]:
    """The verdict in words, the most telling first."""
    run = report["run"]
    if not run["accesses"]:
        return ["only allocations were recorded: what misses takes a trace of accesses, too"]
    found = [_wastes(run), _costs(run), *_layout_words(report)]
    level = run["levels"][0]
    misses = sum(level["misses"])
    if misses and level["misses"][1] > _DISTURBING * misses:
        found.append(
            f"the allocator's own accesses are {level['misses'][1] / misses:.0%} of what misses "
            f"{level['name']}: fewer, longer-lived objects, or a heap without headers, would help"
        )
    pages = run.get("pages")
    if pages and pages["fragmentation"]:
        found.append(
            f"{amount(pages['most'] * 4096, 'B')} of pages were in use for at most "
            f"{amount(pages['most_live_bytes'], 'B')} of data"
        )
    return [one for one in found if one]


def _wastes(run: Document) -> str:
    share, line = run["use"]["share"], run["use"]["line_bytes"]
    if share is None:
        return ""
    if share >= _WASTEFUL:
        return f"lines are used well: {share:.0%} of what is brought in"
    return (
        f"of each {line}-byte line that is brought in, {line * share:.0f} bytes are used: objects "
        "that are used together do not lie together"
    )


def _costs(run: Document) -> str:
    first = run["levels"][0]["cycles"]
    mean = run["cycles"]
    rate = 1000 * sum(run["levels"][0]["misses"]) / run["accesses"]
    if rate < _HURTING:
        return f"caches serve this heap well: {rate:.1f} of 1000 accesses miss the first one"
    return (
        f"an access to the heap takes {mean:.1f} cycles on average, where a hit takes {first:g}: "
        f"{1 - first / mean:.0%} of that time is waiting for lines"
    )


def _layout_words(report: Document) -> list[str]:
    saved = layout_gain(report)
    if saved is None:
        return (
            [f"no layout was tried: {report['why_no_layout']}"] if report["why_no_layout"] else []
        )
    name = report["best"]["name"]
    if saved < _GAIN:
        return ["no layout that was tried is better than the recorded one by more than 3 %"]
    return [f"all objects laid out by {name} would cost {saved:.0%} less time an access, simulated"]


def next_command(report: Document | None, tunings: Sequence[Document]) -> str:
    """What to type."""
    if tunings:
        tuning, command = tunings[0], shlex.join(tunings[0]["command"])
        profile = f"--profile {shlex.quote(tuning['plan'])} " if tuning.get("plan") else ""
        return f"abut run {profile}-- {command}"
    if report is None:
        return "abut record -- PROGRAM ARGS"
    trace = report["trace"]
    if not trace["command"] or is_imported(trace):  # there is no program to run
        return f"abut sim {shlex.quote(trace['path'])}"
    command, given = shlex.join(trace["command"]), trace["notes"].get("stdin")
    if given:  # which abut tune has no way to give
        return f"abut compare --stdin {shlex.quote(given)} -- {command}"
    if typed := next_of(report["advice"]):
        return typed
    saved = layout_gain(report)
    verb = "tune" if saved is not None and saved >= _GAIN else "compare"
    return f"abut {verb} -- {command}"


def is_imported(trace: Document) -> bool:
    """Whether it was made of another tool's text, whose name stands for the command."""
    return trace["recorder"] in FORMATS


def command_line(trace: Document) -> str:
    """What was recorded, as one would type it; with the file that it read, if it was one."""
    given = trace["notes"].get("stdin")
    return shlex.join(trace["command"]) + (f" < {shlex.quote(given)}" if given else "")


def compared(reports: Sequence[Document]) -> list[str]:
    """How the second of two runs differs from the first."""
    if len(reports) < _TWO or not all(one["run"]["accesses"] for one in reports):
        return []
    first, second = reports[0]["run"], reports[1]["run"]
    shares = [f"{one['use']['share'] or 0:.0%}" for one in (first, second)]
    level = first["levels"][0]["name"]
    misses = [sum(one["levels"][0]["misses"]) for one in (first, second)]
    rates = [f"{1000 * misses[i] / one['accesses']:.1f}" for i, one in enumerate((first, second))]
    change = second["cycles"] / first["cycles"] - 1
    less = "less" if change < 0 else "more"
    return [
        f"in {reports[1]['trace']['path']} an access takes {abs(change):.0%} {less} time than in "
        f"{reports[0]['trace']['path']}: {shares[1]} of each line is used, there {shares[0]}; "
        f"{rates[1]} of 1000 accesses miss {level}, there {rates[0]}"
    ]


def warnings(report: Document) -> list[str]:
    """What a reader must know before any number."""
    trace, run = report["trace"], report["run"]
    found = [f"{trace['path']}: damaged {damage}" for damage in run["damages"][:5]]
    sampled = run["sampled"]
    if sampled["windows"]:
        found.append(
            f"Looked at {amount(sampled['accesses'], '')} of {amount(sampled['of'], '')} accesses, "
            f"in {sampled['windows']} window{'s' if sampled['windows'] > 1 else ''} spread evenly "
            "over the run; all events count."
        )
    totals = trace["totals"]
    if totals is None:
        found.append(f"{trace['path']}: the recording was cut short: its end is missing.")
    elif lost := totals["dropped_accesses"] + totals["dropped_events"]:
        found.append(f"{trace['path']}: the recorder dropped {lost:,} accesses and events.")
    return found


def trust_rows(report: Document) -> list[list[str]]:
    """What was run, where and how, as names and values."""
    trace, preset, run = report["trace"], report["preset"], report["run"]
    totals = trace["totals"] or {}
    levels = ", ".join(f"{one['name']} {amount(one['bytes'], 'B')}" for one in preset["levels"])
    started = datetime.fromtimestamp(trace["started"] / 1e9, UTC) if trace["started"] else None
    rows = {
        "trace": f"{trace['path']}, {amount(trace['file_bytes'], 'B')}",
        "command": command_line(trace),
        "recorded on": trace["machine"],
        "recorded at": f"{started:%Y-%m-%d %H:%M} UTC" if started else "unknown",
        "recorder": trace["recorder"],
        **{f"note: {name}": str(value) for name, value in trace["notes"].items()},
        "accesses": f"{trace['accesses']:,}; looked at {run['accesses']:,}",
        "of which": f"layouts were ranked by {amount(run['sampled']['to_rank'], '')}, the optimum "
        f"is of {amount(run['sampled']['to_floor'], '')}; page misses are of all",
        **_layouts_row(report),
        "events": f"{trace['events']:,}",
        "dropped": f"{totals.get('dropped_accesses', 0):,} accesses, "
        f"{totals.get('dropped_events', 0):,} events; {totals.get('unmatched_frees', 0):,} frees "
        "of what was no live object",
        "caches simulated": f"{preset['name']}: {preset['about']} ({levels}; memory "
        f"{preset['memory_cycles']:g} cycles)",
        "seed": str(report["seed"]),
        "contexts": f"{len(run['contexts'])} shown, {run['hidden']['contexts']:,} summed up",
    }
    return [[name, value] for name, value in rows.items()]


def _layouts_row(report: Document) -> dict[str, str]:
    tried = ", ".join(f"{one['name']} {one['cycles']:.2f}" for one in report["layouts"])
    base = report["baseline_cycles"]
    return {"layouts tried": f"{tried} cycles an access; as recorded {base:.2f}"} if tried else {}


LIMITS = (
    "Caches are simulated from accesses to the heap alone: stacks, globals and code are not there, "
    "and neither are prefetchers; real caches serve regular walks better than this.",
    "Mean times are sums of latencies. Processors overlap misses: a share of cycles saved is not "
    "that share of the run's time.",
    "A layout is simulated with the recorded order of accesses; only a measured run (abut tune) "
    "proves it.",
    "Where a run is looked at in windows, a window begins with lines left from the one before: "
    "the larger caches miss a little more often than they would.",
    "A tile of a heap map is coloured by the context with most of its accesses, found by majority "
    "vote; where no context has more than half, it is one of those that have many.",
    "The optimum is computed for a part of the run, and scaled to the curve of the whole.",
)
