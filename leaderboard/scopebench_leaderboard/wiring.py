"""Which event of the page shows what: each is a function of a link, kept in the address."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

import gradio as gr

from scopebench_leaderboard import theme
from scopebench_leaderboard.content import (
    board_choices,
    content_of,
    pace_of,
    revision_of,
    settled,
    status_of,
)
from scopebench_leaderboard.links import Link, read_link
from scopebench_leaderboard.site import Site
from scopebench_leaderboard.tabs.tab import Tab

ANY_FIELD: Final = ""


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


@dataclass(frozen=True, eq=False)
class Parts:
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


def wire(site: Site, app: gr.Blocks, parts: Parts) -> None:
    """Add the events of the page, inside its Gradio context."""
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
        shown = [each.shown, *given]
        entered = [parts.opened, parts.asked, *shown]
        for triggers, field in _triggers(each):
            gr.on(
                triggers,
                _shower(site, each, field),
                shown,
                [each.shown, each.content, parts.here],
                trigger_mode="always_last",
                js=_filled(shown),
                **quiet,
            )
        each.item.select(
            _entered(site, each),
            entered,
            [parts.asked, *each.outputs, parts.here],
            js=_filled(entered),
            **quiet,
        )
        each.content.click(_goer(site, parts, each), given, everything, js=_filled(given), **quiet)
    parts.board.input(_chooser(site, parts), [parts.board, parts.here], everything, **quiet)
    timer.tick(_ticker(site), [seen], [timer, parts.status], queue=False, **quiet)


def _filled(inputs: Sequence[Any]) -> str | None:
    """Return what fills in, in the browser, numbers of sliders that a reader deleted, if any can.

    Gradio refuses them before any function of ours is asked, and hands its script the outputs too.
    """
    usual = {at: each.value for at, each in enumerate(inputs) if isinstance(each, gr.Slider)}
    if not usual:
        return None
    return (
        f"(...values) => values.slice(0, {len(inputs)})"
        f".map((value, at) => value ?? ({json.dumps(usual)})[at] ?? value)"
    )


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
        kept = settled(site, each.tab, link) if shown is None else [gr.skip()] * len(each.controls)
        here = link.query if opened else gr.skip()
        return [left, *kept, link, content_of(site, each.tab, link), here]

    return enter


def _goer(site: Site, parts: Parts, each: Placed) -> Callable[..., Any]:
    """Return what follows a link, or a sort button, inside a tab's content."""

    def go(event: gr.EventData, board: str | None, *values: Any) -> Any:
        asked = read_link({"tab": each.tab.key, **_data(event)})
        link = each.tab.link_of(board or "", values)
        if asked.tab != each.tab.key:
            link = Link(board=link.board, submission=link.submission)
        given = {name: text for name, text in vars(asked).items() if text}
        return _updates(site, parts, link.at(**given), here=each.tab.key)

    return go


def _chooser(site: Site, parts: Parts) -> Callable[..., Any]:
    """Return what shows another protocol and benchmark, on the tab that is open."""

    def choose(board: str | None, address: str) -> Any:
        tab = read_link(dict(parse_qsl(address.removeprefix("?")))).tab
        return _updates(site, parts, Link(board=board or "", tab=tab), here=tab, others_anew=True)

    return choose


def _opener(site: Site, parts: Parts) -> Callable[..., Any]:
    """Return what opens the page as its address asks."""

    def open_page(request: gr.Request) -> Any:
        link = read_link(dict(request.query_params))
        return [
            True,
            revision_of(site),
            pace_of(site),
            board_choices(site, link),
            status_of(site),
            *_updates(site, parts, link, here=parts.placed[0].tab.key),
        ]

    return open_page


def _ticker(site: Site) -> Callable[..., Any]:
    """Return what tells a reader that there are new results."""

    def tick(seen: str) -> Any:
        return pace_of(site), status_of(site, fresh=revision_of(site) != seen)

    return tick


def _updates(
    site: Site, parts: Parts, link: Link, *, here: str, others_anew: bool = False
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
            updates += [*settled(site, each.tab, link), link, content_of(site, each.tab, link)]
        elif others_anew:
            updates += [gr.skip()] * len(each.controls) + [None, gr.skip()]
        else:
            updates += [gr.skip()] * len(each.outputs)
    return updates


def _data(event: gr.EventData) -> dict[str, Any]:
    data = event._data
    return data if isinstance(data, dict) else {}
