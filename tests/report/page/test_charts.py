"""Drawings: well-formed, placed by hand-computed coordinates, told in words."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.report.page.charts.curves import MixPoint, mix_panel, risk_panel
from scopebench.report.page.charts.histogram import score_panel
from scopebench.report.page.charts.svg import MARKS, Scale, fixed, mark, shortened, ticks
from scopebench.report.page.charts.tracks import (
    ActionRow,
    BarRow,
    OracleRow,
    action_panel,
    bar_panel,
    oracle_panel,
    ruler,
)


def test_a_scale_maps_and_clips() -> None:
    scale = Scale(0.0, 1.0, 8.0, 352.0)
    assert (scale(0.0), scale(0.5), scale(1.0)) == (8.0, 180.0, 352.0)
    assert (scale(-3.0), scale(9.0)) == (8.0, 352.0)
    assert Scale(2.0, 2.0, 0.0, 10.0)(2.0) == 5.0


def test_coordinates_are_short_and_signless_at_zero() -> None:
    assert [fixed(v) for v in (1.0, 1.26, -0.04, 100 / 3)] == ["1", "1.3", "0", "33.3"]


def test_ticks_are_round() -> None:
    assert ticks(0.0, 1.0, 4) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert ticks(-0.06, 0.11, 4) == [-0.05, 0.0, 0.05, 0.1]
    assert ticks(3.0, 3.0) == [3.0]


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_ticks_lie_inside_and_are_few(low: float, width: float) -> None:
    found = ticks(low, low + width, 4)
    assert 1 <= len(found) <= 6
    assert all(low - width * 1e-6 <= value <= low + width * (1 + 1e-6) for value in found)


def test_long_names_keep_both_ends() -> None:
    short = shortened("a-data-set-with-a-name-that-never-ends structured", 30 * 6.9)
    assert len(short) == 30
    assert short.startswith("a-data-set-with-a-")
    assert short.endswith("structured")
    assert shortened("short", 100) == "short"


def test_every_mark_differs_for_twice_as_many_series_as_shapes() -> None:
    drawn = [mark(index, 10, 10) for index in range(2 * MARKS)]
    assert len(set(drawn)) == 2 * MARKS


def test_the_oracles_ring_is_concentric_with_the_dot_where_there_is_no_headroom() -> None:
    svg = ET.fromstring(oracle_panel("original", [OracleRow("CounterFact", 0.5, 0.5)]).svg)
    dot, ring = (next(e for e in svg.iter("circle") if e.get("class") == c) for c in ("m0", "ring"))
    assert (dot.get("cx"), dot.get("cy")) == (ring.get("cx"), ring.get("cy")) == ("180", "50")
    assert float(ring.get("r", 0)) > float(dot.get("r", 0))


def test_an_undefined_cell_is_drawn_as_a_dash_and_told() -> None:
    svg = oracle_panel("original", [OracleRow("CounterFact", None, None)]).svg
    assert ">–</text>" in svg
    assert "static undefined" in svg
    assert "circle" not in svg


def test_an_illegal_action_has_no_mark() -> None:
    svg = action_panel("x", ("recite", "reason"), [ActionRow("cell", (None, 0.25))]).svg
    assert 'class="m1"' in svg
    assert 'class="m0"' not in svg


def test_a_bar_is_as_long_as_its_share() -> None:
    svg = ET.fromstring(bar_panel("x", [BarRow("kind", 0.5, 0.4, 0.6, 1200)]).svg)
    bar = next(e for e in svg.iter("rect") if e.get("class") == "bar")
    assert (bar.get("x"), bar.get("width")) == ("8", "172")
    assert any(e.text == "50.0% of 1,200" for e in svg.iter("text"))


def test_a_ruler_spans_its_interval_and_zero() -> None:
    svg = ET.fromstring(ruler(0.5, 0.25, 1.0))
    span = next(e for e in svg.iter("line") if e.get("class") == "span")
    assert (span.get("x1"), span.get("x2")) == ("42", "156")
    assert next(e for e in svg.iter("circle")).get("cx") == "80"


def test_score_bars_lie_above_and_below_the_middle() -> None:
    scores = np.array([0.0, 1.0, 1.0, 0.0])
    svg = ET.fromstring(score_panel("x", scores, np.array([0, 1, 1, 0], dtype=bool), (0, 1)).svg)
    above = [e for e in svg.iter("rect") if e.get("class") == "bar-in"]
    below = [e for e in svg.iter("rect") if e.get("class") == "bar-out"]
    assert len(above) == len(below) == 1
    assert float(above[0].get("x", 0)) > float(below[0].get("x", 0))
    assert float(above[0].get("y", 0)) + float(above[0].get("height", 0)) == pytest.approx(105)
    assert below[0].get("y") == "105"


def test_equal_scores_still_have_an_axis() -> None:
    panel = score_panel("x", np.array([0.3, 0.3]), np.array([True, False]), (0.3, 0.3))
    assert ET.fromstring(panel.svg).get("role") == "img"


@pytest.mark.parametrize("name", ['<script>alert(1)</script>"', "a\x1b[31m", "\u202egnol"])
def test_names_from_data_cannot_leave_the_text(name: str) -> None:
    point = MixPoint(name, 0.5, 0.1)
    for panel in (
        oracle_panel(name, [OracleRow(name, 0.1, 0.2)]),
        action_panel(name, (name,), [ActionRow(name, (0.4,))]),
        bar_panel(name, [BarRow(name, 0.1, None, None, 3)]),
        mix_panel(name, [MixPoint("", 0, 0), MixPoint("", 1, 0.2)], [point]),
        risk_panel(name, (0.5, 1.0), (0.0, 0.1), (0.0, 0.1)),
    ):
        svg = ET.fromstring(panel.svg)
        assert {e.tag for e in svg.iter()} <= {
            *("svg", "title", "desc", "g", "text", "line", "path", "rect", "circle")
        }
        assert svg.get("aria-label")
        assert "\x1b" not in panel.svg
        assert "\u202e" not in panel.svg
