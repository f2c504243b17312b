"""Hardware counters of another process through perf_event_open, where the machine has them.

Counting begins when the process execs and takes in its children; user-space work alone is
counted, which is what an unprivileged user may see.
"""

import ctypes
import errno
import os
import platform
import struct
from dataclasses import dataclass

_SYSCALL_NUMBERS = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
_ATTR_BYTES = 112
_CLOSE_ON_EXEC = 1 << 3
_READ_TIMES = 0b11  # time enabled and time running follow the value
_DISABLED, _INHERIT, _NO_KERNEL, _NO_HYPERVISOR, _ON_EXEC = (1 << bit for bit in (0, 1, 5, 6, 12))
_FLAGS = _DISABLED | _INHERIT | _NO_KERNEL | _NO_HYPERVISOR | _ON_EXEC


@dataclass(frozen=True, slots=True)
class Event:
    """A kernel event: `type` and `config` as perf_event_open(2) numbers them."""

    key: str
    type: int
    config: int


HARDWARE_EVENTS = (
    Event("cycles", 0, 0),
    Event("instructions", 0, 1),
    Event("cache-misses", 0, 3),
    Event("dtlb-misses", 3, 3 | 1 << 16),
)


@dataclass(frozen=True, slots=True)
class Availability:
    """Which events this machine counts, and in plain words why the rest are not."""

    events: tuple[Event, ...]
    reason: str


def available(events: tuple[Event, ...] = HARDWARE_EVENTS) -> Availability:
    """Try every event on this process and keep those that the kernel grants."""
    granted = []
    reason = ""
    for event in events:
        try:
            os.close(_open(event, 0))
            granted.append(event)
        except OSError as error:
            reason = _reason(error.errno)
    return Availability(tuple(granted), reason)


class Counters:
    """Counters attached to a process that has not yet exec'd. Close them after reading."""

    def __init__(self, pid: int, events: tuple[Event, ...]) -> None:
        self._files: dict[str, int] = {}
        try:
            for event in events:
                self._files[event.key] = _open(event, pid)
        except OSError:
            self.close()
            raise

    def read(self) -> dict[str, int]:
        """The counts, scaled up where the kernel had to share a counter between events.

        An event that never got a counter is left out.
        """
        counts = {}
        for key, file in self._files.items():
            value, enabled, running = struct.unpack("QQQ", os.read(file, 24))
            if running:
                counts[key] = round(value * enabled / running)
        return counts

    def close(self) -> None:
        """Give the counters back."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()


def _open(event: Event, pid: int) -> int:
    number = _SYSCALL_NUMBERS.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    head = struct.pack("IIQQQQQ", event.type, _ATTR_BYTES, event.config, 0, 0, _READ_TIMES, _FLAGS)
    attributes = ctypes.create_string_buffer(head, _ATTR_BYTES)
    system = ctypes.CDLL(None, use_errno=True)
    any_cpu, no_group = ctypes.c_int(-1), ctypes.c_int(-1)
    file = system.syscall(
        ctypes.c_long(number), attributes, ctypes.c_int(pid), any_cpu, no_group,
        ctypes.c_ulong(_CLOSE_ON_EXEC),
    )  # fmt: skip
    if file < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(file)


def _reason(code: int | None) -> str:
    if code in (errno.EACCES, errno.EPERM):
        return "not permitted (sysctl kernel.perf_event_paranoid=2 would permit them)"
    return "not available on this machine"
