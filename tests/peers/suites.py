"""All suites, in the order in which they are run."""

from . import allocators, cpython, glibc, scripts
from .model import Suite

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (glibc.SUITE, cpython.SUITE, *allocators.SUITES, *scripts.suites())
}
