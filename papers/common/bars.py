"""Bars beside each other: a group a program, a bar a heap, a strategy or a variant."""

from collections.abc import Mapping

from abut.reporters.charts import Chart


def bars(
    title: str, unit: str, heights: Mapping[str, Mapping[str, float]], level: float | None = 1
) -> Chart:
    """The heights are by program, and then by what the bars stand for."""
    names = dict.fromkeys(name for of_program in heights.values() for name in of_program)
    series = {
        name: {program: of[name] for program, of in heights.items() if name in of} for name in names
    }
    return Chart(title, unit, series, level)
