"""Numbers as people read them: four digits at most, and the unit that suits the size."""

from abut.measure.statistics import Estimate

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))
_BYTES = ((float(1 << 30), "GiB"), (float(1 << 20), "MiB"), (float(1 << 10), "KiB"), (1.0, "B"))
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SCALES = {"s": _TIMES, "B": _BYTES, "": _COUNTS}
_TENS, _HUNDREDS = 10, 100


def amount(value: float, unit: str) -> str:
    """`value` of `unit` ("s", "B" or "" for a count), scaled: 0.0123 of "s" is "12.3 ms"."""
    scales = _SCALES[unit]
    scale, name = next((pair for pair in scales if abs(value) >= pair[0]), scales[-1])
    return f"{_digits(value / scale)} {name}".strip()


def with_interval(estimate: Estimate, unit: str) -> str:
    """The value and half the width of its interval, as a share: "1.23 s ±2%"; or no interval."""
    if (half := estimate.half_width) is None:
        return amount(estimate.value, unit)
    share = half / estimate.value if estimate.value else 0.0
    return f"{amount(estimate.value, unit)} ±{share:.1%}"


def ratio_text(estimate: Estimate | None) -> str:
    """A bare ratio, or a dash where there is none."""
    return f"{estimate.value:.2f}" if estimate else "-"


def ratio_with_interval(estimate: Estimate | None) -> str:
    """A ratio and half the width of its interval: "0.93 ±0.02"; or no interval."""
    if estimate is None or (half := estimate.half_width) is None:
        return ratio_text(estimate)
    return f"{estimate.value:.2f} ±{half:.2f}"


def _digits(value: float) -> str:
    size = abs(value)
    if size == round(size) and size < _HUNDREDS:
        return f"{value:.0f}"
    return f"{value:.{0 if size >= _HUNDREDS else 1 if size >= _TENS else 2}f}"
