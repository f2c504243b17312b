"""The environment that programs are started with: the caller's, as the caller set it.

Assumes Linux's /proc/self/environ, which keeps what this process was started with.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def untouched_environment() -> dict[str, str]:
    """This process's environment without what Python itself added to it.

    In the C locale Python sets LC_CTYPE for itself and its children; the program must not see it.
    """
    environment = dict(os.environ)
    if environment.get("LC_CTYPE", "").upper() in {"C.UTF-8", "C.UTF8", "UTF-8"}:
        try:
            started_with = Path("/proc/self/environ").read_bytes().split(b"\0")
        except OSError:
            return environment
        if not any(entry.startswith(b"LC_CTYPE=") for entry in started_with):
            del environment["LC_CTYPE"]
    return environment


def copying_in_vectors(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, with which the C library copies and clears by vectors, not `rep movsb` and
    `rep stosb`: Valgrind takes each byte of those as an instruction and an access.
    """
    name = "GLIBC_TUNABLES"
    others = environment.get(name, "")
    return {**environment, name: f"{others}{':' if others else ''}glibc.cpu.hwcaps=-ERMS"}
