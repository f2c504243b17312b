"""The advice that a report begins with: how much layout could save, where, and what to change."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from abut.advice.actions import SIMPLEST, action_of
from abut.advice.culprits import Culprit, culprits_of
from abut.advice.fields import field_document
from abut.advice.finding import Gain, finding
from abut.advice.other_faults import (
    sharing_document,
    sharing_findings,
    temporary_findings,
)
from abut.advice.reasons import reason_of
from abut.advice.sample import Sample
from abut.advice.trials import ALIGN, APART, ORDER, RUN, SPREAD, Trial, by_size, trials_of
from abut.errors import AbutError
from abut.simulation.presets import Preset
from abut.simulation.report import Request
from abut.trace.native import Array
from abut.trace.reader import Trace
from abut.trace.symbols import Symboliser
from abut.tuning.planning import addresses, check_layout, read_recorded
from abut.tuning.strategies import STANDARD, find_strategy

TRIED = 5  # culprits
SHOWN = 20
LEAST_GAIN = 0.02  # of the time: what is less is no gain
_LEAST_MEMORY_GAIN = 0.05  # where objects become larger
_ENOUGH = 0.8  # of the best gain, for a simpler change
_ALIKE = 0.9  # of the gain of pages of their own
_SURE = 0.5
_HALVED = 4  # windows


@dataclass(frozen=True, slots=True)
class _Tried:
    """Trials of a culprit, by their gains as shares of the time."""

    gains: list[tuple[float, Trial]]

    @property
    def best(self) -> tuple[float, Trial] | None:
        """The simplest change that gains nearly as much as any."""
        gains = [
            (gain, trial)
            for gain, trial in self.gains
            if gain >= (_LEAST_MEMORY_GAIN if trial.kind in (ALIGN, SPREAD) else LEAST_GAIN)
        ]
        if not gains:
            return None
        most = max(gain for gain, _ in gains)
        enough = [one for one in gains if one[0] >= _ENOUGH * most]
        return min(enough, key=lambda one: SIMPLEST.index(one[1].kind))


class _Trials:
    """Tries layouts on a sample; those of the whole heap once."""

    def __init__(self, sample: Sample, objects: dict[str, Array]) -> None:
        self._sample, self._objects = sample, objects
        # An order that is made for accesses is no better than it is for others.
        many = len(sample.windows) >= _HALVED
        self._learnt = sample.windows[::2] if many else sample.windows
        others = Sample(sample.trace, sample.preset, sample.windows[1::2]) if many else sample
        self._samples = {ORDER: others}

    @cached_property
    def _traversal(self) -> Array | None:
        """Where the standard strategy puts all objects; None where it can place none."""
        try:
            found = read_recorded(self._sample.trace, windows=self._learnt).objects
        except AbutError:
            return None
        strategy = find_strategy(STANDARD)
        layout = strategy.place(found)
        check_layout(found, layout, strategy)
        placed = addresses(found, layout.offsets)
        return np.asarray(np.where(layout.offsets >= 0, placed, 0), np.uint64)

    @cached_property
    def _heap(self) -> tuple[float, Trial]:
        trial = Trial(RUN, by_size(self._objects))
        return self._gain(trial), trial

    def of(self, culprit: Culprit) -> _Tried:
        """All of a culprit. Where pages of its own are no better than a heap that sorts by size,
        that heap takes their place.
        """
        gains = []
        for trial in trials_of(culprit, self._sample, self._objects, self._traversal):
            gain = self._gain(trial)
            if trial.kind == APART and gain >= LEAST_GAIN and self._heap[0] >= _ALIKE * gain:
                gains.append((gain, self._heap[1]))
            gains.append((gain, trial))
        return _Tried(gains)

    def range(self, trial: Trial, gain: float) -> tuple[float, float]:
        """The least and the most that a trial gains on variants of the machine."""
        gains = [gain, *(self._gain(trial, variant) for variant in self._sample.variants)]
        return min(gains), max(gains)

    def _gain(self, trial: Trial, machine: Preset | None = None) -> float:
        sample = self._samples.get(trial.kind, self._sample)
        return 1 - sample.cycles(trial.layout, machine) / self._recorded(sample, machine)

    @cache  # noqa: B019 - it lives as long as the sample
    def _recorded(self, sample: Sample, machine: Preset | None) -> float:
        return sample.cycles("recorded", machine)


def advise(request: Request) -> dict[str, Any]:
    """What to change, as plain data. Raises AbutError."""
    rules = request.rules
    trace = Trace(request.trace)
    sample = Sample(trace, request.preset)
    waits = sample.waits
    objects = trace.objects(accesses=False)
    symboliser = Symboliser.of(trace)
    known = waits.by_context.copy()
    known[0] = 0
    culprits = culprits_of(trace, objects, known, rules, symboliser)
    trials = _Trials(sample, objects)
    findings = []
    for number, culprit in enumerate(culprits[:SHOWN]):
        share = float(known[culprit.contexts].sum()) / max(1.0, waits.total)
        tried = None
        if number < TRIED and share >= LEAST_GAIN:
            tried = trials.of(culprit)
        findings.append(_finding(culprit, sample, share, tried, trials, culprits))
    shared = sample.closeup.false_sharing + sample.closeup.true_sharing
    sharers = culprits_of(trace, objects, shared, rules, symboliser)
    others = sharing_findings(sharers, sample, waits.total)
    others += temporary_findings(trace, objects, rules, symboliser, sample)
    named = {one["name"] for one in others}
    findings = others + [one for one in findings if one["action"] or one["name"] not in named]
    findings.sort(key=lambda one: -max(one["lost"], one["gain"]))
    return {
        "bound": float(known.sum()) / max(1.0, waits.total),
        "model": "core" if request.preset.core else "latencies",
        "machine": request.preset.name,
        "accesses": waits.accesses,
        "cycles": waits.total,
        "culprits": findings,
        "actions": _actions(findings),
        "sharing": sharing_document(sharers, sample),
    }


def _actions(findings: list[dict[str, Any]]) -> list[int]:
    """The findings that have an action, by what it gains; of the same action the first."""
    some = [n for n, one in enumerate(findings) if one["action"]]
    found: dict[str, int] = {}
    for n in sorted(some, key=lambda n: -findings[n]["gain"]):
        found.setdefault(findings[n]["action"]["code"], n)
    return list(found.values())


def _finding(
    culprit: Culprit,
    sample: Sample,
    share: float,
    tried: _Tried | None,
    trials: _Trials,
    culprits: list[Culprit],
) -> dict[str, Any]:
    best = tried.best if tried else None
    low, high = trials.range(best[1], best[0]) if best else (0.0, 0.0)
    if low <= 0:
        best = None  # a slightly different machine would lose by it
    fields = field_document(culprit, sample.closeup, best[1] if best else None)
    action, reason, gain = None, ("", _no_reason(tried, share)), Gain()
    if best:
        gain = Gain(best[0], low, high, low >= _SURE * best[0])
        mate = _mate(culprit, sample, culprits)
        reason = reason_of(best[1].kind, culprit, sample, mate)
        proposed = fields["proposed"] if fields else ""
        action = action_of(best[1], culprit, sample.trace.info.command, proposed)
    return finding(
        culprit,
        sample,
        share,
        reason,
        action,
        gain,
        tried=[{"kind": one.kind, "gain": round(value, 4)} for value, one in tried.gains]
        if tried
        else [],
        fields=fields,
    )


def _no_reason(tried: _Tried | None, share: float) -> str:
    if tried is None:
        return f"it waits for {share:.1%} of the time: too little to look for more"
    if not tried.gains:
        return "no other layout was tried: its objects are few, or change their sizes"
    most = max(gain for gain, _ in tried.gains)
    if most >= LEAST_GAIN:
        return f"no change that was tried saves enough on each variant of the machine: {most:.1%}"
    kinds = ", ".join(dict.fromkeys(trial.kind for _, trial in tried.gains))
    return f"nothing to gain here: of the layouts tried ({kinds}) the best saves {max(0, most):.1%}"


def _mate(culprit: Culprit, sample: Sample, culprits: list[Culprit]) -> str:
    """What else lies on its lines the most."""
    first, second, weight = sample.closeup.mates
    own = np.isin(first, culprit.contexts) & ~np.isin(second, culprit.contexts)
    if not own.any():
        return "other objects"
    sums = np.bincount(second[own], weight[own])
    most = int(sums.argmax())
    for one in culprits:
        if most in one.contexts:
            return one.said
    return "other objects"
