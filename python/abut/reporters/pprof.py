"""Costs by call chain for pprof: its profile.proto, compressed. See github.com/google/pprof."""

import gzip
from collections.abc import Iterable
from typing import Generic, TypeVar

from abut.simulation.costs import Costs
from abut.trace.symbols import Place

_UNKNOWN = Place("", 0, "unknown")
# Fields of profile.proto by message.
_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRING = 1, 2, 4, 5, 6
_BYTES = 2  # the wire type of what has a length
_LOW, _MORE = 0x7F, 0x80
_Key = TypeVar("_Key")


def pprof(costs: Costs) -> bytes:
    """The profile: a sample a stack, the innermost function first, with a value a figure."""
    strings = _Numbers[str]([""])
    functions, locations = _Numbers[tuple[str, str]](), _Numbers[tuple[int, int]]()
    samples = []
    for stack in costs.stacks:
        ids = []
        for place in list(stack.places)[::-1] or [_UNKNOWN]:
            name = str(Place(place.module, place.offset, place.function))
            function = functions.of((name, place.file or ""))
            ids.append(locations.of((function, place.line or 0)))
        samples.append(_packed(1, ids) + _packed(2, costs.of(stack)))
    out = [
        _message(
            _SAMPLE_TYPE,
            _varint_field(1, strings.of(figure))
            + _varint_field(2, strings.of("bytes" if figure == "bytes" else "count")),
        )
        for figure in costs.figures
    ]
    out += [_message(_SAMPLE, one) for one in samples]
    out += [
        _message(
            _LOCATION,
            _varint_field(1, number)
            + _message(4, _varint_field(1, function) + _varint_field(2, line)),
        )
        for (function, line), number in locations.items()
    ]
    out += [
        _message(
            _FUNCTION,
            _varint_field(1, number)
            + _varint_field(2, strings.of(name))
            + _varint_field(4, strings.of(file)),
        )
        for (name, file), number in functions.items()
    ]
    out += [_message(_STRING, text.encode()) for text, _ in strings.items()]
    return gzip.compress(b"".join(out), mtime=0)


class _Numbers(Generic[_Key]):
    """Numbers of things in the order in which they were asked for, from 1; from 0 after a first."""

    def __init__(self, first: Iterable[_Key] = ()) -> None:
        self._known = {one: number for number, one in enumerate(first)}
        self._base = 0 if self._known else 1

    def of(self, key: _Key) -> int:
        """Its number."""
        return self._known.setdefault(key, len(self._known) + self._base)

    def items(self) -> list[tuple[_Key, int]]:
        """All, in order."""
        return list(self._known.items())


def _varint(value: int) -> bytes:
    parts = []
    while value > _LOW:
        parts.append(value & _LOW | _MORE)
        value >>= 7
    return bytes([*parts, value])


def _varint_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _packed(number: int, values: Iterable[int]) -> bytes:
    return _message(number, b"".join(map(_varint, values)))
