"""The page: one selector, eight tabs, each a function of a link. Layout and wiring only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import gradio as gr

from scopebench.errors import ScopeBenchError
from scopebench_leaderboard import api, theme
from scopebench_leaderboard.apart import Apart
from scopebench_leaderboard.exports import to_csv, to_json
from scopebench_leaderboard.limits import RateLimit
from scopebench_leaderboard.links import Link, read_link
from scopebench_leaderboard.live import LiveBoard
from scopebench_leaderboard.render import notice, render
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.site import NotToShow, Page, Site, choice_key
from scopebench_leaderboard.submit import benchmarks_by_digest
from scopebench_leaderboard.tabs import about, compare, data, editor, headroom, overview, ranking
from scopebench_leaderboard.tabs import submit as submit_tab
from scopebench_leaderboard.tabs.tab import Tab

LOG: Final = logging.getLogger(__name__)
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
BROKEN: Final = "This part of the page could not be made; the others are not touched by it."
NOTHING_NEW: Final = ""
ANY_FIELD: Final = ""
LOADING_SECONDS: Final = 5
KEPT_SECONDS: Final = 3600
"""Uploads are deleted after this, and looked for as often."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A tab on the page.

    Attributes:
        tab: What it is.
        item: The tab itself.
        controls: Its controls.
        shown: The link its content shows; None: nothing yet, so its controls are to be set.
        content: Where its content goes.
    """

    tab: Tab
    item: Any
    controls: tuple[Any, ...]
    shown: Any
    content: Any

    @property
    def outputs(self) -> list[Any]:
        """All that is updated of it, in the order of `_updates`."""
        return [*self.controls, self.shown, self.content]


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
        _wire(site, app, _Parts(board, here, opened, gr.State(None), status, tabs, placed))
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


@dataclass(frozen=True, eq=False)
class _Parts:
    """The components that are wired together.

    Attributes:
        board: The choice of protocol and benchmark.
        here: The query of the address, as what is shown would have it.
        opened: Whether the page has been opened as its address asks.
        asked: A link, until its tab is there.
        status: What is told above the tabs.
        tabs: The tabs.
        placed: Each of them.
    """

    board: Any
    here: Any
    opened: Any
    asked: Any
    status: Any
    tabs: Any
    placed: tuple[Placed, ...]


def _benchmark(settings: Settings, name: str) -> Path:
    from scopebench_leaderboard.settings import is_repo

    if not is_repo(name.partition("@")[0]):
        return Path(name).expanduser()
    from scopebench.hub.remote import Remote
    from scopebench_leaderboard.mirror import fetch_benchmark

    return fetch_benchmark(name, settings.cache, Remote())


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


def _wire(site: Site, app: gr.Blocks, parts: _Parts) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    everything = [
        parts.tabs,
        parts.asked,
        parts.here,
        *(part for each in parts.placed for part in each.outputs),
    ]
    seen, timer = gr.State(""), gr.Timer(site.settings.refresh_seconds)
    app.load(
        _opener(site, parts),
        None,
        [parts.opened, seen, timer, parts.board, parts.status, *everything],
        **quiet,
    )
    parts.here.change(None, [parts.here], None, js=theme.REPLACE_ADDRESS, api_visibility="private")
    for each in parts.placed:
        given = [parts.board, *each.controls]
        for triggers, field in _triggers(each):
            gr.on(
                triggers,
                _shower(site, each, field),
                [each.shown, *given],
                [each.shown, each.content, parts.here],
                trigger_mode="always_last",
                **quiet,
            )
        each.item.select(
            _entered(site, each),
            [parts.opened, parts.asked, each.shown, *given],
            [parts.asked, *each.outputs, parts.here],
            **quiet,
        )
        each.content.click(_goer(site, parts, each), given, everything, **quiet)
    parts.board.input(_chooser(site, parts), [parts.board, parts.here], everything, **quiet)
    timer.tick(_ticker(site), [seen], [timer, parts.status], queue=False, **quiet)


def _triggers(each: Placed) -> Iterator[tuple[list[Any], str]]:
    """Yield events by which a reader changes controls, each with the one field they can change.

    A text's `input` misses pasting, and its `change` also tells of what the page itself filled in.
    """
    texts = [
        (control, field)
        for control, field in zip(each.controls, each.tab.fields, strict=True)
        if isinstance(control, gr.Textbox)
    ]
    others = [control.input for control in each.controls if not isinstance(control, gr.Textbox)]
    if others:
        yield others, ANY_FIELD
    for control, field in texts:
        yield [control.change], field


def _shower(site: Site, each: Placed, field: str) -> Callable[..., Any]:
    """Return what shows a tab as its controls stand, if a field is not shown so already."""

    def show(shown: Link | None, board: str | None, *values: Any) -> Any:
        link = each.tab.link_of(board or "", values)
        if field and shown is not None and getattr(link, field) == getattr(shown, field):
            return [gr.skip()] * 3
        return [link, content_of(site, each.tab, link), link.query]

    return show


def _entered(site: Site, each: Placed) -> Callable[..., Any]:
    """Return what opens a tab: as a link asked, else its controls as they were, or as they begin.

    A tab is told that it was chosen before its controls are told what to show, so what a link
    asked is kept on the server until then. The first tab is told so even before the page is
    opened as its address asks: it must not write its own link over that address.
    """

    def enter(
        opened: bool, asked: Link | None, shown: Link | None, board: str | None, *values: Any
    ) -> Any:
        if asked is not None and asked.tab == each.tab.key:
            link, shown, left = asked, None, None
        else:
            link, left = each.tab.link_of(board or "", values), gr.skip()
        kept = _settled(site, each, link) if shown is None else [gr.skip()] * len(each.controls)
        here = link.query if opened else gr.skip()
        return [left, *kept, link, content_of(site, each.tab, link), here]

    return enter


def _goer(site: Site, parts: _Parts, each: Placed) -> Callable[..., Any]:
    """Return what follows a link, or a sort button, inside a tab's content."""

    def go(event: gr.EventData, board: str | None, *values: Any) -> Any:
        asked = read_link({"tab": each.tab.key, **_data(event)})
        link = each.tab.link_of(board or "", values)
        if asked.tab != each.tab.key:
            link = Link(board=link.board, submission=link.submission)
        given = {name: text for name, text in vars(asked).items() if text}
        return _updates(site, parts, link.at(**given), here=each.tab.key)

    return go


