"""The terminal that verbs print to. A file or a pipe gets room instead of wrapped lines."""

import sys

from rich.console import Console

_FILE_WIDTH = 160


def console() -> Console:
    """Standard output."""
    return Console(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False)


def error_console() -> Console:
    """Standard error."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else _FILE_WIDTH, highlight=False)
