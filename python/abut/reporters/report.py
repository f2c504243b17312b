"""A report's document: what was found, and the words for it."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import abut
from abut.reporters import phrases as words
from abut.reporters.advice import advice_sentence, advice_words, changes
from abut.reporters.units import amount

SCHEMA = 2


def report_document(
    reports: Sequence[dict[str, Any]],
    comparisons: Sequence[dict[str, Any]],
    tunings: Sequence[dict[str, Any]],
    *,
    arguments: Sequence[str],
    between: list[dict[str, Any]] | None = None,
    instructions: int | None = None,
) -> dict[str, Any]:
    """Everything that the page needs. The first report is what the verdict is about."""
    first = reports[0] if reports else None
    advice = first["advice"] if first else None
    command = _command(first, comparisons, tunings)
    now = datetime.now(UTC)
    return {
        "schema": SCHEMA,
        "abut": abut.__version__,
        "made": f"{now:%Y-%m-%d %H:%M} UTC",
        "title": command,
        "subtitle": f"abut {abut.__version__}, {now:%Y-%m-%d}. {_about(first)}",
        "warnings": list(dict.fromkeys(one for each in reports for one in words.warnings(each))),
        "advice": advice_words(advice),
        "changes": changes(*reports) if len(reports) > 1 else [],
        "cards": words.cards(first, tunings, instructions)
        if first
        else result_cards(comparisons, tunings),
        "sentences": words.compared(reports)
        + advice_sentence(advice)
        + (words.sentences(first) if first else [])
        + [one for document in comparisons for one in comparison_words(document)]
        + [one for document in tunings for one in tuning_words(document)],
        "next": words.next_command(first, tunings) if first or tunings else _look_next(comparisons),
        "reports": list(reports),
        "between": between,
        "comparisons": list(comparisons),
        "tunings": list(tunings),
        "trust": [row for one in reports for row in words.trust_rows(one)]
        + [row for one in comparisons for row in comparison_trust(one)]
        + [["tuned in", f"{one['file']}: {one['runs']} runs of each"] for one in tunings],
        "limits": list(words.LIMITS) if reports else [_MEASURED_LIMIT],
        "again": _again(reports, comparisons, tunings, arguments),
    }


_MEASURED_LIMIT = (
    "Times were measured on one machine, in turn; intervals say how far chance may have moved the "
    "medians, not how other machines differ."
)


def _command(
    first: dict[str, Any] | None,
    comparisons: Sequence[dict[str, Any]],
    tunings: Sequence[dict[str, Any]],
) -> str:
    if first:
        return words.command_line(first["trace"]) or str(first["trace"]["path"])
    if tunings:
        return shlex.join(tunings[0]["command"])
    programs = comparisons[0]["benchmarks"]
    return shlex.join(programs[0]["command"]) if len(programs) == 1 else "Heaps compared"


def _about(first: dict[str, Any] | None) -> str:
    if first is None:
        return ""
    run = first["run"]
    return (
        f"{run['objects']:,} objects, {amount(first['trace']['accesses'], '')} accesses to the "
        f"heap, at most {amount(run['most_live_bytes'], 'B')} alive."
    )


def _look_next(comparisons: Sequence[dict[str, Any]]) -> str:
    """To tune what was compared alone; of several, to look at the one where heaps differ most."""
    programs = comparisons[0]["benchmarks"]
    if not programs:
        return "abut compare -- PROGRAM ARGS"
    if len(programs) == 1:
        return f"abut tune -- {shlex.join(programs[0]['command'])}"
    return f"abut record -- {shlex.join(max(programs, key=_spread)['command'])}"


def _spread(program: dict[str, Any]) -> float:
    """How many times as long the slowest heap takes as the fastest."""
    times = [cell["median"]["value"] for cell in program["figures"].get("wall", {}).values()]
    return float(max(times) / min(times)) if times and min(times) > 0 else 0.0


def result_cards(
    comparisons: Sequence[dict[str, Any]], tunings: Sequence[dict[str, Any]]
) -> list[dict[str, str]]:
    """The numbers of what was only measured."""
    found = []
    for comparison in comparisons:
        for program in comparison["benchmarks"][:1]:
            for figure in ("wall", "rss"):
                cells = program["figures"].get(figure)
                if not cells:
                    continue
                best = min(cells, key=lambda heap: cells[heap]["median"]["value"])
                value = cells[best]["median"]["value"]
                unit, what = ("s", "wall time") if figure == "wall" else ("B", "peak RSS")
                about = f"the least {what}, of {len(cells)} heaps"
                found.append({"value": best, "what": about, "about": amount(value, unit)})
    for tuning in tunings:
        winner, why = tuning["strategy"] or "the default", tuning["why"] or ""
        found.append({"value": winner, "what": "the policy that won", "about": why})
    return found


def comparison_words(comparison: dict[str, Any]) -> list[str]:
    """A sentence a program, for the first few."""
    found = []
    reference = comparison["reference"]
    for program in comparison["benchmarks"][:3]:
        cells = program["figures"].get("wall", {})
        if not cells:
            continue
        best = min(cells, key=lambda heap: cells[heap]["median"]["value"])
        ratio = cells[best]["to_reference"]
        other = ratio if best != reference else None
        against = f", {other['value']:.2f} of {reference}'s time" if other else ""
        found.append(f"{program['name']} is fastest under {best}{against}")
    return found


def comparison_trust(comparison: dict[str, Any]) -> list[list[str]]:
    """Where a comparison was made."""
    machine, settings = comparison["machine"], comparison["settings"]
    versions = ", ".join(f"{name} {version}" for name, version in comparison["versions"].items())
    kind = "virtual" if machine["virtual"] else "physical"
    return [
        ["compared in", comparison["file"]],
        [
            "measured on",
            f"{machine['processor']}, {machine['cores']} cores, {kind}; {machine['system']}, "
            f"Linux {machine['kernel']}, glibc {machine['glibc']}",
        ],
        [
            "runs",
            f"{settings['runs']} of each, {settings['warmup']} before, seed {settings['seed']}",
        ],
        ["versions", versions],
    ]


def tuning_words(tuning: dict[str, Any]) -> list[str]:
    """What tuning came to."""
    if not tuning["plan"]:
        return [f"tuned: nothing beats the default: {tuning['why']}"]
    won = next(one for one in tuning["candidates"] if one["strategy"] == tuning["strategy"])
    value, low, high = won["to_plain"]
    return [
        f"tuned: with {tuning['strategy']} the program takes {value:.3f} ({low:.3f} to "
        f"{high:.3f}) of what it takes with the default, measured"
    ] + [
        f"with another input, {shlex.join(other['command'])}, it takes {other['to_plain'][0]:.3f} "
        f"({other['to_plain'][1]:.3f} to {other['to_plain'][2]:.3f})"
        for other in tuning["held_out"]
        if other["to_plain"]
    ]


def _again(
    reports: Sequence[dict[str, Any]],
    comparisons: Sequence[dict[str, Any]],
    tunings: Sequence[dict[str, Any]],
    arguments: Sequence[str],
) -> list[str]:
    lines = [
        _made(one["trace"], "--sites " if one["run"].get("code_flames") else "") for one in reports
    ]
    for one in comparisons:
        heaps = ",".join(heap["name"] for heap in one["heaps"])
        what = (
            f"--suite {one['settings']['suite']}"
            if one["settings"]["suite"]
            else f"-- {shlex.join(one['benchmarks'][0]['command'])}"
            if one["benchmarks"]
            else ""
        )
        runs = one["settings"]["runs"]
        file = shlex.quote(one["file"])
        lines.append(f"abut compare --force --runs {runs} --heaps {heaps} --output {file} {what}")
    lines += [
        f"abut tune --force --json -- {shlex.join(one['command'])} > {shlex.quote(one['file'])}"
        for one in tunings
    ]
    return [*lines, "abut report --force " + shlex.join(arguments)]


def _made(trace: dict[str, Any], sites: str) -> str:
    """The command that makes a trace."""
    path, line = shlex.quote(trace["path"]), words.command_line(trace)
    if words.is_imported(trace):
        return f"abut trace import --from {trace['recorder']} {sites}--force -o {path} {line}"
    return f"abut record {sites}--force -o {path} -- {line}"
