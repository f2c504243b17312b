"""Writes a seeded C file for a compiler to chew: many functions of loops, switches and calls.

The file needs no headers, so that what the compiler does depends on nothing but the compiler.
"""

import random

from generator import arguments

OPERATORS = ("+", "-", "*", "&", "|", "^")


def expression(source: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or source.random() < 0.2:
        return source.choice([*names, str(source.randint(1, 999))])
    left = expression(source, names, depth - 1)
    right = expression(source, names, depth - 1)
    return f"({left} {source.choice(OPERATORS)} {right})"


def statement(source: random.Random, names: list[str], depth: int) -> str:
    pad = "  " * (4 - depth)
    target = source.choice(names)
    value = expression(source, names, 3)
    kind = source.randrange(6) if depth else 0
    body = "".join(statement(source, names, depth - 1) for _ in range(2)) if kind in (1, 2) else ""
    match kind:
        case 1:
            return f"{pad}if ({value} > {expression(source, names, 1)}) {{\n{body}{pad}}}\n"
        case 2:
            turns = f"int i{depth} = 0; i{depth} < {source.randint(2, 40)}; i{depth}++"
            return f"{pad}for ({turns}) {{\n{body}{pad}}}\n"
        case 3:
            arms = "".join(
                f"{pad}  case {arm}: {target} += {expression(source, names, 2)}; break;\n"
                for arm in range(source.randint(3, 8))
            )
            return f"{pad}switch ({target} & 7) {{\n{arms}{pad}  default: {target} ^= 1;\n{pad}}}\n"
        case 4:
            return f"{pad}table[{target} & 255] = {value};\n"
        case _:
            return f"{pad}{target} = {value};\n"


def function(source: random.Random, number: int) -> str:
    names = [f"v{i}" for i in range(source.randint(3, 7))]
    declared = "".join(f"  unsigned {name} = a + {i};\n" for i, name in enumerate(names))
    body = "".join(statement(source, names, 3) for _ in range(source.randint(6, 14)))
    call = f"  v0 += f{source.randrange(number)}(v1, v2);\n" if number else ""
    return (
        f"unsigned f{number}(unsigned a, unsigned b) {{\n{declared}  v1 += b;\n"
        f"{body}{call}  return {' ^ '.join(names)};\n}}\n\n"
    )


def main() -> None:
    given = arguments(__doc__, functions=300)
    with given.out.open("w", encoding="utf-8") as out:
        out.write("static unsigned table[256];\n\n")
        for number in range(given.functions):
            out.write(function(given.source, number))


if __name__ == "__main__":
    main()
