"""The HTML page: whole, self-contained, escaped, and no dash without its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from scopebench.errors import DataError
from scopebench.records.report import Comparison, Estimate, Report
from scopebench.report.page.build import build_page, render_html
from scopebench.report.page.content import RunView
from scopebench.report.page.html import letter
from scopebench.report.page.model import Table

VOID = {"meta", "br", "line", "rect", "path", "circle"}
KEYS = (
    *("oracle", "actions", "headroom", "mix", "decisions", "policies", "scores", "fires"),
    *("tests", "matchers", "repeat"),
)
HOSTILE = "<script>alert(1)</script>\"' onload=x & \u202egnol\x1b[31m | `tick`\nline"


class Reader(HTMLParser):
    """Checks nesting and keeps what tests ask about."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(view_of: Callable[..., RunView]) -> Reader:
    return Reader(render_html([view_of()], ()))


def test_every_section_is_there_and_linked(page: Reader) -> None:
    ids = [attributes["id"] for attributes in page.of("section")]
    assert ids == [f"r0-{key}" for key in KEYS]
    targets = [attributes["href"] for attributes in page.of("a")]
    assert targets == ["#main", *(f"#r0-{key}" for key in KEYS)]


def test_ids_are_unique_and_labels_exist(page: Reader) -> None:
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(a["aria-labelledby"] in ids for a in page.of("section"))


