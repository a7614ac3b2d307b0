"""The page: one selector and eight tabs, each a function of a link; `wiring` has the events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import gradio as gr

from scopebench.errors import ScopeBenchError
from scopebench_leaderboard import api, theme
from scopebench_leaderboard.apart import Apart
from scopebench_leaderboard.benchmarks import benchmarks_by_digest
from scopebench_leaderboard.exports import to_csv, to_json
from scopebench_leaderboard.limits import RateLimit
from scopebench_leaderboard.links import Link
from scopebench_leaderboard.live import LOOKING, LiveBoard
from scopebench_leaderboard.render import notice, render
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.site import Site
from scopebench_leaderboard.tabs import about, compare, data, editor, headroom, overview, ranking
from scopebench_leaderboard.tabs import submit as submit_tab
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.wiring import Parts, Placed, wire

TITLE: Final = "ScopeBench leaderboard"
TABS: Final[tuple[Tab, ...]] = (
    overview.TAB,
    ranking.TAB,
    headroom.TAB,
    editor.TAB,
    compare.TAB,
    data.TAB,
    about.TAB,
)
SUBMIT_BEFORE: Final = "about"
KEPT_SECONDS: Final = 3600
"""Uploads are deleted after this, and looked for as often."""


def make_site(settings: Settings) -> Site:
    """Return the leaderboard that settings describe, with its board being built behind it.

    Raises:
        ScopeBenchError: If a benchmark cannot be read or fetched.
    """
    folders = [_benchmark(settings, name) for name in settings.benchmarks]
    live = LiveBoard(settings, folders)
    return Site(
        settings=settings,
        live=live,
        digests=benchmarks_by_digest(folders),
        limit=RateLimit(settings.submissions_per_hour),
        verifying=Apart(settings.verify_concurrency),
    )


def build_app(site: Site) -> Any:
    """Return the page of a leaderboard, ready to be launched."""
    with gr.Blocks(
        title=TITLE, analytics_enabled=False, delete_cache=(KEPT_SECONDS, KEPT_SECONDS)
    ) as app:
        here = gr.Textbox(visible="hidden", label="address")
        opened = gr.State(False)
        gr.HTML(render("masthead.html.jinja"), apply_default_css=False)
        board = gr.Dropdown(
            label="Protocol and benchmark: tables never mix them",
            elem_id="board",
            filterable=False,
        )
        status = gr.HTML(apply_default_css=False)
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            placed = tuple(_place(site, here, opened))
        wire(site, app, Parts(board, here, opened, gr.State(None), status, tabs, placed))
        api.attach(site)
    app.queue(
        default_concurrency_limit=site.settings.concurrency, max_size=site.settings.queue_size
    )
    return app


def launch_options(settings: Settings) -> dict[str, Any]:
    """Return what every launch of the page is given: looks, limits, and no call home."""
    return {
        "theme": theme.theme(),
        "head": theme.head(),
        "footer_links": [],
        "max_file_size": f"{settings.max_upload_mb}mb",
        "show_error": True,
        "ssr_mode": False,
        "quiet": True,
        "pwa": False,
        "run_history": False,
        "enable_monitoring": False,
    }


def _benchmark(settings: Settings, name: str) -> Path:
    from scopebench_leaderboard.settings import is_repo

    if not is_repo(name.partition("@")[0]):
        return Path(name).expanduser()
    from scopebench.hub.remote import Remote
    from scopebench_leaderboard.mirror import fetch_benchmark

    return fetch_benchmark(name, settings.cache, Remote(policy=LOOKING))


def _place(site: Site, here: Any, opened: Any) -> list[Placed]:
    placed = []
    for tab in TABS:
        if tab.key == SUBMIT_BEFORE:
            with gr.Tab(submit_tab.LABEL, id=submit_tab.KEY) as item:
                submit_tab.build(site)
            item.select(
                lambda opened: Link(tab=submit_tab.KEY).query if opened else gr.skip(),
                opened,
                here,
                api_visibility="private",
                show_progress="hidden",
            )
        with gr.Tab(tab.label, id=tab.key) as item:
            # Inside the tab: anything between the tabs would be counted as one of them.
            shown = gr.State(None)
            controls = tuple(tab.controls())
            if tab is ranking.TAB:
                _downloads(site, controls)
            content = gr.HTML(
                notice("Loading…"),
                apply_default_css=False,
                js_on_load=theme.script(),
                elem_id=f"content-{tab.key}",
            )
        placed.append(Placed(tab, item, controls, shown, content))
    return placed


def _downloads(site: Site, controls: Sequence[Any]) -> None:
    """Add buttons that save the ranking as it is filtered, made in the browser from text."""
    text = gr.Textbox(visible="hidden", label="text")
    with gr.Row(elem_classes="downloads"):
        for label, name, form in (
            ("Download as CSV", "scopebench-ranking.csv", to_csv),
            ("Download as JSON", "scopebench-ranking.json", to_json),
        ):
            button = gr.Button(label, size="sm", min_width=160, scale=0)
            kept = gr.Textbox(name, visible="hidden", label="file name")
            button.click(
                _exporter(site, form),
                inputs=list(controls),
                outputs=[text],
                api_visibility="private",
                show_progress="hidden",
            ).then(None, [text, kept], None, js=theme.SAVE_FILE, api_visibility="private")


def _exporter(site: Site, form: Callable[[Any], str]) -> Callable[..., str]:
    def export(*values: Any) -> str:
        link = ranking.TAB.link_of("", values)
        try:
            return form(ranking.table_of(site.page(link)))
        except ScopeBenchError as error:
            raise gr.Error(str(error), print_exception=False) from error

    return export
