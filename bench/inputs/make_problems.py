"""Writes a seeded problem for a solver: formulas of two logics, or axioms."""

import random

from generator import Lines, arguments, write_lines


def smt(source: random.Random, count: int) -> Lines:
    """Differences of integers and equal functions of them."""
    yield "(set-logic QF_UFLIA)\n(declare-fun f (Int) Int)"
    yield from (f"(declare-fun x{number} () Int)" for number in range(count))
    for _ in range(3 * count):
        a, b, c = (f"x{source.randrange(count)}" for _ in "abc")
        bound = source.randint(-40, 60)
        yield f"(assert (or (<= (- {a} {b}) {bound}) (= (f {b}) (f {c})) (> (+ {a} {c}) {bound})))"
    yield "(check-sat)"


def bits(source: random.Random, count: int) -> Lines:
    """Equations of words of bits, which are turned into gates and clauses."""
    yield "(set-logic QF_BV)"
    yield from (f"(declare-fun v{number} () (_ BitVec 16))" for number in range(count))
    for number in range(2, count):
        a, b = (f"v{source.randrange(number)}" for _ in "ab")
        operator = source.choice(["bvadd", "bvand", "bvxor", "bvmul"])
        yield f"(assert (= v{number} ({operator} {a} (bvor {b} #x{source.randrange(65536):04x}))))"
    yield f"(assert (bvult v{count - 1} #x0fff))\n(check-sat)"


def axioms(source: random.Random, count: int) -> Lines:
    """A group of exponent two is commutative, among paths that have nothing to do with it."""
    yield "fof(a, axiom, ! [X,Y,Z] : m(m(X,Y),Z) = m(X,m(Y,Z)))."
    yield "fof(e, axiom, ! [X] : m(e,X) = X).\nfof(i, axiom, ! [X] : m(X,X) = e)."
    for number in range(count):
        a, b = source.randrange(count), source.randrange(count)
        yield f"fof(p{number}, axiom, ! [X] : (p{a}(X) => (p{b}(f(X)) | q{a}(X,f(X)))))."
    yield "fof(goal, conjecture, ! [X,Y] : m(X,Y) = m(Y,X))."


KINDS = {"smt": smt, "bits": bits, "axioms": axioms}


def main() -> None:
    given = arguments(__doc__, *KINDS, count=100)
    write_lines(given.out, KINDS[given.kind](given.source, given.count))


if __name__ == "__main__":
    main()