def test_nothing_is_asked_of_the_network(page: Reader) -> None:
    policy = next(a for a in page.of("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "image"}
    for tag, attributes in page.tags:
        for name in ("src", "srcset", "action", "formaction", "poster", "data", "xlink:href"):
            assert name not in attributes, f"<{tag}> loads something by {name}"
        assert (attributes.get("href") or "#").startswith("#")


def test_no_style_or_script_names_an_address(view_of: Callable[..., RunView]) -> None:
    html = render_html([view_of()], ())
    assert not re.search(r"https?://|@import|url\(", html)


def test_text_from_data_is_escaped(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    plain = render_html([view_of()], ())
    view = view_of()
    fires = tuple(
        type(fire)(**{**fire.__dict__, "question": HOSTILE, "kind": HOSTILE, "dataset": HOSTILE})
        for fire in view.wrong_fires
    )
    report = report_of(static_rule=HOSTILE, missing={HOSTILE: HOSTILE})
    html = render_html([view_of(HOSTILE, report=report, wrong_fires=fires)], ())
    read = Reader(html)
    assert len(read.of("script")) == 1
    assert not any(name.startswith("on") for _, a in read.tags for name in a)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "\\u202egnol\\x1b[31m" in "".join(read.text)
    assert {tag for tag, _ in read.tags} == {tag for tag, _ in Reader(plain).tags}


def test_every_null_shows_its_reason(page: Reader, view_of: Callable[..., RunView]) -> None:
    dashes = [a for a in page.of("span") if a.get("class") == "none" and "title" in a]
    assert dashes
    assert all(a["title"] for a in dashes)
    text = " ".join(page.text)
    for reason in ("no query is out of scope", "no headroom to capture", "too few draws"):
        assert reason in text
    tables = [
        block
        for part in build_page([view_of()], ()).parts
        for section in part.sections
        for block in section.blocks
        if isinstance(block, Table)
    ]
    assert any(table.reasons for table in tables)
    assert all(v.reason for table in tables for v in table.values() if v.text == "–")


def test_every_column_of_numbers_is_filled(view_of: Callable[..., RunView]) -> None:
    for part in build_page([view_of(), view_of("rag")], ()).parts:
        for section in part.sections:
            for block in section.blocks:
                if isinstance(block, Table):
                    for group in block.groups:
                        assert {len(row.values) for row in group.rows} <= {len(block.columns)}


def test_the_first_screen_states_the_claim_and_its_numbers(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    greedy = Reader(render_html([view_of(report=report_of(noise=()))], ()))
    text = " ".join(" ".join(greedy.text).split())
    assert (
        "On edited facts alone, no per-query decision beats one fixed rule (0.00 points, at most "
        "+0.68); with edits withheld, the best per-query decision gains +4.20 points (+2.97 to "
        "+5.43) over one fixed rule, of which inlay captures 47.6%" in text
    )
    assert "points of headroom, withheld" in text
    assert "95% interval +2.97 to +5.43" in text


def test_the_worst_news_is_said(page: Reader) -> None:
    text = " ".join(page.text)
    assert (
        "On curated, subject-string match has more right decisions than inlay: 87.0% against 85.0%"
        in text
    )


def test_skipped_tests_are_listed_with_their_reason(page: Reader) -> None:
    text = " ".join(page.text)
    assert "4 : 0" in text
    assert "0.125" in text
    assert "Not tested: inlay against static_fixed, original, all cells" in text
    assert "the two never differ" in text


def test_without_a_differing_row_nothing_is_detectable_and_it_says_why(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    tested = report_of().comparisons[0]
    why = "no cluster differs, which leaves no variance to plan with"
    equal = tested.model_copy(update={"detectable": None, "undefined": {"detectable": why}})
    html = render_html([view_of(report=report_of(comparisons=(equal,)))], ())
    assert why in html


def test_how_to_repeat_names_every_hash_and_command(page: Reader) -> None:
    text = " ".join(page.text)
    for told in ("a38d5b95617c4a22", "ce80a2533ec29484", "e" * 64, "b" * 64, "0" * 64, "f" * 40):
        assert told in text
    assert (
        "scopebench score --editor inlay --benchmark BENCHMARK --model made-135m --dtype bfloat16 "
        "--encoder made-enc --param threshold=0.7 --param 'note=\"it'\"'\"'s\"' --seed 3 "
        "--out inlay" in text
    )


def test_charts_can_be_read_aloud_and_tables_reached(page: Reader) -> None:
    charts = [a for a in page.of("svg") if a.get("class") == "chart"]
    assert len(charts) > 8
    assert all(a["role"] == "img" and a["aria-label"] for a in charts)
    assert all(a.get("aria-hidden") == "true" for a in page.of("svg") if a not in charts)
    regions = [a for a in page.of("div") if a.get("class") == "scroll"]
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in regions)
    assert len(regions) == len(page.of("table")) + 1  # and the commands


def test_all_wrong_fires_are_in_the_page_without_its_script(page: Reader) -> None:
    fires = [a for a in page.of("li") if a.get("class") == "fire"]
    assert len(fires) == 24
    assert not any("hidden" in a for a in fires)
    assert "24 of 240 wrong fires" in " ".join(page.text)


def test_equal_views_give_equal_bytes(view_of: Callable[..., RunView]) -> None:
    assert render_html([view_of()], ()) == render_html([view_of()], ())


def test_several_runs_stand_side_by_side(view_of: Callable[..., RunView]) -> None:
    tested = Comparison(
        family="runs",
        population="withheld",
        first="inlay_a",
        second="rag_b",
        n=100,
        n_clusters=50,
        first_only=4,
        second_only=0,
        difference=Estimate(value=0.04, low=0.01, high=0.07, method="m"),
        p_sign_flip=0.125,
        p_mcnemar=0.125,
        smallest_p=0.125,
        p_holm=0.25,
        detectable=0.1,
    )
    read = Reader(render_html([view_of("inlay_a"), view_of("rag_b")], [tested]))
    text = " ".join(" ".join(read.text).split())
    assert "of its own headroom, inlay_a captures 47.6%, rag_b captures 47.6%." in text
    assert "withheld: inlay_a against rag_b" in text
    ids = [a["id"] for a in read.of("section")]
    assert ids[0] == "r0-side-by-side"
    assert ids[1:] == [f"r{run}-{key}" for run in (1, 2) for key in KEYS]


def test_what_else_differs_between_runs_is_said(view_of: Callable[..., RunView]) -> None:
    other = view_of("rag")
    assert other.result is not None
    model = other.result.model.model_copy(update={"revision": "9" * 40})
    changed = other.result.model_copy(update={"model": model})
    html = render_html([view_of(), view_of("rag", result=changed)], ())
    assert "Not only the editors differ between these runs: language model." in html
    assert "Not only the editors" not in render_html([view_of(), other], ())


def _other_protocol(view: RunView) -> Any:
    assert view.result is not None
    protocol = view.result.protocol.model_copy(update={"protocol_id": "beef"})
    return view.result.model_copy(update={"protocol": protocol})


def test_runs_of_different_protocols_are_refused(view_of: Callable[..., RunView]) -> None:
    other = view_of("rag")
    with pytest.raises(
        DataError, match="its protocol id is beef, that of inlay is a38d5b95617c4a22"
    ):
        render_html([view_of(), view_of("rag", result=_other_protocol(other))], ())
    with pytest.raises(DataError, match="its protocol id is None"):
        render_html([view_of(), view_of("table", plain=True)], ())


def test_equal_names_and_no_runs_are_refused(view_of: Callable[..., RunView]) -> None:
    with pytest.raises(DataError, match="two runs are called 'inlay'"):
        render_html([view_of(), view_of()], ())
    with pytest.raises(DataError, match="no run"):
        render_html([], ())


def test_a_plain_table_without_decisions_says_what_it_lacks(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    report = report_of(
        router=(),
        policies=(),
        mixes=(),
        comparisons=(),
        noise=(),
        strata=(),
        cells=(),
        pooled=(),
        missing={"decision_label": "no decision can be judged"},
    )
    view = view_of(
        "table",
        plain=True,
        report=report,
        scores=np.empty(0),
        in_scope=np.empty(0, dtype=bool),
        populations=(),
        kinds=(),
        risk_curves={},
        wrong_fires=(),
        wrong_fires_total=None,
    )
    text = " ".join(Reader(render_html([view], ())).text)
    assert "No population has scorable outcomes" in text
    assert "no decision can be judged" in text
    assert "The table holds no scope scores." in text
    assert "it names no protocol, editor or model" in text


def test_footnotes_are_lettered_beyond_z() -> None:
    assert [letter(n) for n in (0, 25, 26, 27, 51, 52)] == ["a", "z", "aa", "ab", "az", "ba"]


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_formula_on_known_colours() -> None:
    assert _contrast("#ffffff", "#000000") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_colours_have_aa_contrast_in_light_dark_and_print(view_of: Callable[..., RunView]) -> None:
    html = render_html([view_of()], ())
    schemes = [
        dict(re.findall(r"--([\w]+): (#[0-9a-f]{6})", expanded))
        for block in re.findall(r":root \{(.*?)\}", html, re.S)
        if (
            expanded := re.sub(
                r"#([0-9a-f])([0-9a-f])([0-9a-f])\b(?![0-9a-f])", r"#\1\1\2\2\3\3", block
            )
        )
    ]
    assert len(schemes) == 3
    for colours in schemes:
        for ground in ("paper", "mark", "wash"):
            for ink in ("ink", "quiet", "bad", "accent"):
                assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
        for place in range(6):
            assert _contrast(colours[f"c{place}"], colours["paper"]) >= 3, place
