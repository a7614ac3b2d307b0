from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench_leaderboard.figures import (
    LEFT,
    RIGHT,
    Dot,
    cell_name,
    cells_figure,
    headroom_figure,
    interval_panel,
    kinds_figure,
    mix_figure,
    number,
    span_of,
)
from scopebench_leaderboard.metrics import METRICS
from scopebench_leaderboard.tabs.overview import claim, claim_over, counting


def _drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def test_the_middle_of_the_axis_is_the_middle_of_the_drawing() -> None:
    dots = [Dot("a", 0.1, 0.0, 0.2)]

    svg = interval_panel("t", METRICS["headroom"], dots).svg

    (circle,) = [each for each in _drawn(svg).iter() if each.tag == "circle"]
    assert float(circle.attrib["cx"]) == pytest.approx((LEFT + RIGHT) / 2, abs=0.1)
    assert "+10.00, interval 0.00 to +20.00" in svg


def test_panels_of_one_figure_share_their_axis() -> None:
    small, large = [Dot("a", 0.01, None, None)], [Dot("b", 0.2, None, None)]

    figure = headroom_figure([("one", small), ("two", large)], "c")

    places = [
        float(each.attrib["cx"])
        for panel in figure.panels
        for each in _drawn(panel.svg).iter()
        if each.tag == "circle"
    ]
    assert places[1] - LEFT == pytest.approx(20 * (places[0] - LEFT), abs=2)
    assert span_of([*small, *large]) == (0.0, 0.2)


def test_what_is_undefined_is_a_dash_and_no_mark() -> None:
    svg = interval_panel("t", METRICS["auroc"], [Dot("a", None, None, None)]).svg

    assert "<circle" not in svg
    assert "undefined" in svg
    assert "–" in svg


def test_names_are_escaped() -> None:
    svg = interval_panel(
        "t", METRICS["miss"], [Dot("<script>alert(1)</script>", 0.5, 0.4, 0.6)]
    ).svg

    assert "<script" not in svg
    _drawn(svg)


def test_kinds_are_drawn_over_the_rows_the_share_is_over() -> None:
    rows = pd.DataFrame(
        {
            "kind": ["near_name", "direct"],
            "false_fire": [0.25, None],
            "false_fire_low": [0.1, None],
            "false_fire_high": [0.4, None],
            "out_of_scope": [40, 0],
        }
    )

    figure = kinds_figure(rows, [(METRICS["false_fire"], "out_of_scope")], "c")

    assert len(figure.panels) == 1
    assert "25.0% of 40" in figure.panels[0].svg
    assert "direct" not in figure.panels[0].svg


def test_cells_are_named_for_readers() -> None:
    cells = pd.DataFrame(
        {
            "population": ["original"] * 2,
            "dataset": ["all", "mquake_cf"],
            "condition": ["all", "structured"],
            "static_fixed": [0.5, 0.4],
            "oracle": [0.75, 0.4],
        }
    )

    svg = cells_figure(cells, "c").panels[0].svg

    assert "all cells static 50.0% oracle 75.0%" in svg
    assert "MQuAKE-CF structured" in svg
    assert cell_name("all", "all") == "all cells"


def test_the_readers_own_traffic_lies_on_the_curve() -> None:
    curve = pd.DataFrame(
        {
            "out_of_scope": [0.0, 1.0],
            "static_fixed": [0.8, 0.2],
            "static_const": [0.8, 0.4],
            "oracle": [0.8, 0.6],
            "editor": [0.7, 0.5],
            "headroom": [0.0, 0.4],
            "headroom_low": [0.0, 0.3],
            "headroom_high": [0.0, 0.5],
        }
    )

    svg = mix_figure([("curated", curve)], 0.25, "c").panels[0].svg

    assert "your traffic: 25.0% out of scope, headroom +10.00" in svg


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, None), (float("nan"), None), (pd.NA, None), (1, 1.0), ("1", None)],
)
def test_nulls_of_any_sort_are_none(given: object, expected: float | None) -> None:
    assert number(given) == expected


def test_nothing_is_fetched_by_a_drawing() -> None:
    svg = interval_panel("t", METRICS["miss"], [Dot("a", 0.5, 0.4, 0.6)]).svg

    assert not re.search(r"href|url\(|http", svg)


def headrooms(
    plain: list[float | None], curated: list[float | None], verified: int = 0
) -> dict[str, pd.DataFrame]:
    """Headroom of submissions in two populations, the first few of them reproduced."""
    return {
        name: pd.DataFrame(
            {"headroom": values, "verified": [at < verified for at in range(len(values))]}
        )
        for name, values in (("original", plain), ("curated", curated))
    }


def test_one_submission_cannot_rewrite_the_claim() -> None:
    counted = counting(headrooms([0.0, 0.0, 0.9, None], [0.1, 0.2, 0.99, None]))
    assert claim(counted) == (
        "Ask only about edited facts, and the best possible decision gains nothing over one fixed "
        "rule; ask what no edit governs as well, and it gains +20.00 points."
    )
    assert claim_over(counted) == "Each figure is the median of 3 submissions."


def test_the_claim_is_over_what_was_reproduced_where_there_is_any() -> None:
    counted = counting(headrooms([0.01, 0.9, 0.9], [0.1, 0.9, 0.9], verified=1))
    assert claim(counted).endswith("as well, and it gains +10.00 points.")
    assert "gains +1.00 points over one fixed rule" in claim(counted)
    assert claim_over(counted) == "Each figure is of the one submission reproduced by a maintainer."
    # Where a population has none of them, both halves are over all.
    half = counting(headrooms([None, 0.2, 0.2], [0.1, 0.3, 0.3], verified=1))
    assert "gains +20.00 points over" in claim(half)
    assert (
        claim_over(half)
        == "Each figure is a median of submissions: 2 on original and 3 on curated."
    )


def test_without_a_population_to_set_against_there_is_no_figure() -> None:
    counted = counting(headrooms([0.1], [None]))
    assert "points" not in claim(counted)
    assert claim_over(counted) == ""


SHARES = st.one_of(st.none(), st.floats(0, 1).map(lambda value: round(value, 3)))


@given(st.lists(SHARES, min_size=1, max_size=9), st.integers(0, 9))
def test_the_claim_lies_between_the_least_and_the_most(
    values: list[float | None], verified: int
) -> None:
    known = [value for value in values if value is not None]
    counted = counting(headrooms([0.0] * len(values), values, verified))
    told = re.search(r"it gains (\+?[\d.]+) points", claim(counted))
    if not known:
        assert told is None
        return
    assert told is not None
    assert 100 * min(known) - 0.006 <= float(told[1]) <= 100 * max(known) + 0.006
