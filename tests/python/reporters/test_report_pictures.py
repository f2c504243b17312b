"""What each panel of the page looks like, beside what it looked like: wide, narrow, light, dark.

Of a panel its ink is kept: how far small squares of it are from the ground. It may differ as much
as other fonts make it differ. Where a page is to look otherwise, look at it, and let
ABUT_REWRITE_PICTURES=1 write page_pictures.json again.
"""

import base64
import contextlib
import io
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abut.reporters.html import page
from abut.trace.native import Array
from report_traces import COMPARISON, TUNING, document_of, pairs_trace

image = pytest.importorskip("PIL.Image", reason="pip install 'abut[browser]'")
pytestmark = pytest.mark.long

REFERENCES = Path(__file__).with_name("page_pictures.json")
COLUMNS, ROWS, INKS = 64, 8, 16
DARK = 3  # letters cover little of their lines
# Of the ink, how much may be elsewhere than in the squares about; how much higher a panel may be.
ELSEWHERE, HIGHER = 0.4, 0.35
KINDS = "figure, .scroll, .card, .next, .bars, .flame, svg"
# Those that are seen, none of them inside of another; of each what it is, and its place.
PANELS = """kinds => {
    const all = [...document.querySelectorAll(kinds)].filter((one) => one.checkVisibility());
    window.panels = all.filter((one) => !all.some((other) => other !== one && other.contains(one)));
    return window.panels.map((one) => {
        const box = one.getBoundingClientRect(), kind = one.classList[0] || one.localName;
        return [`${one.closest("section").id} ${kind}`,
                [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY]];
    });
}"""
# Two of these, or of the words between them, that lie on each other.
OVERLAPS = """() => {
    const words = [...document.querySelectorAll("main :is(h1, h2, h3, p, li, summary, .tools)")];
    const all = [...new Set([...window.panels, ...words])]
        .filter((one) => one.checkVisibility())
        .filter((one) => !window.panels.some((panel) => panel !== one && panel.contains(one)))
        .map((one) => [one, one.getBoundingClientRect()]);
    const on = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    return all.flatMap(([one, box], i) => all.slice(i + 1)
        .filter(([other, its]) => on(box, its) && !one.contains(other) && !other.contains(one))
        .map(([other]) => [one.innerText.slice(0, 40), other.innerText.slice(0, 40)]));
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every part that there is."""
    folder = tmp_path_factory.mktemp("pictures")
    with contextlib.chdir(folder):  # paths are on the page
        trace = pairs_trace(Path("run.trace"), 500, build_id="0f", threads=2)
        results = ({**one, "file": "x.json"} for one in (COMPARISON, TUNING))
        comparison, tuning = ([one] for one in results)
        document = document_of(trace, comparisons=comparison, tunings=tuning)
    (folder / "report.html").write_text(page(document))
    return folder / "report.html"


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")], ids=str)
def shown(browser: Any, report: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    width, colours = request.param
    complaints: list[str] = []
    opened = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(report.as_uri())
    opened.wait_for_selector("html[data-drawn]")
    yield opened
    assert complaints == []
    opened.close()


Picture = tuple[float, Array]


def pictures_of(shown: Any) -> list[tuple[str, Picture]]:
    """All panels, in the order of the page."""
    found = shown.evaluate(PANELS, KINDS)
    whole = image.open(io.BytesIO(shown.screenshot(full_page=True, animations="disabled")))
    return [(name, picture_of(whole.crop(box))) for name, box in found]


def picture_of(panel: Any) -> Picture:
    """Its height by its width, and its ink."""
    grey = panel.convert("L")
    ground = int(np.argmax(grey.histogram()))
    far = image.fromarray(np.abs(np.asarray(grey, np.int16) - ground).astype(np.uint8))
    mean = np.asarray(far.resize((COLUMNS, ROWS), image.Resampling.BOX), np.float64)
    ink = np.minimum(INKS - 1, mean * DARK * INKS / 256).astype(np.uint8)
    return round(grey.height / grey.width, 3), ink


def differs(found: Picture, wanted: Picture) -> str:
    """How a picture differs from another, where that is more than fonts make it."""
    if abs(found[0] / wanted[0] - 1) > HIGHER:
        return f"{found[0]:.2f} of its width high, and was {wanted[0]:.2f}"
    share = elsewhere(found[1], wanted[1])
    return f"{share:.0%} of its ink is elsewhere" if share > ELSEWHERE else ""


def elsewhere(found: Array, wanted: Array) -> float:
    both = ((found, wanted), (wanted, found))
    whole = float(max(1, found.sum(), wanted.sum()))
    return max(_not_about(one, other) for one, other in both) / whole


def _not_about(ink: Array, other: Array) -> float:
    """What no square about has as much of."""
    wide = np.pad(other.astype(np.int64), 1, mode="edge")
    about = [wide[y : y + ROWS, x : x + COLUMNS] for y in range(3) for x in range(3)]
    return float(np.maximum(0, ink - np.max(about, axis=0)).sum())


def packed(picture: Picture) -> list[Any]:
    return [picture[0], base64.b64encode(zlib.compress(picture[1].tobytes(), 9)).decode()]


def unpacked(kept: list[Any]) -> Picture:
    ink = np.frombuffer(zlib.decompress(base64.b64decode(kept[1])), np.uint8)
    return kept[0], ink.reshape(ROWS, COLUMNS)


def text_of(kept: dict[str, list[list[Any]]]) -> str:
    """JSON with a panel a line."""
    views = [
        f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, panels)) + "]"
        for name, panels in kept.items()
    ]
    return "{" + ",\n".join(views) + "}\n"


def differences(shown: Any, kept: list[list[Any]]) -> list[str]:
    pictures = pictures_of(shown)
    assert [panel for panel, _ in pictures] == [panel for panel, *_ in kept]
    return [
        f"{panel}: {said}"
        for (panel, picture), (_, *wanted) in zip(pictures, kept, strict=True)
        if (said := differs(picture, unpacked(wanted)))
    ]


def test_each_panel_looks_as_it_did(shown: Any, request: pytest.FixtureRequest) -> None:
    name, kept = request.node.callspec.id, json.loads(REFERENCES.read_text())
    if os.environ.get("ABUT_REWRITE_PICTURES"):
        kept[name] = [[panel, *packed(picture)] for panel, picture in pictures_of(shown)]
        REFERENCES.write_text(text_of(kept))
    assert differences(shown, kept[name]) == []


def test_no_panel_lies_on_another(shown: Any) -> None:
    shown.evaluate(PANELS, KINDS)
    assert shown.evaluate(OVERLAPS) == []


def test_a_panel_that_is_gone_or_lies_on_another_is_seen(shown: Any) -> None:
    pictures = pictures_of(shown)
    kept = [[panel, *packed(picture)] for panel, picture in pictures]
    draw = "([number, style]) => window.kept[number].setAttribute('style', style)"
    shown.evaluate("window.kept = window.panels")
    for number in range(0, len(kept), 5):
        panel = kept[number][0]
        shown.evaluate(draw, [number, "opacity: 0"])
        assert differences(shown, kept) == [f"{panel}: 100% of its ink is elsewhere"]
        shown.evaluate(draw, [number, "position: relative; top: -160px"])
        assert shown.evaluate(OVERLAPS), panel
        shown.evaluate(draw, [number, "display: none"])
        with pytest.raises(AssertionError):
            differences(shown, kept)
        shown.evaluate(draw, [number, ""])
    assert differences(shown, kept) == []
