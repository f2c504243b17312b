"""A report as one file: a page with its style, its script and its data inside, and nothing else."""

import html
import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "page"
# In this order: each uses what is before it.
_LIBRARY = "chart.umd.min.js"  # as its makers publish it
_SCRIPTS = ("core", "charts", "culprits", "verdict", "maps", "flames", "views", "results", "main")


def page(document: dict[str, Any]) -> str:
    """The whole file. Nothing in it refers to another."""
    parts = {
        "title": html.escape(str(document["title"])),
        "style": (_FOLDER / "style.css").read_text(),
        "data": _safe(document),
        "library": (_FOLDER / _LIBRARY).read_text(),
        "script": "\n".join((_FOLDER / f"{name}.js").read_text() for name in _SCRIPTS),
    }
    pieces = (_FOLDER / "page.html").read_text().split("@")
    # Every second piece is a name.
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def _safe(document: dict[str, Any]) -> str:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")
