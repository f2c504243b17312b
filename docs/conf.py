"""How Sphinx builds these pages, with the reference that is generated meanwhile.

The version has one home: the project() line of CMakeLists.txt.
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent
sys.path.insert(0, str(_ROOT / "tools"))

import docs_data  # noqa: E402

_CMAKE = (_ROOT / "CMakeLists.txt").read_text()
_VERSION = re.search(r"project\(\s*abut\s+VERSION\s+([0-9.]+)", _CMAKE)

project = "abut"
author = "The abut authors"
project_copyright = f"2026, {author}"
release = version = _VERSION[1] if _VERSION else ""

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_extra_path = ["../build/docs-extra"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Types of other packages have no page here, and no other site is asked when these pages are built.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!abut\.).*"),
    (r"py:.*", r"abut\.(.*\._|trace\.native\.|simulation\.jobs\.).*"),
]

html_theme = "furo"
html_title = f"abut {release}"

# The papers' pages stand beside their code; a copy of each becomes a page of the folder `papers`.
_PAPERS = {page.parent.name: page for page in sorted(_ROOT.glob("papers/*/README.md"))}
(_HERE / "papers").mkdir(exist_ok=True)
for _name, _page in _PAPERS.items():
    shutil.copy2(_page, _HERE / "papers" / f"{_name}.md")

_PAPER_LINK = re.compile(rf"\]\((?:\.\./)+(?:papers/)?({'|'.join(_PAPERS)})/README\.md")


def _read(app: Any, docname: str, source: list[str]) -> None:
    """Generate what a page leaves to be generated."""
    page = Path(app.env.doc2path(docname))
    source[0] = _PAPER_LINK.sub(r"](/papers/\1.md", docs_data.filled(page))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _read)
