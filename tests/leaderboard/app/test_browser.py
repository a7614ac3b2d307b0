"""The page in a real browser: every tab, by mouse and by keyboard, on a desk and on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="NO BROWSER: install playwright")
from playwright.sync_api import Browser, Page, expect  # noqa: E402

pytestmark = pytest.mark.slow
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
TABS = ("overview", "ranking", "headroom", "editor", "compare", "data", "about")
PATIENCE = 30_000
"""Milliseconds; a comparison is computed when it is first asked for."""

EXPECTED = ("422", "Connection errored out", "signal is aborted")
"""What a refused upload prints (Gradio answers it with 422), and an answer not waited for."""


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield opened
        opened.close()


Opener = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, served: str) -> Iterator[Opener]:
    """Opens an address of the page; at the end nothing outside was asked and nothing broke."""
    outside: list[str] = []
    broken: list[str] = []
    contexts: list[Any] = []

    def watch(page: Page) -> None:
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((served, "data:", "blob:"))
                else outside.append(request.url)
            ),
        )
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on(
            "console",
            lambda message: (
                broken.append(message.text)
                if message.type == "error" and not any(word in message.text for word in EXPECTED)
                else None
            ),
        )

    def open_page(query: str = "", *, width: int = 1280, dark: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        watch(page)
        page.goto(served + query)
        return page

    expect.set_options(timeout=PATIENCE)
    yield open_page
    for context in contexts:
        context.close()
    assert outside == []
    assert broken == []


def _content(page: Page, tab: str) -> Any:
    return page.locator(f"#content-{tab}")


def _loaded(page: Page, tab: str) -> Any:
    content = _content(page, tab)
    expect(content.locator(".sb").first).to_be_visible()
    expect(content).not_to_contain_text("Loading…")
    return content


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_tab_is_readable(visit: Opener, width: int, dark: bool) -> None:
    page = visit(width=width, dark=dark)
    for tab in TABS:
        page.get_by_role("tab", name=tab.capitalize(), exact=True).click()
        content = _loaded(page, tab)

        expect(content).not_to_contain_text("could not be made")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
        assert _contrast(page, f"#content-{tab} .sb") >= 4.5, tab
    assert ("dark" in (page.get_attribute("body", "class") or "")) == dark


def test_tabs_keep_their_names_and_places(visit: Opener) -> None:
    page = visit()
    _loaded(page, "overview")
    tabs = page.get_by_role("tab")
    names = tabs.all_inner_texts()
    assert [name.lower() for name in names] == [*TABS[:-1], "submit", "about"]
    for name in names:
        page.get_by_role("tab", name=name, exact=True).click()
        expect(page.get_by_role("tab", name=name, exact=True)).to_have_attribute(
            "aria-selected", "true"
        )
        assert tabs.all_inner_texts() == names


def test_the_overview_states_the_claim(visit: Opener) -> None:
    content = _loaded(visit(), "overview")

    expect(content.locator(".claim")).to_contain_text("Ask only about edited facts")
    expect(content.locator("svg").first).to_be_visible()
    assert content.locator("svg[aria-label]").count() == content.locator("svg.chart").count()


def test_search_hides_rows_and_says_how_many_are_left(visit: Opener) -> None:
    page = visit("?tab=ranking")
    content = _loaded(page, "ranking")
    expect(content.locator("tbody tr")).to_have_count(2)

    page.get_by_label("Search").first.fill("stat")

    expect(content.locator("tbody tr")).to_have_count(1)
    expect(content.locator("tbody")).to_contain_text("static")
    expect(content.get_by_role("status").first).to_contain_text("1 submission on curated")
    expect(page).to_have_url(_has("q=stat"))


def test_a_heading_sorts_and_the_address_keeps_it(visit: Opener) -> None:
    page = visit("?tab=ranking")
    content = _loaded(page, "ranking")

    content.get_by_role("button", name="false fire").click()

    expect(content.locator("th[aria-sort=ascending]")).to_contain_text("false fire")
    expect(page).to_have_url(_has("metric=false_fire"))
    page.reload()
    expect(_loaded(page, "ranking").locator("th[aria-sort]")).to_contain_text("false fire")
    expect(page.get_by_label("Ranked by")).to_have_value("false fire (lower is better)")


def test_filters_add_columns_and_leave_rows(visit: Opener) -> None:
    page = visit("?tab=ranking&columns=false_fire&gradient=based")
    content = _loaded(page, "ranking")
    expect(content).to_contain_text("No submission fits these filters.")

    page = visit("?tab=ranking&columns=miss")
    expect(_loaded(page, "ranking").locator("thead code").first).to_have_text("direct")


def test_another_protocol_shows_other_rows(visit: Opener) -> None:
    page = visit("?tab=ranking")
    content = _loaded(page, "ranking")
    page.get_by_label("Protocol and benchmark").click()
    page.get_by_role("option").last.click()

    expect(content.locator("tbody tr")).to_have_count(1)
    expect(content.get_by_role("status").first).to_contain_text("1 submission")


def test_the_ranking_is_saved_as_csv_and_json(visit: Opener) -> None:
    page = visit("?tab=ranking")
    _loaded(page, "ranking")
    for button, name in (("CSV", "scopebench-ranking.csv"), ("JSON", "scopebench-ranking.json")):
        with page.expect_download() as caught:
            page.get_by_role("button", name=f"Download as {button}").click()
        assert caught.value.suggested_filename == name
        text = Path(caught.value.path()).read_text(encoding="utf-8")
        if button == "JSON":
            assert [row["editor"] for row in json.loads(text)] == ["inlay", "static"]
        else:
            assert text.startswith("rank,")


def test_a_link_in_the_ranking_opens_the_editor(visit: Opener) -> None:
    page = visit("?tab=ranking")
    _loaded(page, "ranking").get_by_role("link", name="static").click()

    expect(page.locator("[role=tab][aria-controls][aria-selected=true]")).to_have_text("Editor")
    expect(_content(page, "editor").locator("h2").first).to_contain_text("static")
    expect(_content(page, "editor")).to_contain_text("Where it fires wrongly")
    expect(page).to_have_url(_has("tab=editor"))


def test_the_back_button_goes_back(visit: Opener) -> None:
    page = visit("?tab=ranking&q=stat")
    _loaded(page, "ranking").get_by_role("link", name="static").click()
    expect(_content(page, "editor").locator("h2").first).to_contain_text("static")
    expect(page).to_have_url(_has("tab=editor"))

    page.go_back()

    expect(page).to_have_url(_has("q=stat"))
    expect(_loaded(page, "ranking").locator("tbody tr")).to_have_count(1)


def test_a_part_of_a_long_table_has_an_address(visit: Opener) -> None:
    page = visit("?tab=data")
    _loaded(page, "data").get_by_role("button", name="Next").click()
    expect(_content(page, "data").locator(".pager")).to_contain_text("Page 2 of")
    expect(page).to_have_url(_has("part=2"))

    page.reload()

    expect(_loaded(page, "data").locator(".pager")).to_contain_text("Page 2 of")


def test_wrong_fires_are_browsed_by_kind_and_page(visit: Opener, toy_results: Any) -> None:
    page = visit(f"?tab=editor&submission={toy_results[1]['static']}")
    content = _loaded(page, "editor")
    first = content.locator(".fire").first.inner_text()
    assert "false fire" in first or "wrong edit" in first

    content.get_by_role("button", name="Next").click()

    expect(content.locator(".pager")).to_contain_text("Page 2 of")
    expect(content.locator(".fire").first).not_to_have_text(first)


def test_two_editors_are_compared(visit: Opener, toy_results: Any) -> None:
    keys = toy_results[1]
    page = visit(f"?tab=compare&submission={keys['inlay']}&second={keys['static']}")
    content = _loaded(page, "compare")

    expect(content).to_contain_text("Paired tests, all cells together")
    expect(content).to_contain_text("Rows they differ on")
    expect(page.get_by_label("First")).to_have_value(_starts("inlay"))
    expect(page.get_by_label("Second")).to_have_value(_starts("static"))


def test_headroom_follows_the_slider(visit: Opener) -> None:
    page = visit("?tab=headroom")
    content = _loaded(page, "headroom")
    expect(content).to_contain_text("At 50.0% out of scope")

    share = page.get_by_label("Your traffic", exact=False).first
    share.fill("20")
    share.press("Enter")
    expect(content).to_contain_text("At 20.0% out of scope")

    share.fill("")  # a reader may delete the number: then it is the usual one
    share.press("Enter")
    expect(content).to_contain_text("At 50.0% out of scope")


def test_queries_are_browsed_by_kind(visit: Opener) -> None:
    page = visit("?tab=data&population=curated")
    content = _loaded(page, "data")
    content.get_by_role("link", name="paraphrase").click()

    expect(content.locator(".fire .tags", has_text="direct")).to_have_count(0)
    expect(content.locator(".fire").first).to_contain_text("paraphrase")
    expect(page.get_by_label("Kind")).to_have_value("paraphrase")


def test_a_good_submission_is_verified(visit: Opener, good_zip: Path) -> None:
    page = visit("?tab=submit")
    _upload(page, good_zip)

    expect(page.locator("#verdict")).to_contain_text("✓ Verified")
    expect(page.locator("#verdict")).to_contain_text("inlay")
    expect(page.locator("#verdict")).to_contain_text("submissions/EDITOR/MODEL")


def test_bad_submissions_are_told_and_never_shown_as_markup(
    visit: Opener, bad_uploads: dict[str, tuple[Path, str]]
) -> None:
    assert len(bad_uploads) >= 5
    for what, (path, word) in bad_uploads.items():
        page = visit("?tab=submit")
        _upload(page, path)

        expect(page.locator("#verdict"), what).to_contain_text("✗ Not accepted")
        expect(page.locator("#verdict"), what).to_contain_text(word)
        assert page.locator("#verdict img, #verdict script").count() == 0


def test_each_field_of_the_form_is_checked(visit: Opener, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    page = visit("?tab=submit")
    page.get_by_role("button", name="Verify").click()

    expect(page.get_by_text("Choose a zip of a run folder")).to_be_visible()
    expect(page.get_by_text("Tick this first")).to_be_visible()

    page.locator("#upload input[type=file]").set_input_files(str(tmp_path / "notes.txt"))
    expect(page.locator("#upload")).to_contain_text("notes")
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("got notes.txt")).to_be_visible()


def test_the_keyboard_alone_is_enough(visit: Opener) -> None:
    page = visit()
    _loaded(page, "overview")
    page.get_by_role("tab", name="Overview").focus()
    _focus(page, lambda: _role(page) == "tab" and "Ranking" in _text(page))
    page.keyboard.press("Enter")
    content = _loaded(page, "ranking")

    _focus(page, lambda: _role(page) == "button" and _text(page).startswith("miss"))
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    expect(content.locator("th[aria-sort]")).to_contain_text("miss")
    expect(content.get_by_role("button", name="miss")).to_be_focused()

    _focus(page, lambda: _role(page) == "link")
    page.keyboard.press("Enter")
    expect(_content(page, "editor")).to_contain_text("All cells together")


def test_every_control_has_a_name(visit: Opener) -> None:
    page = visit()
    for tab in TABS:
        page.get_by_role("tab", name=tab.capitalize(), exact=True).click()
        _loaded(page, tab)
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('input, select, textarea, button')]
            .filter((e) => e.offsetParent)
            .filter((e) => !(e.labels?.length || e.ariaLabel || e.title || e.innerText.trim()
                || e.getAttribute('aria-labelledby') || e.placeholder))
            .map((e) => e.outerHTML.slice(0, 200))"""
        )
        assert nameless == [], tab


