"""Writes a seeded Pascal program: many routines of loops, choices, arrays and calls.

It stays within the subset that the benchmark program `translate` reads. Every value is kept small
and every routine calls at most one earlier one, so the program can be run: it ends soon.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path

from generator import arguments

ARRAY = 16  # elements of each routine's array
SHARED = 7  # variables of the whole program


@dataclass
class Routine:
    """The names that a routine's body may use."""

    source: random.Random
    number: int
    names: list[str] = field(default_factory=list)

    def element(self) -> str:
        return f"table[abs({self.source.choice(self.names)}) mod {ARRAY}]"

    def expression(self, depth: int) -> str:
        if depth == 0 or self.source.random() < 0.25:
            atom = self.source.choice([*self.names, "unit", self.element()])
            return self.source.choice([atom, str(self.source.randint(0, 99))])
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        match self.source.randrange(4):
            case 0:
                return f"({left} * {right}) mod 1009"
            case 1:
                return f"({left} + {right}) div {self.source.randint(1, 9)}"
            case _:
                return f"({left} {self.source.choice('+-')} {right})"

    def condition(self) -> str:
        relation = self.source.choice(("<", ">", "<=", ">=", "=", "<>"))
        simple = f"({self.expression(1)} {relation} {self.expression(1)})"
        other = f"({self.source.choice(('not odd', 'odd'))}({self.expression(1)}))"
        return self.source.choice((simple, f"{simple} and {other}", f"{simple} or {other}"))

    def assignment(self) -> str:
        target = self.source.choice([*self.names, self.element()])
        return f"{target} := ({self.expression(3)}) mod 1009"

    def block(self, depth: int, pad: str) -> str:
        statements = [self.statement(depth, pad + "  ") for _ in range(self.source.randint(1, 3))]
        return "begin\n" + ";\n".join(statements) + f"\n{pad}end"

    def statement(self, depth: int, pad: str) -> str:
        kind = self.source.randrange(6) if depth else 5
        match kind:
            case 0:
                then = f"{pad}if {self.condition()} then {self.block(depth - 1, pad)}"
                return f"{then} else {self.block(depth - 1, pad)}"
            case 1:
                head = f"for count{depth} := 1 to {self.source.randint(2, 5)} do"
                return f"{pad}{head} {self.block(depth - 1, pad)}"
            case 2:
                arms = "".join(
                    f"{pad}  {arm * 2}, {arm * 2 + 1}: {self.assignment()};\n"
                    for arm in range(self.source.randint(2, 4))
                )
                chosen = f"{pad}case abs({self.source.choice(self.names)}) mod 8 of\n{arms}"
                return f"{chosen}{pad}else {self.assignment()}\n{pad}end"
            case 3:
                counter = f"count{depth}"
                work = self.statement(0, pad + "  ")
                return (
                    f"{pad}{counter} := 0;\n{pad}repeat\n{work};\n"
                    f"{pad}  {counter} := {counter} + 1\n{pad}until {counter} >= 3"
                )
            case _:
                return f"{pad}{self.assignment()}"

    def text(self) -> str:
        count = self.source.randint(1, 4)
        self.names = ["a", "b", *(f"local{i}" for i in range(count))]
        shared = self.number % SHARED
        call = f"shared{shared} := f{self.number - 1}(a, shared0);\n" if self.number else ""
        body = ";\n".join(self.statement(3, "  ") for _ in range(self.source.randint(3, 8)))
        local = ", ".join(self.names[2:])
        return (
            f"{{ routine {self.number} }}\n"
            f"function f{self.number}(a: integer; var b: integer): integer;\n"
            f"const unit = {self.source.randint(1, 500)};\n"
            f"var {local}, count1, count2, count3: integer;\n"
            f"    table: array [0..{ARRAY - 1}] of integer;\n"
            f"begin\n  {call}{body};\n"
            f"  f{self.number} := ({' + '.join(self.names)}) mod 1009\nend;\n\n"
        )


def write_program(path: Path, routines: int, source: random.Random) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.write("program generated;\nvar ")
        out.write(", ".join(f"shared{i}" for i in range(SHARED)) + ", turn: integer;\n\n")
        for number in range(routines):
            out.write(Routine(source, number).text())
        last = routines - 1
        out.write(
            "begin\n  for turn := 1 to 3 do begin\n"
            f"    shared1 := f{last}(turn, shared2);\n"
            "    writeln('turn ', turn, ' gives ', shared1, ' and ', shared2)\n  end\nend.\n"
        )


def main() -> None:
    given = arguments(__doc__, routines=500)
    write_program(given.out, given.routines, given.source)


if __name__ == "__main__":
    main()
