"""How Sphinx builds these pages. The version has one home: the project() line of CMakeLists.txt."""

import re
from pathlib import Path

_CMAKE = Path(__file__).resolve().parents[1] / "CMakeLists.txt"
_VERSION = re.search(r"project\(\s*abut\s+VERSION\s+([0-9.]+)", _CMAKE.read_text())

project = "abut"
author = "The abut authors"
project_copyright = f"2026, {author}"
release = version = _VERSION[1] if _VERSION else ""

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["man"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Types of other packages have no page here, and no other site is asked when these pages are built.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!abut\.).*"),
    (r"py:.*", r"abut\.(.*\._|trace\.native\.).*"),
]

html_theme = "furo"
html_title = f"abut {release}"
