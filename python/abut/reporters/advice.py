"""What a report's advice says in words: the bound, the largest actions, how two runs differ."""

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]
_ACTIONS = 3
_CHANGES = 20
_LEAST = 0.001  # of the time
_MODELS = {
    "core": "by the time that a simulated core waits for the heap",
    "latencies": "by the latencies of the caches, added up",
}


def advice_words(advice: Document | None) -> dict[str, Any]:
    """The first screen: how much at most, and the largest actions."""
    if advice is None:
        return {"bound": None, "model": "", "actions": []}
    some = [advice["culprits"][n] for n in advice["actions"][:_ACTIONS]]
    return {
        "bound": advice["bound"],
        "model": f"{_MODELS[advice['model']]}, machine {advice['machine']}",
        "actions": [_action(one) for one in some],
    }


def shown_culprits(reports: Sequence[Document]) -> list[Document]:
    """Those of the first run that have an action, or wait for what can be seen."""
    advice = reports[0]["advice"] if reports else None
    found = advice["culprits"] if advice else []
    return [one for one in found if one["action"] or one["lost"] >= _LEAST]


def _action(culprit: Document) -> dict[str, Any]:
    action = culprit["action"]
    return {
        "title": action["title"],
        "code": action["code"],
        "gain": gain_words(culprit),
        "why": f"{culprit['name']}: {culprit['reason']}; {culprit['why']}",
    }


def gain_words(culprit: Document) -> str:
    """What an action gains, and how sure that is."""
    sure = "sure" if culprit["sure"] else "depends on the machine"
    return (
        f"{culprit['gain']:.0%} less time predicted ({culprit['low']:.0%} to "
        f"{culprit['high']:.0%}; {sure})"
    )


def bound_card(advice: Document | None) -> dict[str, str] | None:
    """The first number: what no layout can exceed."""
    if advice is None:
        return None
    return {
        "value": f"{advice['bound']:.0%}",
        "what": "of the time layout could save at most",
        "about": _MODELS[advice["model"]],
    }


def advice_sentence(advice: Document | None) -> list[str]:
    """The answer in a sentence: what to change first, or that nothing is to be gained."""
    if advice is None:
        return []
    if not advice["actions"]:
        return ["nothing to gain here: no change that was tried saves two in a hundred"]
    first = advice["culprits"][advice["actions"][0]]
    return [f"{first['name']}: {first['reason']}. {first['action']['title']}: {gain_words(first)}"]


def next_of(advice: Document | None) -> str:
    """The command that the largest action begins with; empty where it is none."""
    if advice is None or not advice["actions"]:
        return ""
    code = str(advice["culprits"][advice["actions"][0]]["action"]["code"])
    # An argument may have lines; a change that can also be edited into the source says where.
    return code[2:].partition("\nor, at ")[0] if code.startswith("$ ") else ""


def changes(before: Document, after: Document) -> list[dict[str, Any]]:
    """How the wait of each culprit differs between two runs, in cycles of the whole run; what
    changed most first. None where one of them has no accesses, and so nothing that waits.
    """
    if None in (before["advice"], after["advice"]):
        return []
    sides = [_waits(one) for one in (before, after)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    rows = [(name, sides[0].get(name, 0.0), sides[1].get(name, 0.0)) for name in names]
    rows.sort(key=lambda one: -abs(one[2] - one[1]))
    return [{"name": name, "before": a, "after": b} for name, a, b in rows[:_CHANGES]]


def _waits(report: Document) -> dict[str, float]:
    advice = report["advice"]
    whole = advice["cycles"] / max(1, advice["accesses"]) * report["trace"]["accesses"]
    found: dict[str, float] = {}
    for one in advice["culprits"]:
        found[one["name"]] = found.get(one["name"], 0.0) + one["lost"] * whole
    return found


def answer_of(document: Document) -> dict[str, Any]:
    """What `abut report --json` prints: the answer without the page's pictures."""
    return {
        "schema": document["schema"],
        "command": document["title"],
        "runs": [
            {"trace": one["trace"]["path"], "advice": one["advice"]} for one in document["reports"]
        ],
        "changes": document["changes"],
        "sentences": document["sentences"],
        "next": document["next"],
    }
