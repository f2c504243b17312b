"""All suites, in the order in which they are run."""

from . import cpython, glibc
from .model import Suite

SUITES: dict[str, Suite] = {suite.name: suite for suite in (glibc.SUITE, cpython.SUITE)}
