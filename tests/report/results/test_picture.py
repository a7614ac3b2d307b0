"""The picture draws the numbers it is given, whole and alone in its file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from scopebench.records.report import Estimate
from scopebench.report.results.picture import SCHEMES, Bar, bars, picture, told
from scopebench.report.results.plan import Wanted
from scopebench.report.results.runs import read_runs
from scopebench.scoring.summary import Settings

BARS = [
    Bar("original", 0.0, 0.0, 0.02, 0.75, 0.75),
    Bar("withheld", 0.1, 0.05, 0.2, 0.4, 0.5),
]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(scheme: str = "light") -> ET.Element:
    return ET.fromstring(picture(BARS, "Gain & loss", scheme))


def test_a_bar_is_as_long_as_its_headroom() -> None:
    """The axis goes from 0 to 0.2 over the 328 units from 262 to 590."""
    flat, gain = [r for r in drawn().iter(f"{SVG}rect") if r.get("class") == "bar"]
    assert (flat.get("x"), flat.get("width")) == ("262", "2")  # nothing gained: a mark, no bar
    assert (gain.get("x"), gain.get("width")) == ("262", "164")
    lines = [r for r in drawn().iter(f"{SVG}line") if r.get("class") == "whisker"]
    spans = [(r.get("x1"), r.get("x2")) for r in lines if r.get("x1") != r.get("x2")]
    assert spans == [("262", "294.8"), ("344", "590")]


def test_the_numbers_stand_beside_the_bars() -> None:
    words = [text.text for text in drawn().iter(f"{SVG}text")]
    assert words[0] == "Gain & loss"
    assert ["+10.00", "40.0% → 50.0%"] == words[-2:]
    assert "0.00" in words
    assert told(BARS) == (
        "Headroom in points, with 95% intervals: original 0.00 (0.00 to +2.00), withheld +10.00 "
        "(+5.00 to +20.00)"
    )
    assert drawn().get("aria-label") == told(BARS)


def test_a_loss_is_drawn_to_the_left_of_zero() -> None:
    """The axis goes from -0.1 to 0.1, so 0 is at 426 and half a bar 82 long."""
    svg = ET.fromstring(picture([Bar("x", -0.05, -0.1, 0.1, 0.5, 0.45)], "", "dark"))
    bar = next(r for r in svg.iter(f"{SVG}rect"))
    assert (bar.get("x"), bar.get("width")) == ("344", "82")


def test_schemes_differ_in_colours_alone_and_nothing_is_loaded() -> None:
    texts = [picture(BARS, "t", scheme) for scheme in SCHEMES]
    assert len(set(texts)) == 2
    assert len({re.sub(r"#[0-9a-f]{6}", "", text) for text in texts}) == 1
    assert not re.search(r"url\(|href|<script|@import", texts[0])


def test_populations_without_an_interval_are_left_out(
    runs_folder: Path, wanted: Sequence[Wanted]
) -> None:
    run = read_runs(runs_folder, wanted[:1], Settings(n_resamples=50))["starter"]["inlay"]
    none = Estimate(value=0.1, low=None, high=None, method=None)
    some = Estimate(value=0.042, low=0.01, high=0.09, method="m")
    pooled = [
        cell.model_copy(
            update={
                "headroom": none if cell.population == "withheld" else some,
                "static_fixed": 0.5,
                "oracle": 0.542,
            }
        )
        for cell in reversed(run.pooled)
    ]
    found = bars(run.model_copy(update={"pooled": tuple(pooled)}))
    assert found == [Bar(name, 0.042, 0.01, 0.09, 0.5, 0.542) for name in ("original", "curated")]
