"""The first screen of several runs: one table, one figure, and nothing bad hidden in a fold."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from scopebench.records.report import Estimate, Report
from scopebench.report.page.build import build_page, render_html, render_markdown
from scopebench.report.page.content import RunView
from scopebench.report.page.model import Figure, Note, Table
from scopebench.report.page.sections.summary import summary_blocks
from scopebench.scoring.families import POLICIES, SCOPE

ViewOf = Callable[..., RunView]
ReportOf = Callable[..., Report]


def with_test(report_of: ReportOf, **fields: object) -> Report:
    """Return the made-up report with a test against its best rival, `subject_match`."""
    row = report_of().comparisons[0]
    told = {"family": SCOPE, "population": "curated", "second": "subject_match", **fields}
    others = [
        row.model_copy(update={**told, "family": POLICIES, "first_only": 99}),
        row.model_copy(update={**told, "second": "always_fire", "first_only": 98}),
        row.model_copy(update={**told, "population": "withheld", "first_only": 97}),
    ]
    return report_of(comparisons=(*others, row.model_copy(update=told)))


def table_of(views: list[RunView]) -> Table:
    return next(block for block in summary_blocks(views) if isinstance(block, Table))


def test_a_row_tells_decisions_gain_rates_and_the_best_policy(
    view_of: ViewOf, report_of: ReportOf
) -> None:
    report = with_test(report_of, first_only=31, second_only=12, p_holm=0.0038)
    table = table_of([view_of("a", report=report), view_of("b")])
    assert [column.label for column in table.columns] == [
        *(f"right decisions, {name}" for name in ("original", "withheld", "curated")),
        *(f"{what}, curated" for what in ("gain", "false fire", "miss")),
        "won : lost against the best policy that understands nothing, curated",
    ]
    first, second = table.groups[0].rows
    assert first.head == "a"
    assert [(value.text, value.interval) for value in first.values] == [
        *[("85.0%", "82.0 to 88.0")] * 3,
        ("+2.00", "−1.00 to +5.00"),
        ("31.0%", "28.0 to 34.0"),
        ("5.0%", "2.0 to 8.0"),
        ("31 : 12", "subject-string match, p 0.0038"),
    ]
    assert second.values[-1].reason == (
        "no policy that understands nothing could be judged on these rows"
    )


def test_a_test_that_was_skipped_says_why(view_of: ViewOf, report_of: ReportOf) -> None:
    report = with_test(report_of, first_only=None, second_only=None, skipped="too few rows")
    row = table_of([view_of("a", report=report), view_of("b")]).groups[0].rows[0]
    assert (row.values[-1].text, row.values[-1].reason) == ("–", "too few rows")


def test_without_curated_the_rates_are_those_of_withheld(
    view_of: ViewOf, report_of: ReportOf
) -> None:
    routers = tuple(row for row in report_of().router if row.population != "curated")
    pooled = tuple(cell for cell in report_of().pooled if cell.population != "curated")
    report = report_of(router=routers, pooled=pooled)
    table = table_of([view_of("a", report=report), view_of("b", report=report)])
    assert [column.label for column in table.columns][2] == "gain, withheld"


def test_a_run_without_decisions_has_reasons_and_no_numbers(
    view_of: ViewOf, report_of: ReportOf
) -> None:
    bare = report_of(router=(), policies=(), comparisons=())
    row = table_of([view_of("a"), view_of("b", report=bare)]).groups[0].rows[1]
    assert [value.text for value in row.values] == ["–"] * 7
    assert all(value.reason for value in row.values)


def test_the_figure_sets_each_run_between_the_rule_and_the_oracle(view_of: ViewOf) -> None:
    figure = next(b for b in summary_blocks([view_of("a"), view_of("b")]) if isinstance(b, Figure))
    assert [panel.title for panel in figure.panels] == ["original", "withheld", "curated"]
    told = "a: fixed rule 78.7%, own decisions 80.0%, oracle 82.9%"
    assert f"<desc>{told}; b{told[1:]}</desc>" in figure.panels[1].svg
    # 80% of the way from 8 to 352, and its interval from 77% to 83%
    assert 'x1="272.9" y1="50" x2="293.5" y2="50"' in figure.panels[1].svg


def test_what_else_differs_is_on_the_first_screen(view_of: ViewOf) -> None:
    other = view_of("rag")
    assert other.result is not None
    model = other.result.model.model_copy(update={"revision": "9" * 40})
    changed = view_of("rag", result=other.result.model_copy(update={"model": model}))
    notes = [b for b in summary_blocks([view_of(), changed]) if isinstance(b, Note)]
    assert [(note.text, note.tone) for note in notes] == [
        ("Not only the editors differ between these runs: language model.", "bad")
    ]


def test_one_run_has_no_summary_and_no_fold(view_of: ViewOf) -> None:
    page = build_page([view_of()], ())
    assert page.summary == ()
    assert page.key_figures
    assert '<details class="part"' not in render_html([view_of()], ())
    assert "<details>" not in render_markdown([view_of()], ())


def test_everything_but_the_summary_is_folded(view_of: ViewOf) -> None:
    html = render_html([view_of("a"), view_of("b")], ())
    folds = re.findall(r'<details class="part" id="(r\d)">\n<summary><h2[^>]*>([^<]*)<', html)
    assert folds == [("r0", "Runs side by side"), ("r1", "a"), ("r2", "b")]
    assert html.index('class="summary"') < html.index("<section")
    assert html.count("<section") == html[html.index('<details class="part"') :].count("<section")


@pytest.mark.parametrize("name", ["b", "<b>&\n"])
def test_the_markdown_is_short_first_and_folds_the_rest(view_of: ViewOf, name: str) -> None:
    text = render_markdown([view_of("a"), view_of(name)], ())
    head, *folds = text.split("<details>\n")
    assert "| run | right decisions, original |" in head
    assert len(head.splitlines()) < 30
    names = [re.findall(r"<summary><b>(.*)</b></summary>\n\n", fold) for fold in folds]
    shown = {"b": "b", "<b>&\n": "&lt;b&gt;&amp;\\n"}[name]
    assert names == [["Runs side by side"], ["a"], [shown]]
    assert text.count("</details>") == 3


def test_a_gain_that_is_undefined_stays_undefined(view_of: ViewOf, report_of: ReportOf) -> None:
    none = Estimate(value=None, low=None, high=None, method=None)
    routers = tuple(
        row.model_copy(update={"gain": none, "undefined": {"gain": "no rule is declared"}})
        for row in report_of().router
    )
    report = report_of(router=routers)
    row = table_of([view_of("a", report=report), view_of("b")]).groups[0].rows[0]
    assert (row.values[3].text, row.values[3].reason) == ("–", "no rule is declared")
