"""The versions of what a comparison used: abut, its library, and each heap's package."""

import os
import subprocess
from collections.abc import Iterable

import abut
from abut.heaps import GLIBC, Heap
from abut.library import Library


def versions_of(heaps: Iterable[Heap]) -> dict[str, str | None]:
    """abut's own version, and by heap its version; None where it is not known."""
    found: dict[str, str | None] = {"python-abut": str(abut.__version__)}
    for heap in heaps:
        found[heap.name] = _version(heap)
    return found


def _version(heap: Heap) -> str | None:
    if heap == GLIBC:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc ") or None
    if heap.name.split("+")[0] == "abut" and heap.library:
        return Library(heap.library).version()
    return package_version(heap.package) if heap.package else None


def package_version(package: str) -> str | None:
    """Of an installed package of Debian's; None of any other."""
    try:
        shown = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return None
    return shown.stdout if shown.returncode == 0 else None
