"""The page in a real browser, from a file, without a network: what it draws, how it answers."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abut.reporters.html import page
from report_traces import document_of, pairs_trace

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.long

VIEWS = [
    *("verdict", "culprits", "use", "maps", "flames", "curves", "pairs", "pages", "memory"),
    *("contexts", "trust"),
]
GIVEN = "ABUT_TEST_REPORT"
MOST_SECONDS, MOST_BYTES = 3.0, 2_000_000


def _tiny(folder: Path) -> dict[str, Any]:
    return document_of(pairs_trace(folder / "run.trace", 3, build_id="0f"))


def _typical(folder: Path) -> dict[str, Any]:
    return document_of(pairs_trace(folder / "run.trace", 2000, chunk=2000, build_id="0f"))


def _big(folder: Path) -> dict[str, Any]:
    """As much as a page can hold: all rows of a map, more contexts than are shown, windows."""
    trace = pairs_trace(
        folder / "run.trace", 20_000, walks=6, callers=300, chunk=2000, build_id="0f"
    )
    return document_of(trace, most_accesses=100_000)


def _two(folder: Path) -> dict[str, Any]:
    traces = [pairs_trace(folder / name, 500, walks=walks) for name, walks in (("a", 2), ("b", 4))]
    return document_of(*traces)


PAGES = {"tiny": _tiny, "typical": _typical, "big": _big, "two": _two}


@pytest.fixture(scope="module", params=[*PAGES, GIVEN] if os.environ.get(GIVEN) else [*PAGES])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page: of runs that are made up, and the one that the environment names."""
    if request.param == GIVEN:
        return Path(os.environ[GIVEN]).absolute()
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "report.html"
    path.write_text(page(PAGES[request.param](folder)))
    return path


@pytest.fixture(params=["light", "dark"])
def shown(browser: Any, report: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The page, drawn; nothing was complained of, and nothing asked for."""
    said: list[str] = []
    asked: list[str] = []
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=request.param)
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda one: asked.append(one.url))
    opened.goto(report.as_uri())
    opened.wait_for_selector("html[data-drawn]", timeout=1000 * MOST_SECONDS)
    yield opened
    assert said == []
    assert asked == [report.as_uri()]
    opened.close()


def test_every_view_draws(shown: Any) -> None:
    assert shown.eval_on_selector_all("main > section", "all => all.map(one => one.id)") == VIEWS
    for view in ("use", "flames", "curves", "pairs", "pages", "contexts"):
        drawn = f"#{view} svg, #{view} .track, #{view} .chart canvas"
        assert shown.locator(drawn).count() > 0, view
    painted = """canvas => {
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data.some((one) => one !== 0);
    }"""
    maps = shown.locator("#maps .stage > canvas:first-child")
    assert maps.count() == 2
    assert all(maps.nth(i).evaluate(painted) for i in range(2))
    charts = shown.locator(".chart canvas:visible")
    assert all(charts.nth(i).evaluate(painted) for i in range(charts.count()))
    for view in VIEWS[2:-1]:
        assert shown.locator(f"#{view} details table").count() > 0, view


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_the_screen(shown: Any, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 900})
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    tops = shown.eval_on_selector_all("#nav a", "all => all.map(one => one.offsetTop)")
    assert len(set(tops)) == 1, "navigation is on one line"


def test_an_action_can_be_copied(shown: Any) -> None:
    shown.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; }")
    shown.locator("#verdict .copy").last.click()
    assert shown.evaluate("window.copied") == shown.evaluate("doc.next")


def test_it_is_small_and_opens_at_once(shown: Any, report: Path) -> None:
    assert report.stat().st_size < MOST_BYTES
    took = shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert 0 < took < 1000 * MOST_SECONDS


def test_cursors_of_two_maps_are_linked(shown: Any) -> None:
    maps = shown.locator("#maps .stage > canvas:first-child")
    over = shown.locator("#maps canvas.over")
    before = over.nth(1).evaluate("canvas => canvas.toDataURL()")
    maps.nth(0).hover(position={"x": 200, "y": 60})
    assert "access" in shown.locator("#tip").inner_text()
    assert over.nth(1).evaluate("canvas => canvas.toDataURL()") != before
    shown.mouse.move(2, 2)
    assert over.nth(1).evaluate("canvas => canvas.toDataURL()") == before


def test_the_keyboard_reaches_what_the_mouse_does(shown: Any) -> None:
    maps = shown.locator("#maps .stage > canvas:first-child")
    maps.nth(0).focus()
    shown.keyboard.press("ArrowRight")
    assert "0x" in shown.locator("#tip").inner_text()
    flame = shown.locator("#flames g[role=treeitem]")
    flame.first.focus()
    shown.keyboard.press("ArrowDown")
    assert "misses" in shown.locator("#tip").inner_text()
    wide = flame.count()
    shown.keyboard.press("Enter")
    shown.keyboard.press("Escape")
    assert flame.count() == wide
    for view, said in (("curves", "%"), ("contexts", "objects")):
        shown.locator(f"#{view} .chart canvas").first.focus()
        assert shown.locator("#tip").is_hidden()
        shown.keyboard.press("ArrowRight")
        assert said in shown.locator("#tip").inner_text()


def test_a_bar_opens_its_context(shown: Any) -> None:
    name = shown.locator("#use button.name").nth(1)
    wanted = name.inner_text()
    name.click()
    chosen = shown.locator("#pick").evaluate("pick => pick.selectedOptions[0].text")
    assert chosen == wanted


def _seen(shown: Any, view: str) -> tuple[str, list[str]]:
    """The words of a view, and the pictures in it."""
    drawn = "all => all.map((one) => one.toDataURL())"
    canvases = shown.eval_on_selector_all(f"#{view} .chart canvas", drawn)
    return shown.locator(f"#{view}").inner_text(), canvases


def test_each_of_two_runs_can_be_looked_at(shown: Any) -> None:
    runs = shown.evaluate("doc.reports.length")
    for view in ("use", "pages", "contexts"):
        buttons = shown.locator(f"#{view} [aria-label=run] button")
        assert buttons.count() == (runs if runs > 1 else 0)
        if runs > 1:
            before = _seen(shown, view)
            buttons.nth(1).click()
            assert _seen(shown, view) != before
    if runs > 1:
        shown.locator("#contexts [aria-label=run] button").nth(0).click()
        shown.locator("#use button.name").first.click()
        chosen = "#contexts [aria-label=run] button[aria-pressed=true]"
        assert shown.locator(chosen).inner_text() == shown.evaluate("doc.reports[1].trace.path")


def test_the_other_colours_are_a_button_away(shown: Any) -> None:
    chart = shown.locator("#curves .chart canvas").first
    ground, inks = "getComputedStyle(document.body).backgroundColor", "one => one.toDataURL()"
    before = shown.evaluate(ground), chart.evaluate(inks)
    shown.locator("#theme").click()
    assert shown.evaluate(ground) != before[0]
    assert chart.evaluate(inks) != before[1]


def test_nothing_keeps_anybody_out(shown: Any) -> None:
    found = axe.Axe().run(shown)
    problems = [
        (one["id"], node["html"][:120])
        for one in found.response["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"][:2]
    ]
    assert problems == []
