"""Writes a seeded text with markup: a web page, Markdown, a drawing, or a typeset report."""

import random

from generator import WORDS, Lines, arguments, write_lines


def sentence(source: random.Random, low: int = 6, high: int = 18) -> str:
    return " ".join(source.choices(WORDS, k=source.randint(low, high))).capitalize() + "."


def html(source: random.Random, count: int) -> Lines:
    """Not quite right, as pages are: some elements are never closed."""
    yield "<html><head><title>Survey</title></head><body>"
    for number in range(count):
        cells = "".join(f"<td>{source.choice(WORDS)}" for _ in range(4))
        yield f"<h2 id=s{number}>{sentence(source, 2, 5)}</h2><p>{sentence(source)}"
        yield f"<b>{sentence(source)}</b><table><tr>{cells}</tr></table>"
        yield f"<ul><li>{sentence(source)}<li>{sentence(source)}</ul>"
    yield "</body></html>"


def markdown(source: random.Random, count: int) -> Lines:
    for number in range(count):
        yield f"## {sentence(source, 2, 5)}\n"
        yield f"{sentence(source)} *{sentence(source, 2, 4)}* and `{source.choice(WORDS)}`,"
        yield f"[{source.choice(WORDS)}](https://example.org/{number}). {sentence(source)}\n"
        yield f"- {sentence(source)}\n- **{sentence(source)}**\n\n> {sentence(source)}\n"


def svg(source: random.Random, count: int) -> Lines:
    yield '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">'
    for _ in range(count):
        x, y, shade = source.randrange(400), source.randrange(400), source.randrange(0x1000000)
        points = " ".join(
            f"{x + source.randint(-9, 9)},{y + source.randint(-9, 9)}" for _ in "abcd"
        )
        yield f'<g opacity="0.5"><polygon points="{points}" style="fill:#{shade:06x}"/>'
        yield f'<path d="M{x} {y}q5 9 {source.randint(1, 20)} 3z" stroke="#{shade:06x}"/></g>'
    yield "</svg>"


def roff(source: random.Random, count: int) -> Lines:
    yield ".TL\nSurvey\n.AU\nNobody"
    for _ in range(count):
        yield f".SH\n{sentence(source, 2, 5)}\n.PP\n{sentence(source)}\n.B {source.choice(WORDS)}"
        yield "\n".join(sentence(source) for _ in range(4))
        yield f".IP \\(bu\n{sentence(source)}\n.I {source.choice(WORDS)}"


KINDS = {"html": html, "markdown": markdown, "svg": svg, "roff": roff}


def main() -> None:
    given = arguments(__doc__, *KINDS, count=1000)
    write_lines(given.out, KINDS[given.kind](given.source, given.count))


if __name__ == "__main__":
    main()
