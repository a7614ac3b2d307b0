"""What the parts of the page hold for a link: whatever goes wrong in one is told in its place."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Final

import gradio as gr

from scopebench.errors import ScopeBenchError
from scopebench_leaderboard.links import Link
from scopebench_leaderboard.render import notice, render
from scopebench_leaderboard.site import NotToShow, Page, Site, choice_key
from scopebench_leaderboard.tabs import about
from scopebench_leaderboard.tabs.tab import Tab
from scopebench_leaderboard.tabs.wording import submissions_of

LOG: Final = logging.getLogger(__name__)
BROKEN: Final = "This part of the page could not be made; the others are not touched by it."
NOTHING_NEW: Final = ""
OTHER_BOARD: Final = (
    "The address names a protocol or benchmark that this board has not; the first it has is shown."
)
OTHER_SUBMISSION: Final = (
    "The address names a submission that is not on this board, under this protocol and benchmark; "
    "another is shown in its place."
)
LOADING_SECONDS: Final = 5


def content_of(site: Site, tab: Tab, link: Link) -> str:
    """Return a tab's content; where there is none, why, and never an exception."""
    try:
        page = site.page(replace(link, tab=tab.key))
        return _not_here(page, tab) + tab.view(page)
    except NotToShow as error:
        return about.view_without(error) if tab is about.TAB else _nothing(site, str(error))
    except ScopeBenchError as error:
        return notice(str(error), tone="bad")
    except Exception:  # one broken part must not take the page down
        LOG.exception("the tab %s could not be shown", tab.key)
        return notice(BROKEN, tone="bad")


def _not_here(page: Page, tab: Tab) -> str:
    """Return what the address names and the board lacks: another is shown in its place."""
    asked, told = page.link, ""
    if asked.board and asked.board != choice_key(page.choice):
        told += notice(OTHER_BOARD, tone="bad")
    named = {getattr(asked, name) for name in ("submission", "second") if name in tab.fields} - {""}
    if named - set(submissions_of(page)["submission_id"]):
        told += notice(OTHER_SUBMISSION, tone="bad")
    return told


def _nothing(site: Site, reason: str) -> str:
    """Return why there is nothing to show, with the submissions that were refused."""
    board = site.live.shown.board
    refused = [] if board is None else board.rejected.to_dict("records")
    return render("nothing.html.jinja", text=reason, rejected=refused)


def settled(site: Site, tab: Tab, link: Link) -> list[Any]:
    """Return updates of a tab's controls, none of which says anything where they cannot be set."""
    try:
        return [gr.update(**dict(kwargs)) for kwargs in tab.settle(site.page(link))]
    except NotToShow:
        pass
    except ScopeBenchError as error:
        LOG.warning("%s: %s", tab.key, error)
    except Exception:  # as in `content_of`
        LOG.exception("the controls of %s could not be set", tab.key)
    return [gr.skip() for _ in tab.fields]


def board_choices(site: Site, link: Link) -> Any:
    """Return the selector of protocol and benchmark, hidden where there is none to choose."""
    try:
        page: Page = site.page(link)
    except ScopeBenchError:
        return gr.Dropdown(choices=[], value=None, visible=False)
    listed = [(f"{choice.label} ({choice.n})", choice_key(choice)) for choice in page.choices]
    return gr.Dropdown(choices=listed, value=choice_key(page.choice), visible=True)


def status_of(site: Site, *, fresh: bool = False) -> str:
    """Return what is told above the tabs: that results are old, or that there are new ones."""
    shown = site.live.shown
    if shown.board is not None and shown.fault is not None:
        return notice(f"These are the last results that could be read: {shown.fault}", tone="bad")
    return render("fresh.html.jinja") if fresh else NOTHING_NEW


def revision_of(site: Site) -> str:
    """Return the revision of the board that is shown; empty: none is."""
    board = site.live.shown.board
    return "" if board is None else board.revision


def pace_of(site: Site) -> Any:
    """Return how soon to look again: a board that is being built may be there any moment."""
    loading = site.live.shown.loading
    return gr.Timer(LOADING_SECONDS if loading else site.settings.refresh_seconds)
