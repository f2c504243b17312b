"""Writes seeded networks: of steps to order or to build, of facts, of resistors, of words."""

import random

from generator import WORDS, Lines, arguments, write_lines

_NEAR = 400
_SIDE_ROADS = 2


def order(source: random.Random, count: int) -> Lines:
    """Which step comes before which, for tsort; no circles."""
    names = [f"step-{source.getrandbits(40):x}-{number}" for number in range(count)]
    for number in range(1, count):
        for _ in range(_SIDE_ROADS):
            yield f"{names[source.randrange(number)]} {names[number]}"


def _needs(source: random.Random, number: int) -> str:
    low = max(0, number - _NEAR)
    needed = sorted({source.randrange(low, number) for _ in range(4)})
    return " ".join(f"obj/part.{one}" for one in needed)


def makefile(source: random.Random, count: int) -> Lines:
    """A rule a file, each of which needs some of the files before it."""
    yield f"all: obj/part.{count - 1}\nobj/part.0:"
    for number in range(1, count):
        yield f"obj/part.{number}: {_needs(source, number)}\n\tcc {source.choice(WORDS)}.c $^ -o $@"


def ninja(source: random.Random, count: int) -> Lines:
    """The same, as a file for Ninja."""
    yield "rule cc\n  command = cc $in -o $out\n\nbuild obj/part.0: phony"
    for number in range(1, count):
        yield f"build obj/part.{number}: cc {_needs(source, number)}"


def triples(source: random.Random, count: int) -> Lines:
    """Facts about people, in N-Triples: names, and who knows whom."""
    base = "http://example.org"
    for _ in range(count):
        person = f"<{base}/person/{source.randrange(count // 4 + 1)}>"
        if source.random() < 1 / 3:
            yield f'{person} <{base}/name> "{source.choice(WORDS)} {source.choice(WORDS)}" .'
        else:
            yield f"{person} <{base}/knows> <{base}/person/{source.randrange(count // 4 + 1)}> ."


def circuit(source: random.Random, count: int) -> Lines:
    """A grid of resistors, for SPICE: `count` on each side."""
    yield "a grid of resistors\nv1 n0x0 0 dc 5"
    number = 0
    for row in range(count):
        for column in range(count):
            for other in ((row + 1, column), (row, column + 1)):
                if max(other) < count:
                    number += 1
                    ohms = source.randint(10, 999)
                    yield f"r{number} n{row}x{column} n{other[0]}x{other[1]} {ohms}"
    yield f"rend n{count - 1}x{count - 1} 0 50\n.control\nop\nprint v(n1x1)\n.endc\n.end"


def facts(source: random.Random, count: int) -> Lines:
    """A logic program over a random graph: what can be reached in three steps."""
    for _ in range(2 * count):
        yield f"road({source.randrange(count)},{source.randrange(count)})."
    yield "two(X,Z) :- road(X,Y), road(Y,Z).\nthree(X,Z) :- two(X,Y), road(Y,Z)."
    yield "{ open(X,Y) } :- road(X,Y).\nback(X,Y) :- two(X,Y), open(Y,X)."


def lexicon(source: random.Random, count: int) -> Lines:
    """An automaton for OpenFST: a path of arcs from the first state for each word."""
    last = 0
    for _ in range(count):
        at = 0
        for letter in range(source.randint(4, 12)):
            last += 1
            yield f"{at} {last} {source.randint(1, 26 - letter)}"
            at = last
        yield f"{at}"


KINDS = {kind.__name__: kind for kind in (order, makefile, ninja, triples, circuit, facts, lexicon)}


def main() -> None:
    given = arguments(__doc__, *KINDS, count=1000)
    write_lines(given.out, KINDS[given.kind](given.source, given.count))


if __name__ == "__main__":
    main()
