"""Takes the pictures of reports that the documentation shows: one of each view.

usage: report_pictures.py PAGE.html FOLDER PREFIX [--dark]

Assumes what `pip install 'abut[browser]'` brings, and Debian's chromium.
"""

import argparse
import io
import shutil
import sys
from pathlib import Path

_WIDTH, _HEIGHT = 1240, 900
_COLOURS = 256
# A picture shows a view's beginning; what scrolls on is for the page itself.
_TALLEST = 1000


def take(page: Path, folder: Path, prefix: str, *, dark: bool = False) -> list[Path]:
    """Write a WebP of each view, and of the first screen."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    written = []
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(
            viewport={"width": _WIDTH, "height": _HEIGHT},
            color_scheme="dark" if dark else "light",
        )
        shown.goto(page.absolute().as_uri())
        shown.wait_for_selector("html[data-drawn]")
        # What stays on top while one scrolls would hide a view's heading.
        shown.add_style_tag(content=".top { position: static !important; }")
        for name in shown.eval_on_selector_all("main > section", "all => all.map(one => one.id)"):
            raw = shown.locator(f"#{name}").screenshot()
            picture = Image.open(io.BytesIO(raw)).convert("RGB")
            picture = picture.crop((0, 0, picture.width, min(picture.height, _TALLEST)))
            path = folder / f"{prefix}-{name}.webp"
            few = picture.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE)
            few.convert("RGB").save(path, lossless=True, method=6)
            written.append(path)
        browser.close()
    return written


def main() -> int:
    """Take the pictures of one page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("prefix")
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    for path in take(arguments.page, arguments.folder, arguments.prefix, dark=arguments.dark):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
