"""What other packages add to abut, by entry points of these groups:

abut.papers      a paper's measurements: a module as `abut.papers.Paper` describes it
abut.heaps       heaps to run programs under: a module as `abut.heaps.MoreHeaps` describes it
abut.presets     caches of machines: a package whose folder `presets` holds TOML files
abut.strategies  a strategy: a function `place`, or a module with one
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from abut.errors import AbutError


def entries(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name; the first of those with the same name."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, point)
    return found


def load(point: EntryPoint) -> Any:
    """What an entry point names. Raises AbutError where it cannot be loaded."""
    try:
        return point.load()
    except Exception as error:  # foreign code may raise anything
        raise AbutError(
            f"{point.name}: {point.value} cannot be loaded: {error}",
            fix="repair or remove the package that declares it",
        ) from error
