"""The board for programs: four endpoints that answer with JSON, for `gradio_client` and any other.

Faults are told as messages, with the names that would have been right.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import gradio as gr

from scopebench.errors import ScopeBenchError
from scopebench_leaderboard.exports import to_json
from scopebench_leaderboard.links import read_link
from scopebench_leaderboard.site import Page, Site
from scopebench_leaderboard.tabs import compare as compare_tab
from scopebench_leaderboard.tabs import ranking as ranking_tab
from scopebench_leaderboard.tabs.submit import judged
from scopebench_leaderboard.views import scores_of

Answer = TypeVar("Answer")

MOST_ROWS = 1000
"""Rows of one answer; `offset` asks for the next."""


def attach(site: Site) -> None:
    """Add the endpoints inside the current Gradio context."""
    for name, function in (
        ("ranking", _ranking(site)),
        ("submission", _submission(site)),
        ("compare", _compare(site)),
    ):
        gr.api(function, api_name=name)  # type: ignore[attr-defined]
    upload = gr.File(visible=False, file_count="multiple")
    answer = gr.JSON(visible=False)
    gr.Button(visible=False).click(
        _verify(site),
        inputs=[upload],
        outputs=[answer],
        api_name="verify",
        api_description="Verify a submission: one zip, or its three files.",
        concurrency_limit=site.settings.verify_concurrency,
        concurrency_id="verify",
    )


def _page(site: Site, **given: str) -> Page:
    try:
        return site.page(read_link(given))
    except ScopeBenchError as error:
        raise gr.Error(str(error), print_exception=False) from error


def _told(make: Callable[[], Answer]) -> Answer:
    """Return what is made, or tell a reader's fault as a message."""
    try:
        return make()
    except ScopeBenchError as error:
        raise gr.Error(str(error), print_exception=False) from error


def _ranking(site: Site) -> Callable[..., Any]:
    def ranking(  # noqa: PLR0913 - one parameter per control of the page
        population: str = "curated",
        metric: str = "scope_accuracy",
        cell: str = "",
        models: str = "",
        q: str = "",
        gradient: str = "",
        verified: str = "",
        columns: str = "",
        board: str = "",
        offset: int = 0,
    ) -> list[dict[str, Any]]:
        """Return the ranking, best first, at most 1,000 rows from `offset`.

        Names are those of the page's own links: `board` chooses protocol and benchmark.
        """
        page = _page(
            site,
            population=population,
            metric=metric,
            cell=cell,
            models=models,
            q=q,
            gradient=gradient,
            verified=verified,
            columns=columns,
            board=board,
        )
        start = max(int(offset), 0)

        def make() -> list[dict[str, Any]]:
            frame = ranking_tab.table_of(page).iloc[start : start + MOST_ROWS]
            rows: list[dict[str, Any]] = json.loads(to_json(frame))
            return rows

        return _told(
            lambda: page.cached("ranking rows", make, *ranking_tab.key_of(page), str(start))
        )

    return ranking


def _submission(site: Site) -> Callable[..., Any]:
    def submission(submission_id: str) -> dict[str, Any]:
        """Return a submission and every number of it, part by part."""
        page, key = _page(site), str(submission_id)

        def make() -> dict[str, Any]:
            found = page.row(key)["submission_id"]
            scores = scores_of(page.board, key)
            described = page.board.submissions
            described = described[described["submission_id"] == found]
            # A mapping with a `path` is a file to `gradio_client`, which would try to fetch it.
            described = described.rename(columns={"path": "folder"})
            return {
                "submission": json.loads(to_json(described))[0],
                "scores": json.loads(to_json(scores)),
            }

        return _told(lambda: page.cached("submission", make, key))

    return submission


def _compare(site: Site) -> Callable[..., Any]:
    def compare(first: str, second: str) -> dict[str, Any]:
        """Return the paired tests of two submissions, and rows that only one gets right."""
        page = _page(site)
        found = _told(lambda: compare_tab.compared(page, str(first), str(second)))
        return {
            "first": found.first,
            "second": found.second,
            "comparisons": [row.model_dump(mode="json") for row in found.comparisons],
            "n_discordant": found.n_discordant,
            "discordant": json.loads(to_json(found.discordant)),
        }

    return compare


def _verify(site: Site) -> Callable[..., Any]:
    def verify(files: list[str] | None, request: gr.Request) -> dict[str, Any]:
        return judged(site, files or [], None, request).as_json

    return verify
