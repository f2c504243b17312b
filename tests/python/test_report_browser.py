"""The page in a real browser, from a file, without a network: what it draws, how it answers."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abut.analysis.presets import find_preset
from abut.analysis.report import Request, trace_report
from abut.reporters.html import page
from abut.reporters.report import report_document
from abut.trace import Frame, TraceWriter

sync_api = pytest.importorskip("playwright.sync_api", reason="pip install 'abut[browser]'")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.long

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
VIEWS = ["verdict", "use", "maps", "flames", "curves", "pairs", "pages", "contexts", "trust"]
NODES = 2000


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nodes and buffers of two contexts, walked three times."""
    folder = tmp_path_factory.mktemp("report")
    with TraceWriter(
        folder / "run.trace", command=["prog"], codes=True, chunk_accesses=2000
    ) as out:
        module = out.module("/nowhere/prog", "0f", 0x1000, 0x1000)
        for at in (0x10, 0x18):
            out.context([Frame(module, at), Frame(module, 0x20)])
        pairs = []
        for number in range(NODES):
            address = 0x10000 + 8192 * number
            pair = [
                out.allocate(24, address=address, context=1),
                out.allocate(700, address=address + 32, context=2),
            ]
            out.access(pair[0], -8 & (1 << 64) - 1, write=True, allocator=True, code=0x1500)
            pairs.append(pair)
        for _ in range(3):
            for node, buffer in pairs:
                out.access(node, 16, code=0x1100)
                out.access(buffer, 640, code=0x1200)
    found = trace_report(Request(str(folder / "run.trace"), find_preset("modern")))
    document = report_document([found], [], [], arguments=["run.trace"])
    path = folder / "report.html"
    path.write_text(page(document))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("chromium is not installed: apt install chromium")
    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield launched
        launched.close()


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
    opened.wait_for_selector("html[data-drawn]", timeout=3000)
    yield opened
    assert said == []
    assert asked == [report.as_uri()]
    opened.close()


def test_every_view_draws(shown: Any) -> None:
    assert shown.eval_on_selector_all("main > section", "all => all.map(one => one.id)") == VIEWS
    for view in ("use", "flames", "curves", "pairs", "pages", "contexts"):
        assert shown.locator(f"#{view} svg, #{view} .track").count() > 0, view
    painted = """canvas => {
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data.some((one) => one !== 0);
    }"""
    maps = shown.locator("#maps .stage > canvas:first-child")
    assert maps.count() == 2
    assert all(maps.nth(i).evaluate(painted) for i in range(2))
    for view in VIEWS[1:8]:
        assert shown.locator(f"#{view} details table").count() > 0, view


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
    shown.locator("#curves svg").first.focus()
    shown.keyboard.press("ArrowRight")
    assert "%" in shown.locator("#tip").inner_text()


def test_a_bar_opens_its_context(shown: Any) -> None:
    name = shown.locator("#use button.name").nth(1)
    wanted = name.inner_text()
    name.click()
    chosen = shown.locator("#pick").evaluate("pick => pick.selectedOptions[0].text")
    assert chosen == wanted


def test_the_other_colours_are_a_button_away(shown: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = shown.evaluate(ground)
    shown.locator("#theme").click()
    assert shown.evaluate(ground) != before


def test_nothing_keeps_anybody_out(shown: Any) -> None:
    found = axe.Axe().run(shown)
    problems = [
        (one["id"], node["html"][:120])
        for one in found.response["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"][:2]
    ]
    assert problems == []
