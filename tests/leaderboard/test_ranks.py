"""Rank bands: by hand, and what holds of any intervals; and the table they are shown in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("gradio", reason="NO GRADIO: install scopebench[leaderboard]")

from scopebench_leaderboard.board import Board
from scopebench_leaderboard.links import Link
from scopebench_leaderboard.live import LiveBoard
from scopebench_leaderboard.ranks import band_text, rank_bands
from scopebench_leaderboard.settings import Settings
from scopebench_leaderboard.site import Page, Site
from scopebench_leaderboard.tabs import overview, ranking
from scopebench_leaderboard.views import choices


def bands(intervals: list[tuple[float, float]], *, higher: bool = True) -> list[tuple[int, int]]:
    low, high = (np.array(ends, dtype=float) for ends in zip(*intervals, strict=True))
    first, last = rank_bands(low, high, higher_is_better=higher)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def test_entries_apart_have_one_rank_each() -> None:
    assert bands([(0.1, 0.2), (0.7, 0.8), (0.4, 0.5)]) == [(3, 3), (1, 1), (2, 2)]


def test_a_lower_metric_is_ranked_from_its_low_end() -> None:
    assert bands([(0.1, 0.2), (0.7, 0.8), (0.4, 0.5)], higher=False) == [(1, 1), (3, 3), (2, 2)]


def test_overlapping_intervals_share_ranks() -> None:
    # a: wholly above c only. b overlaps both. c: wholly below a only.
    assert bands([(0.6, 0.8), (0.4, 0.65), (0.3, 0.5)]) == [(1, 2), (1, 3), (2, 3)]


def test_intervals_that_touch_overlap() -> None:
    assert bands([(0.5, 0.6), (0.4, 0.5)]) == [(1, 2), (1, 2)]


def test_points_that_are_equal_tie() -> None:
    assert bands([(0.5, 0.5), (0.5, 0.5), (0.4, 0.4)]) == [(1, 2), (1, 2), (3, 3)]


def test_nothing_has_no_ranks() -> None:
    first, last = rank_bands(np.empty(0), np.empty(0), higher_is_better=True)
    assert (len(first), len(last)) == (0, 0)


def test_a_band_is_shown_as_a_range_or_a_rank() -> None:
    assert (band_text(2, 2), band_text(1, 3)) == ("2", "1–3")


POINTS = st.floats(-1, 1, allow_nan=False).map(lambda value: round(value, 2))
INTERVALS = st.lists(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), min_size=1)


@given(INTERVALS, st.booleans())
def test_bands_are_the_counts_of_their_definition(
    intervals: list[tuple[float, float]], higher: bool
) -> None:
    sign = 1 if higher else -1
    turned = [tuple(sorted((sign * low, sign * high))) for low, high in intervals]
    expected = [
        (
            1 + sum(other[0] > own[1] for other in turned),
            len(turned) - sum(other[1] < own[0] for other in turned),
        )
        for own in turned
    ]
    assert bands(intervals, higher=higher) == expected


@given(INTERVALS)
def test_two_bands_meet_just_where_their_intervals_do(intervals: list[tuple[float, float]]) -> None:
    found = bands(intervals)
    for (low, high), (first, last) in zip(intervals, found, strict=True):
        assert 1 <= first <= last <= len(intervals)
        for (other_low, other_high), (other_first, other_last) in zip(
            intervals, found, strict=True
        ):
            if low <= other_high and other_low <= high:
                assert first <= other_last and other_first <= last
            elif low > other_high:
                assert first < other_first or last < other_last


@given(INTERVALS)
def test_turning_the_metric_turns_the_ranks(intervals: list[tuple[float, float]]) -> None:
    n = len(intervals)
    turned = [(-high, -low) for low, high in intervals]
    assert bands(turned) == [(n + 1 - last, n + 1 - first) for first, last in bands(intervals)]
    assert bands(turned, higher=False) == bands(intervals)


def page_of(board: Board, **asked: str) -> Page:
    """A page of a board, without a server."""
    site = Site(Settings(), LiveBoard(Settings()))
    found = choices(board)
    return Page(site, Link(tab="ranking", **asked), board, Path("results"), found[0], tuple(found))


def scored(value: float, **more: Any) -> dict[str, Any]:
    """A part with an interval of its own round a scope accuracy."""
    ends = {"scope_accuracy_low": value - 0.01, "scope_accuracy_high": value + 0.01}
    return {"scope_accuracy": value, **ends, **more}


def test_rows_of_one_editor_and_model_are_told_apart(make_board: Callable[..., Board]) -> None:
    board = make_board(
        *(
            {"submission_id": f"{at}" * 32, "editor": "twin", "parts": [scored(0.5 + at / 10)]}
            for at in (1, 2)
        )
    )
    for html in (ranking.view(page_of(board)), overview.view(page_of(board))):
        for at in (1, 2):
            assert f'<code class="id">{f"{at}" * 8}</code>' in html


def test_the_table_says_why_a_row_has_no_rank_and_a_number_no_value(
    make_board: Callable[..., Board],
) -> None:
    told = json.dumps({"auroc": "4 of 4 decisions have no scope score", "capture": "touches 0"})
    board = make_board(
        {"parts": [scored(0.9, n=4, n_scorable=4)]},
        {"parts": [scored(0.5, undefined=told)], "write_ms_per_edit": 0.0042},
        {"parts": [scored(0.4, capture=-2.5, auroc=0.5)], "write_ms_per_edit": 12.34},
    )
    html = ranking.view(page_of(board))
    assert html.count("not ranked:") == 1
    assert "not ranked: over fewer than the 10 rows of a whole run" in html
    foot = html[html.index('<ul class="foot">') :]
    assert "4 of 4 decisions have no scope score" in foot
    assert "touches 0" in foot
    assert "below 0: worse than the fixed rule" in html
    assert "&lt;0.01 ms" in html
    assert "12.3 ms" in html
    by_auprc = ranking.view(page_of(board, metric="auprc"))
    assert "AUPRC has no interval" in by_auprc
    assert "not ranked:" not in by_auprc


def test_fewer_legal_actions_are_said_in_the_row(make_board: Callable[..., Board]) -> None:
    board = make_board(
        {"parts": [scored(0.9)], "lacking": "recite"},
        {"parts": [scored(0.8)], "lacking": ""},
        {"parts": [scored(0.7)]},
    )
    html = ranking.view(page_of(board))
    assert html.count(">without recite<") == 1
    assert "another fixed rule and another oracle" in html
