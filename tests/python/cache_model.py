"""Caches in the plainest words: lists of lines, searched from end to end.

Slow on purpose, and built apart from the simulator, so that both agree only where both are right.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

Access = tuple[int, int, bool]  # address, size, write


@dataclass
class Line:
    number: int
    dirty: bool = False
    age: int = 0  # of its last use, or of its arrival
    prediction: int = 2


class Xorshift:
    """Marsaglia's generator of 64 bits with the shifts 13, 7 and 17, begun by a seed."""

    def __init__(self, seed: int) -> None:
        self.state = (seed * 0x9E3779B97F4A7C15 | 1) % 2**64

    def way_of(self, ways: int) -> int:
        for shift in (13, -7, 17):
            moved = self.state << shift if shift > 0 else self.state >> -shift
            self.state = (self.state ^ moved) % 2**64
        return (self.state >> 32) * ways >> 32


@dataclass
class Model:
    """One cache. `below` is asked for what it misses; None is memory."""

    sets: int
    ways: int
    line: int
    policy: str = "lru"
    write_back: bool = True
    write_allocate: bool = True
    inclusion: str = "neither"
    below: "Model | None" = None
    above: "list[Model]" = field(default_factory=list)
    accesses: int = 0
    misses: int = 0
    write_backs: int = 0
    taken_back: int = 0
    clock: int = 0

    def __post_init__(self) -> None:
        # By way: None is an empty one. What is in a set keeps its way.
        self.content: list[list[Line | None]] = [[None] * self.ways for _ in range(self.sets)]
        self.random = Xorshift(seed=1)
        self.pointers = [[False] * (2 * self.ways) for _ in range(self.sets)]
        if self.below:
            self.below.above.append(self)

    def find(self, number: int) -> Line | None:
        ways = self.content[number % self.sets]
        return next((line for line in ways if line and line.number == number), None)

    def numbers(self) -> set[int]:
        return {line.number for ways in self.content for line in ways if line}

    def access(self, address: int, size: int, write: bool) -> None:
        for number in range(address // self.line, (address + size - 1) // self.line + 1):
            self.use(number, write)

    def use(self, number: int, write: bool) -> None:
        self.accesses += 1
        line = self.find(number)
        if line:
            self.touch(line)
        else:
            self.misses += 1
            # An exclusive level holds what left the ones above, and nothing else.
            if write and (not self.write_allocate or self.inclusion == "exclusive"):
                self.write_below(number)
                return
            line = self.arrive(number, self.fetch_below(number))
        if write and self.write_back:
            line.dirty = True
        elif write:
            self.write_below(number)

    def fetch(self, number: int) -> bool:
        self.accesses += 1
        line = self.find(number)
        if self.inclusion == "exclusive":
            if not line:
                self.misses += 1
                return self.fetch_below(number)
            self.remove(number)
            return line.dirty
        if line:
            self.touch(line)
        else:
            self.misses += 1
            self.arrive(number, self.fetch_below(number))
        return False

    def fetch_below(self, number: int) -> bool:
        return bool(self.below and self.below.fetch(number * self.line // self.below.line))

    def write_below(self, number: int) -> None:
        if self.below:
            self.below.use(number * self.line // self.below.line, True)

    def arrive(self, number: int, dirty: bool) -> Line:
        ways = self.content[number % self.sets]
        way = ways.index(None) if None in ways else self.choose(number % self.sets)
        victim = ways[way]
        line = Line(number, dirty)
        ways[way] = line
        self.clock += 1
        line.age = self.clock
        self.point_away(number % self.sets, way)
        if victim:
            self.leave(victim)
        return line

    def leave(self, victim: Line) -> None:
        dirty = victim.dirty
        if self.inclusion == "inclusive":
            for upper in self.above:
                dirty |= upper.take_back(victim.number * self.line, self.line)
        self.write_backs += dirty
        if not self.below:
            return
        number = victim.number * self.line // self.below.line
        if self.below.inclusion == "exclusive":
            self.below.victim(number, dirty)
        elif dirty:
            self.below.written_back(number)

    def victim(self, number: int, dirty: bool) -> None:
        line = self.find(number)
        if line:
            self.touch(line)
            line.dirty |= dirty
        else:
            self.arrive(number, dirty)

    def written_back(self, number: int) -> None:
        line = self.find(number)
        if line and self.write_back:
            line.dirty = True
        elif self.below:
            self.below.written_back(number * self.line // self.below.line)

    def take_back(self, address: int, size: int) -> bool:
        dirty = False
        for upper in self.above:
            dirty |= upper.take_back(address, size)
        for number in range(address // self.line, (address + size) // self.line):
            line = self.find(number)
            if line:
                self.taken_back += 1
                dirty |= line.dirty
                self.remove(number)
        return dirty

    def remove(self, number: int) -> None:
        ways = self.content[number % self.sets]
        ways[next(way for way, line in enumerate(ways) if line and line.number == number)] = None

    def touch(self, line: Line) -> None:
        self.clock += 1
        if self.policy == "lru":
            line.age = self.clock
        line.prediction = 0
        index = line.number % self.sets
        ways = self.content[index]
        self.point_away(index, next(way for way, other in enumerate(ways) if other is line))

    def choose(self, index: int) -> int:
        lines = [line for line in self.content[index] if line]
        if self.policy in ("lru", "fifo"):
            return min(range(self.ways), key=lambda way: lines[way].age)
        if self.policy == "plru":
            node = 1
            while node < self.ways:
                node = 2 * node + self.pointers[index][node]
            return node - self.ways
        if self.policy == "random":
            return self.random.way_of(self.ways)
        while True:
            for way, line in enumerate(lines):
                if line.prediction == 3:
                    return way
            for line in lines:
                line.prediction += 1

    def point_away(self, index: int, way: int) -> None:
        """Every node on the way down to this one points to its other half."""
        node = way + self.ways
        while node > 1:
            self.pointers[index][node // 2] = node % 2 == 0
            node //= 2


def compulsory_capacity_conflict(
    cache: Model, lines: Iterable[int], capacity: int
) -> tuple[int, int, int]:
    """Hill's classes of the misses of reads of these lines."""
    full = Model(1, capacity, cache.line)
    seen: set[int] = set()
    found: Counter[str] = Counter()
    for number in lines:
        before, full_before = cache.misses, full.misses
        cache.use(number, False)
        full.use(number, False)
        if cache.misses > before:
            kind = "capacity" if full.misses > full_before else "conflict"
            found["compulsory" if number not in seen else kind] += 1
        seen.add(number)
    return found["compulsory"], found["capacity"], found["conflict"]


def fewest_misses(lines: list[int], ways: int) -> int:
    """Of one set, by trying every victim: all that any policy could do."""
    states: dict[frozenset[int], int] = {frozenset(): 0}
    for number in lines:
        following: dict[frozenset[int], int] = {}
        for held, misses in states.items():
            if number in held:
                after = [(held, misses)]
            elif len(held) < ways:
                after = [(held | {number}, misses + 1)]
            else:
                after = [(held - {victim} | {number}, misses + 1) for victim in held]
            for state, count in after:
                following[state] = min(count, following.get(state, count))
        states = following
    return min(states.values())
