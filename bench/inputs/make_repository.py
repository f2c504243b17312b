"""Makes a seeded Git repository: a history of small changes to many text files in folders."""

import random
import subprocess
from collections.abc import Iterator

from generator import FEW_WORDS, arguments


def sentence(source: random.Random) -> str:
    return " ".join(source.choices(FEW_WORDS, k=source.randint(3, 10)))


def change(source: random.Random, lines: list[str]) -> None:
    for _ in range(source.randint(1, 6)):
        place = source.randrange(len(lines) + 1)
        if lines and source.random() < 0.4:
            del lines[min(place, len(lines) - 1)]
        else:
            lines.insert(place, sentence(source))


def data(text: str) -> bytes:
    encoded = text.encode()
    return b"data %d\n%s\n" % (len(encoded), encoded)


def history(source: random.Random, commits: int, files: int) -> Iterator[bytes]:
    """The history as `git fast-import` reads it; the dates are fixed, and so are all names."""
    contents: dict[int, list[str]] = {}
    for number in range(commits):
        who = f"Author {number % 7} <author{number % 7}@example.org> {1_000_000_000 + number} +0000"
        yield f"commit refs/heads/main\ncommitter {who}\n".encode()
        yield data(f"Change {number}: {sentence(source)}\n")
        for _ in range(source.randint(1, 4)):
            file = source.randrange(files)
            lines = contents.setdefault(file, [sentence(source) for _ in range(80)])
            change(source, lines)
            yield f"M 100644 inline folder{file % 20}/file{file}.txt\n".encode()
            yield data("\n".join(lines) + "\n")


def main() -> None:
    given = arguments(__doc__, commits=2000, files=400)
    make = ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(given.out)]
    subprocess.run(make, check=True)
    stream = b"".join(history(given.source, given.commits, given.files))
    subprocess.run(
        ["git", "-C", str(given.out), "fast-import", "--quiet"], input=stream, check=True
    )


if __name__ == "__main__":
    main()
