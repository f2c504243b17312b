"""What belongs beside the figures: what was missing, left out, different or cut short."""

import shlex

from abut.measure.measurement import Comparison
from abut.measure.sample import CPU, RSS
from abut.measure.summary import Summary

_CLOSER_RUNS = 20


def errors(comparison: Comparison) -> list[str]:
    """What makes the comparison fail: heaps that changed what a program does, broken programs."""
    found = [
        f"{program}: under {difference.heap} {difference.problem}"
        for program, differences in comparison.differences().items()
        for difference in differences
    ]
    found += [entry.reason for entry in comparison.left_out if entry.broken]
    return found


def notes(comparison: Comparison) -> list[str]:
    """What the reader should know besides, in plain words."""
    found = [f"{heap.name} left out: not installed ({heap.fix})" for heap in comparison.missing]
    found += [f"left out: {entry.reason}" for entry in comparison.left_out if not entry.broken]
    for measurement in comparison.measurements:
        found += [f"{measurement.workload.name}: {note}" for note in measurement.notes]
    if comparison.counters.reason:
        found.append(f"hardware counters: {comparison.counters.reason}")
    if comparison.interrupted:
        found.append("interrupted: the figures are of what was measured until then")
    return found


def next_step(summary: Summary) -> str:
    """The command to type next: a closer look at what this comparison showed."""
    comparison = summary.comparison
    if comparison.suite is None:
        argv = [shlex.join(program.measurement.workload.argv) for program in summary.programs]
        return f"abut run -- {argv[0]}" if argv else "abut heaps"
    again = f"abut compare --suite {comparison.suite}"
    if differing := comparison.differences():
        return f"{again} --only {','.join(differing)}"
    means = summary.means.get(CPU.key, {})
    ours = means.get("abut")
    if ours and ours.worst_program:
        return f"{again} --only {ours.worst_program} --runs {_CLOSER_RUNS}"
    return f"{again} --figure {RSS.key}"
