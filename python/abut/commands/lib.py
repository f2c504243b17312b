"""`abut lib`: the path of the library."""

from abut.library import library_path
from abut.preloading import preloadable


def command() -> None:
    """Print the path of abut's preloadable library, which is all that another tool needs.

    Example:

        LD_PRELOAD=$(abut lib) lua5.4 script.lua
    """
    print(preloadable(library_path()))
