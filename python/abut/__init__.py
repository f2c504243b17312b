"""abut: a cache-conscious heap for native Linux programs, and the workbench that measures it."""

from typing import Any

__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    """Look `__version__` up when it is asked for: the look-up would slow every start."""
    if name != "__version__":
        raise AttributeError(f"module 'abut' has no attribute '{name}'")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("abut")
    except PackageNotFoundError:
        return "unknown (not installed)"
