"""The page in a real browser: quiet, narrow, dark, and worked from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scopebench.records.report import Report
from scopebench.report.page.build import render_html
from scopebench.report.page.content import RunView

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONG = "a_very_long_name_without_any_space_that_nobody_would_choose_" * 2


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A Chromium of the system, or a loud skip."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(
    view_of: Callable[..., RunView],
    report_of: Callable[..., Report],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """Pages to look at: one run, two runs, and one with names too long for any line."""
    folder = tmp_path_factory.mktemp("page")
    report = report_of()
    cells = tuple(cell.model_copy(update={"dataset": LONG}) for cell in report.cells)
    fires = tuple(
        type(fire)(**{**fire.__dict__, "kind": LONG, "question": LONG, "query_id": LONG})
        for fire in view_of().wrong_fires
    )
    long = view_of(LONG, report=report_of(cells=cells, static_rule=LONG), wrong_fires=fires)
    two, four = ("inlay", "rag"), ("inlay", "rag", "static", "base")
    pages = {
        "one": [view_of()],
        "two": [view_of(name) for name in two],
        "four": [view_of(name) for name in four],
        "long": [long],
        "long_two": [long, view_of("b")],
    }
    for name, views in pages.items():
        (folder / f"{name}.html").write_text(render_html(views, ()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


def opened(browser: Browser, file: Path, **options: Any) -> Page:
    page = browser.new_page(**options)
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("name", ["one", "two", "long"])
def test_it_is_quiet_and_loads_nothing_else(
    browser: Browser, files: dict[str, Path], name: str
) -> None:
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(files[name].as_uri())
    page.wait_for_load_state("networkidle")
    assert said == []
    assert asked == [files[name].as_uri()]
    page.close()


@pytest.mark.parametrize("name", ["one", "two", "long", "long_two"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("script", [True, False])
def test_the_page_never_scrolls_sideways(
    browser: Browser, files: dict[str, Path], name: str, width: int, script: bool
) -> None:
    size: Any = {"width": width, "height": 800}
    page = opened(browser, files[name], viewport=size, java_script_enabled=script)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


def test_dark_and_light_differ(browser: Browser, files: dict[str, Path]) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = opened(browser, files["one"], color_scheme=scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"]


def visible_kinds(page: Page) -> list[str | None]:
    return [fire.get_attribute("data-kind") for fire in page.locator(".fire:visible").all()]


def test_fires_are_filtered_and_turned_by_keyboard(
    browser: Browser, files: dict[str, Path]
) -> None:
    page = opened(browser, files["one"])
    assert len(visible_kinds(page)) == 8
    page.locator("select[name=kind]").focus()
    page.keyboard.press("ArrowDown")
    assert visible_kinds(page) == ["kind_a"] * 6
    assert page.locator("[role=status]").inner_text() == "1 to 6 of 6"
    page.keyboard.press("ArrowUp")
    page.locator("button", has_text="Next").focus()
    page.keyboard.press("Enter")
    assert page.locator("[role=status]").inner_text() == "9 to 16 of 24"
    page.locator("select[name=order]").select_option("score")
    scores = [
        float(f.get_attribute("data-score") or 0) for f in page.locator(".fire:visible").all()
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(0.73)
    page.close()


def test_the_first_tab_stop_skips_to_the_numbers(browser: Browser, files: dict[str, Path]) -> None:
    page = opened(browser, files["one"])
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the numbers"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.close()


def test_without_script_all_fires_are_shown_and_no_dead_control(
    browser: Browser, files: dict[str, Path]
) -> None:
    page = opened(browser, files["one"], java_script_enabled=False)
    assert page.locator(".fire:visible").count() == 24
    assert page.locator("select:visible").count() == 0
    page.close()


def test_print_is_light_and_opens_what_is_folded(browser: Browser, files: dict[str, Path]) -> None:
    page = opened(browser, files["one"], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    folded = page.locator("details.fold table").first
    box = folded.bounding_box()
    assert box is not None
    assert box["height"] > 100
    assert page.locator(".fire:visible").count() == 24
    page.close()


def test_four_runs_are_summed_up_on_one_screen(browser: Browser, files: dict[str, Path]) -> None:
    page = opened(browser, files["four"], viewport={"width": 1280, "height": 800})
    box = page.locator(".summary").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    assert page.locator(".summary .chart").count() == 3
    assert page.locator("section:visible").count() == 0
    page.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_link_into_a_fold_opens_it(
    browser: Browser, files: dict[str, Path], script: bool
) -> None:
    page = browser.new_page(java_script_enabled=script)
    page.goto(f"{files['two'].as_uri()}#r2-headroom")
    page.locator("#r2-headroom").wait_for(state="visible")
    assert page.locator("details.part[open]").count() == 1
    page.locator("#r2 nav a", has_text="Tests").click()
    assert page.url.endswith("#r2-tests")
    page.close()


def test_a_link_to_a_fold_itself_opens_it(browser: Browser, files: dict[str, Path]) -> None:
    page = opened(browser, files["two"])
    page.evaluate("location.hash = 'r1'")
    page.locator("#r1-oracle").wait_for(state="visible")
    page.close()


def test_a_fold_is_opened_and_closed_by_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    page = opened(browser, files["two"])
    page.locator("#r1 > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#r1-oracle").is_visible()
    page.keyboard.press("Space")
    assert not page.locator("#r1-oracle").is_visible()
    page.close()


@pytest.mark.parametrize("script", [True, False])
def test_folds_are_open_on_paper(browser: Browser, files: dict[str, Path], script: bool) -> None:
    page = opened(browser, files["two"], java_script_enabled=script)
    page.emulate_media(media="print")
    assert page.locator("section:visible").count() == 23  # side by side, and eleven of each run
    page.close()
