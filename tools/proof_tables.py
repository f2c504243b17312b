"""Markdown tables of what a step of the proof measured; see proof.py.

A document has the form of docs/proof/*.json: `proof` says when and how, `benchmarks` hold medians
and ratios to the first heap's, each with a 95 % interval. Less is better in every figure.
"""

from collections.abc import Callable, Iterator, Mapping
from math import exp, log
from typing import Any

Document = Mapping[str, Any]
OURS = "abut"
CLEAR = 1.02  # so much behind the best counts
LEVEL = 1.01  # means that differ by less are level

TITLES = {
    "user": "user time",
    "cpu": "user and system time",
    "wall": "wall time",
    "rss": "peak RSS",
    "p99": "latency of one request in a hundred",
    "instructions": "instructions",
}


def origin(document: Document) -> str:
    """Where and how it was measured, in one paragraph."""
    machine, proof = document["machine"], document["proof"]
    caches = {cache["level"]: cache["size_bytes"] for cache in machine["caches"]}
    versions = document["versions"].items()
    parts = [
        machine["processor"],
        f"{machine['cores']} {'virtual ' * machine['virtual']}cores",
        f"L2 {caches.get(2, 0) >> 10} KiB",
        f"L3 {caches.get(3, 0) >> 20} MiB",
        machine["system"],
        *(f"{name} {text}" for name, text in versions if name != "python-abut"),
        f"commit {proof['commit']} on {proof['date']}",
        f"{document['settings']['runs']} rounds in {proof['minutes']:.0f} minutes",
        f"load before {proof['load_before']}",
    ]
    return f"{', '.join(parts)}: `{proof['command']}`."


def summary(document: Document) -> str:
    """A sentence on the losses, and each figure's mean and worst case by heap."""
    heaps = document["heaps"]
    lines = [origin(document), "", _verdict(document), "", _row("", heaps), _rule(len(heaps) + 1)]
    for figure in document["proof"]["figures"]:
        cells = dict(_ratios(document, figure))
        means = _means(cells, heaps)
        title = f"{TITLES[figure]}, geometric mean of {len(cells)}"
        lines.append(_row(title, [_bold(means[h], means.values()) for h in heaps]))
        behind = [max((r[h] / min(r.values()), name) for name, r in cells.items()) for h in heaps]
        lines.append(_row("furthest behind the best", [f"{r:.2f} ({name})" for r, name in behind]))
    return "\n".join(lines)


def first_lines(document: Document) -> str:
    """Whether our heap is below every other in the mean, and how often it is behind the best."""
    figures = document["proof"]["figures"]
    times = [figure for figure in figures if figure in ("user", "wall")] or figures[:1]
    cells = dict(_ratios(document, times[0]))
    means = (_mean_in_words(document, figure) for figure in times)
    behind = {name: r[OURS] / min(r.values()) for name, r in cells.items() if _is_behind(r)}
    text = (
        f"On {len(cells)} real programs, {OURS} takes {', and '.join(means)}. In"
        f" {TITLES[times[0]]} it is more than 2 % behind the best heap of a program on"
        f" {len(behind)} of them"
    )
    if not behind:
        return f"{text}."
    name = max(behind, key=lambda each: behind[each])
    return f"{text}, furthest by {100 * behind[name] - 100:.0f} % ({name})."


def _mean_in_words(document: Document, figure: str) -> str:
    means = _means(dict(_ratios(document, figure)), document["heaps"])
    beside = _beside({h: mean / means[OURS] for h, mean in means.items() if h != OURS})
    first = document["heaps"][0]
    return f"{means[OURS]:.3f} of the {TITLES[figure]} under {first} in the mean, {beside}"


def _beside(others: Mapping[str, float]) -> str:
    """In words, of the others' means to ours."""
    ahead = [f"{h} takes {ratio:.3f} of that" for h, ratio in others.items() if ratio < 1 / LEVEL]
    level = [h for h, ratio in others.items() if 1 / LEVEL <= ratio <= LEVEL]
    if ahead:
        return f"not below every other heap ({', '.join(ahead)})"
    if level:
        return f"level with {' and '.join(level)}, below every other heap"
    return "below every other heap"


def losses(document: Document) -> str:
    """The rows in which our heap is behind the best, and what it needs there."""
    figure = document["proof"]["figures"][0]
    rows = {name: r for name, r in _ratios(document, figure) if _is_behind(r)}
    return _table(document, figure, sorted(rows, key=lambda name: -rows[name].get(OURS, 1)))


def rows(document: Document) -> str:
    """Every benchmark, a table a figure, as ratios to the first heap."""
    names = [benchmark["name"] for benchmark in document["benchmarks"]]
    tables = (_table(document, figure, names) for figure in document["proof"]["figures"])
    return "\n\n".join(tables)


def _means(cells: Mapping[str, Mapping[str, float]], heaps: list[str]) -> dict[str, float]:
    """The geometric mean of each heap's ratios."""
    return {h: exp(sum(log(r[h]) for r in cells.values()) / len(cells)) for h in heaps}


def _verdict(document: Document) -> str:
    ratios = list(_ratios(document, document["proof"]["figures"][0]))
    if OURS not in document["heaps"]:
        return "The first column is what the others are compared with."
    behind = [name for name, r in ratios if _is_behind(r)]
    first = sum(r[OURS] == min(r.values()) for _, r in ratios)
    begin = f"Of {len(ratios)}, {OURS} is the best on {first}"
    if not behind:
        return f"{begin}, and nowhere more than 2 % behind the best."
    return f"{begin}, and more than 2 % behind the best on {len(behind)}: {', '.join(behind)}."


def _is_behind(ratios: Mapping[str, float]) -> bool:
    return OURS in ratios and ratios[OURS] > CLEAR * min(ratios.values())


def _ratios(document: Document, figure: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Ratios to the first heap, of the benchmarks that every heap could run."""
    for benchmark in document["benchmarks"]:
        cells = benchmark["figures"].get(figure, {})
        if set(cells) == set(document["heaps"]):
            yield benchmark["name"], {h: c["to_reference"]["value"] for h, c in cells.items()}


def _table(document: Document, figure: str, names: list[str]) -> str:
    heaps = document["heaps"]
    cells = {b["name"]: b["figures"].get(figure, {}) for b in document["benchmarks"]}
    lines = [_row(f"{TITLES[figure]} to {heaps[0]}'s", heaps), _rule(len(heaps) + 1)]
    lines += [_row(name, [_cell(cells[name], heap) for heap in heaps]) for name in names]
    return "\n".join(lines)


def _cell(cells: Mapping[str, Any], heap: str) -> str:
    if heap not in cells:
        return "-"
    ratio = cells[heap]["to_reference"]
    best = _bold(ratio["value"], [cell["to_reference"]["value"] for cell in cells.values()])
    if ratio["low"] in (None, ratio["high"]):
        return best
    return f"{best} ±{(ratio['high'] - ratio['low']) / 2:.2f}"


def _bold(value: float, all_values: Any) -> str:
    return f"**{value:.2f}**" if value == min(all_values) else f"{value:.2f}"


def _row(first: str, cells: list[str]) -> str:
    return "| " + " | ".join([first, *cells]) + " |"


def _rule(columns: int) -> str:
    return "|---" * columns + "|"


TABLES: dict[str, Callable[[Document], str]] = {
    "first_lines": first_lines,
    "summary": summary,
    "losses": losses,
    "rows": rows,
}
