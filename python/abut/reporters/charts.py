"""Several charts in one picture: bars where values stand over names, lines over numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abut.errors import AbutError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
_INCHES, _NAME_INCHES, _BAR_SHARE, _FEW = (11.0, 3.0), 0.6, 0.8, 8


@dataclass(frozen=True, slots=True)
class Chart:
    """Series of values, each over names or numbers; `scale` as matplotlib names it.

    A line is drawn at `level`: what all is compared with. `errors`: of bars, by series, how far
    their intervals reach below and above.
    """

    title: str
    value: str
    series: Mapping[str, Mapping[str, float] | Mapping[float, float]]
    level: float | None = None
    scale: str = "linear"
    errors: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)

    @property
    def places(self) -> list[Any]:
        """The names or numbers, each once."""
        return list(dict.fromkeys(at for points in self.series.values() for at in points))


def check_format(path: Path) -> None:
    """Raise AbutError when no picture can be written as `path` says, before anything is run."""
    if path.suffix.lower() not in FORMATS:
        problem = f"{path}: not a format that plots are written in"
        raise AbutError(problem, fix=f"end the name in {' or '.join(FORMATS)}")
    try:
        import matplotlib  # noqa: F401 (is it there?)
    except ImportError as error:
        problem = "plots need matplotlib, which is not installed"
        raise AbutError(problem, fix="pip install 'abut[plot]'") from error


def draw_charts(charts: Sequence[Chart], path: Path) -> None:
    """Write the charts, one below the other, as PNG or SVG by the path's suffix."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    width, height = _INCHES
    names = [name for chart in charts for name in chart.places if isinstance(name, str)]
    width = max(width, _NAME_INCHES * len(set(names)))
    canvas = Figure(figsize=(width, height * max(1, len(charts))), layout="constrained")
    for place, chart in enumerate(charts):
        axes = canvas.add_subplot(len(charts), 1, place + 1)
        axes.set_prop_cycle(color=colormaps["tab20"].colors)  # type: ignore[attr-defined]
        _draw(axes, chart)
        axes.set_title(chart.title, loc="left", fontsize=9, parse_math=False)
        axes.set_ylabel(chart.value, fontsize=8)
        axes.set_yscale(chart.scale)
        if chart.level is not None:
            axes.axhline(chart.level, color="black", linewidth=0.8)
        if len(chart.series) > 1:
            axes.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1, 1))
    canvas.savefig(path, dpi=150)


def _draw(axes: "Axes", chart: Chart) -> None:
    names = chart.places
    if not all(isinstance(name, str) for name in names):
        for label, points in chart.series.items():
            axes.plot([*map(float, points)], list(points.values()), ".-", label=label)
        return
    width = _BAR_SHARE / max(1, len(chart.series))
    for number, (label, points) in enumerate(chart.series.items()):
        at = [names.index(name) + (number + 0.5) * width - _BAR_SHARE / 2 for name in points]
        errors = [*zip(*chart.errors[label], strict=True)] if chart.errors.get(label) else None
        axes.bar(at, list(points.values()), width, label=label, yerr=errors, capsize=2)
    slanted: dict[str, Any] = {"rotation": 30, "ha": "right"} if len(names) > _FEW else {}
    axes.set_xticks(range(len(names)), names, fontsize=7, **slanted)
