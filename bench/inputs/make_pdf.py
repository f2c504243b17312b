"""Writes a seeded PDF: pages of text in a standard font, each with links and an outline entry."""

import random

from generator import WORDS, arguments

_PER_PAGE = 4  # objects: page, contents, link, outline entry
_FIRST = 5


def page_text(source: random.Random) -> bytes:
    lines = [f"({' '.join(source.choices(WORDS, k=11))}) Tj T*" for _ in range(45)]
    return ("BT /F1 10 Tf 12 TL 50 780 Td\n" + "\n".join(lines) + "\nET").encode()


def objects(source: random.Random, pages: int) -> list[bytes]:
    numbers = [_FIRST + _PER_PAGE * page for page in range(pages)]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    entries = f"/First {numbers[0] + 3} 0 R /Last {numbers[-1] + 3} 0 R /Count {pages}"
    made = [
        b"<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Outlines {entries} >>".encode(),
    ]
    for number in numbers:
        text = page_text(source)
        there = f"[{source.choice(numbers)} 0 R /Fit]"
        following = f"/Next {number + _PER_PAGE + 3} 0 R" if number != numbers[-1] else ""
        made += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            f"/Annots [{number + 2} 0 R] /Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            f"<< /Length {len(text)} >>\nstream\n".encode() + text + b"\nendstream",
            f"<< /Type /Annot /Subtype /Link /Rect [50 50 90 60] /Dest {there} >>".encode(),
            f"<< /Title ({source.choice(WORDS)}) /Parent 4 0 R {following} >>".encode(),
        ]
    return made


def document(source: random.Random, pages: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects(source, pages), 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += (
        f"trailer << /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    )
    return bytes(out)


def main() -> None:
    given = arguments(__doc__, pages=200)
    given.out.write_bytes(document(given.source, given.pages))


if __name__ == "__main__":
    main()
