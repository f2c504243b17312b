"""Strategies: one module each, with ABOUT, a line, and `place`, from objects to a layout.

Another package adds one as an entry point of the group `abut.strategies`: its name, and such a
`place` function or a module with one.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from abut.errors import AbutError, unknown
from abut.plugins import entries, load
from abut.tuning.objects import Layout, Objects

GROUP = "abut.strategies"
STANDARD = "combined"
Place = Callable[[Objects], Layout]


class Strategy(NamedTuple):
    """A way to lay objects out."""

    name: str
    about: str
    place: Place


def strategy_names() -> list[str]:
    """All that there are, abut's own first."""
    own = sorted(module.name.replace("_", "-") for module in iter_modules([str(_FOLDER)]))
    return own + sorted(set(entries(GROUP)) - set(own))


def find_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises AbutError where there is none, or it cannot be loaded."""
    if name not in strategy_names():
        raise unknown("strategy", name, strategy_names())
    others = entries(GROUP)
    if name in others:
        return _loaded(others[name])
    module = _own(name)
    return Strategy(name, module.ABOUT, module.place)


def uses(name: str, what: str) -> bool:
    """Whether a layout depends on the `seed` or the `cache`; another package's may on both."""
    if name in entries(GROUP):
        return True
    return name in strategy_names() and getattr(_own(name), "USES", "") == what


def _own(name: str) -> Any:
    return import_module(f"{__name__}.{name.replace('-', '_')}")


_FOLDER = Path(__file__).parent


def _loaded(point: EntryPoint) -> Strategy:
    found = load(point)
    place = getattr(found, "place", found)
    if not callable(place):
        raise AbutError(
            f"{point.name}: {point.value} has no function `place`",
            fix="see docs/guides/strategy.md",
        )
    about = getattr(found, "ABOUT", None) or (place.__doc__ or "").partition("\n")[0]
    return Strategy(point.name, about, place)