def _chooser(site: Site, parts: _Parts) -> Callable[..., Any]:
    """Return what shows another protocol and benchmark, on the tab that is open."""

    def choose(board: str | None, address: str) -> Any:
        tab = read_link(dict(parse_qsl(address.removeprefix("?")))).tab
        return _updates(site, parts, Link(board=board or "", tab=tab), here=tab, others_anew=True)

    return choose


def _opener(site: Site, parts: _Parts) -> Callable[..., Any]:
    """Return what opens the page as its address asks."""

    def open_page(request: gr.Request) -> Any:
        link = read_link(dict(request.query_params))
        return [
            True,
            _revision(site),
            _pace(site),
            _board_choices(site, link),
            _status(site),
            *_updates(site, parts, link, here=TABS[0].key),
        ]

    return open_page


def _ticker(site: Site) -> Callable[..., Any]:
    """Return what tells a reader that there are new results."""

    def tick(seen: str) -> Any:
        return _pace(site), _status(site, fresh=_revision(site) != seen)

    return tick


def _revision(site: Site) -> str:
    board = site.live.shown.board
    return "" if board is None else board.revision


def _pace(site: Site) -> Any:
    """Return how soon to look again: a board that is being built may be there any moment."""
    loading = site.live.shown.loading
    return gr.Timer(LOADING_SECONDS if loading else site.settings.refresh_seconds)


def content_of(site: Site, tab: Tab, link: Link) -> str:
    """Return a tab's content; where there is none, why, and never an exception."""
    try:
        return tab.view(site.page(replace(link, tab=tab.key)))
    except NotToShow as error:
        return about.view_without(error) if tab is about.TAB else _nothing(site, str(error))
    except ScopeBenchError as error:
        return notice(str(error), tone="bad")
    except Exception:  # one broken part must not take the page down
        LOG.exception("the tab %s could not be shown", tab.key)
        return notice(BROKEN, tone="bad")


def _nothing(site: Site, reason: str) -> str:
    """Return why there is nothing to show, with the submissions that were refused."""
    board = site.live.shown.board
    refused = [] if board is None else board.rejected.to_dict("records")
    return render("nothing.html.jinja", text=reason, rejected=refused)


def _updates(
    site: Site, parts: _Parts, link: Link, *, here: str, others_anew: bool = False
) -> list[Any]:
    """Return updates of every component, so that the page shows a link.

    Args:
        site: The leaderboard.
        parts: Its components.
        link: What is to be shown.
        here: The tab the reader is on: it is filled at once, another fills itself when chosen.
        others_anew: Whether tabs that are not shown begin anew.
    """
    stays = link.tab == here
    updates: list[Any] = [
        gr.skip() if stays else gr.Tabs(selected=link.tab),
        None if stays else link,
        link.query,
    ]
    for each in parts.placed:
        if stays and each.tab.key == here:
            updates += [*_settled(site, each, link), link, content_of(site, each.tab, link)]
        elif others_anew:
            updates += [gr.skip()] * len(each.controls) + [None, gr.skip()]
        else:
            updates += [gr.skip()] * len(each.outputs)
    return updates


def _settled(site: Site, each: Placed, link: Link) -> list[Any]:
    try:
        page = site.page(link)
        return [gr.update(**dict(kwargs)) for kwargs in each.tab.settle(page)]
    except NotToShow:
        return [gr.skip() for _ in each.controls]
    except ScopeBenchError as error:
        LOG.warning("%s: %s", each.tab.key, error)
    except Exception:  # as in `content_of`
        LOG.exception("the controls of %s could not be set", each.tab.key)
    return [gr.skip() for _ in each.controls]


def _board_choices(site: Site, link: Link) -> Any:
    try:
        page: Page = site.page(link)
    except ScopeBenchError:
        return gr.Dropdown(choices=[], value=None, visible=False)
    listed = [(f"{choice.label} ({choice.n})", choice_key(choice)) for choice in page.choices]
    return gr.Dropdown(choices=listed, value=choice_key(page.choice), visible=True)


def _status(site: Site, *, fresh: bool = False) -> str:
    shown = site.live.shown
    if shown.board is not None and shown.fault is not None:
        return notice(f"These are the last results that could be read: {shown.fault}", tone="bad")
    return render("fresh.html.jinja") if fresh else NOTHING_NEW


def _data(event: gr.EventData) -> dict[str, Any]:
    data = event._data
    return data if isinstance(data, dict) else {}
