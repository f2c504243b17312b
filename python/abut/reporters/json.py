"""A comparison as one JSON object: the machine, the heaps, every raw sample and every summary.

Keys name their units; `schema` grows when a key changes its meaning or goes.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from abut.machine import Machine
from abut.measure.statistics import CONFIDENCE, REPLICATES, Estimate
from abut.measure.summary import Cell, Mean, ProgramSummary, Summary

SCHEMA = 1


def comparison_json(summary: Summary, machine: Machine, versions: Mapping[str, str | None]) -> str:
    """The whole comparison. `versions` names what was used: abut, and each heap."""
    comparison = summary.comparison
    document = {
        "schema": SCHEMA,
        "machine": dataclasses.asdict(machine),
        "versions": dict(versions),
        "settings": {
            "suite": comparison.suite,
            **dataclasses.asdict(comparison.plan),
            "confidence": CONFIDENCE,
            "bootstrap_replicates": REPLICATES,
        },
        "reference": comparison.reference,
        "heaps": [
            {
                "name": heap.name,
                "library": str(heap.library) if heap.library else None,
                "environment": dict(heap.environment),
            }
            for heap in comparison.heaps
        ],
        "missing_heaps": [
            {"name": heap.name, "package": heap.package} for heap in comparison.missing
        ],
        "hardware_counters": {
            "counted": [event.key for event in comparison.counters.events],
            "reason": comparison.counters.reason or None,
        },
        "benchmarks": [_program(program) for program in summary.programs],
        "left_out": [dataclasses.asdict(entry) for entry in comparison.left_out],
        "geometric_means": {
            "benchmarks": summary.counted,
            "figures": {
                figure: {heap: _mean(mean) for heap, mean in means.items()}
                for figure, means in summary.means.items()
            },
        },
        "interrupted": comparison.interrupted,
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _program(program: ProgramSummary) -> dict[str, Any]:
    measurement = program.measurement
    workload = measurement.workload
    return {
        "name": workload.name,
        "about": workload.about,
        "kind": workload.kind,
        "command": list(workload.argv),
        "figures": {
            figure: {heap: _cell(cell) for heap, cell in row.items()}
            for figure, row in program.cells.items()
        },
        "samples": {
            heap: [dataclasses.asdict(sample) for sample in samples]
            for heap, samples in measurement.samples.items()
        },
        "differences": [dataclasses.asdict(entry) for entry in measurement.differences],
        "notes": measurement.notes,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "median": _estimate(cell.median),
        "to_reference": _estimate(cell.to_reference),
        "to_best": _estimate(cell.to_best),
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {
        "to_reference": _estimate(mean.to_reference),
        "to_best": _estimate(mean.to_best),
        "worst_to_best": mean.worst_to_best,
        "worst_benchmark": mean.worst_program,
    }


def _estimate(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}