def _upload(page: Page, path: Path) -> None:
    page.locator("#upload input[type=file]").set_input_files(str(path))
    expect(page.locator("#upload")).to_contain_text(path.stem)
    page.locator("#consent input").check()
    page.get_by_role("button", name="Verify").click()


def _has(part: str) -> Any:
    import re

    return re.compile(re.escape(part))


def _starts(part: str) -> Any:
    import re

    return re.compile(f"^{re.escape(part)}")


def _role(page: Page) -> str:
    return str(
        page.evaluate(
            "(() => { const e = document.activeElement; return e.getAttribute('role')"
            " || {A: 'link', BUTTON: 'button'}[e.tagName] || e.tagName; })()"
        )
    )


def _text(page: Page) -> str:
    return str(page.evaluate("document.activeElement.innerText || ''")).strip()


def _focus(page: Page, reached: Callable[[], bool]) -> None:
    """Press Tab until something is reached, as a reader would."""
    for _ in range(80):
        if reached():
            return
        page.keyboard.press("Tab")
    pytest.fail("it cannot be reached by the Tab key")


def _contrast(page: Page, selector: str) -> float:
    """Return the least contrast of the texts of a part of the page (WCAG 2.2, 1.4.3)."""
    return float(
        page.evaluate(
            """(selector) => {
            const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
                .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
            const paper = (element) => {
                for (let e = element; e; e = e.parentElement) {
                    const colour = numbers(getComputedStyle(e).backgroundColor);
                    if (colour.length < 4 || colour[3] === 1) return colour;
                }
                return [255, 255, 255];
            };
            let least = 21;
            for (const root of document.querySelectorAll(selector)) {
                for (const e of root.querySelectorAll('p, td, th, dd, dt, li, a, small, code')) {
                    if (!e.offsetParent || !e.innerText.trim()) continue;
                    const ink = light(numbers(getComputedStyle(e).color));
                    const back = light(paper(e));
                    const ratio = (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05);
                    least = Math.min(least, ratio);
                }
            }
            return least;
        }""",
            selector,
        )
    )
