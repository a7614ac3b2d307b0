"""The claim says what the numbers allow, and no more."""

from __future__ import annotations

from collections.abc import Callable

from scopebench.records.report import Cell, Estimate, Report, RouterRow
from scopebench.report.page.content import RunView
from scopebench.report.page.headline import claim, key_figures, telling_population

NONE = Estimate(value=None, low=None, high=None, method=None)


def _pooled(report: Report, headroom: Estimate) -> tuple[Cell, ...]:
    return tuple(
        cell.model_copy(update={"headroom": headroom})
        for cell in report.pooled
        if cell.population == "curated"
    )


def _router(report: Report, gain: Estimate, capture: Estimate) -> tuple[RouterRow, ...]:
    return tuple(row.model_copy(update={"gain": gain, "capture": capture}) for row in report.router)


def test_an_interval_that_touches_zero_shows_no_gain(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    unsure = Estimate(value=0.01, low=0.0, high=0.02, method="m")
    report = report_of(pooled=_pooled(report_of(), unsure), router=())
    assert claim([view_of(report=report)]) == (
        "On curated questions, half of which no edit governs, no per-query decision is shown to "
        "beat one fixed rule: +1.00 points (0.00 to +2.00)."
    )


def test_an_editor_that_loses_is_said_to_lose(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    sure = Estimate(value=0.05, low=0.03, high=0.07, method="m")
    lost = Estimate(value=-0.2, low=-0.3, high=-0.1, method="m")
    report = report_of(pooled=_pooled(report_of(), sure), router=_router(report_of(), lost, NONE))
    assert claim([view_of(report=report)]).endswith(
        "of which inlay gets none: it loses 20.00 points (−30.00 to −10.00) against the rule."
    )


def test_an_editor_that_equals_the_rule_gains_nothing(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    level = Estimate(value=0.0, low=-0.02, high=0.02, method="m")
    report = report_of(router=_router(report_of(), level, level))
    views = [view_of("static", report=report), view_of("inlay")]
    assert claim(views[:1]).endswith("over one fixed rule, of which inlay gains nothing.")
    assert claim(views).endswith(
        "with the cards of static; of its own headroom, static gains nothing, inlay captures 47.6%."
    )


def test_without_outcomes_there_is_no_claim(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    report = report_of(pooled=_pooled(report_of(), NONE))
    assert telling_population(report) is None
    assert claim([view_of(report=report)]).startswith("No population has scorable outcomes")
    assert key_figures([view_of(report=report)]) == ()


def test_key_figures_are_four_with_their_intervals(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    figures = key_figures([view_of(report=report_of(noise=()))])
    assert [figure.value.text for figure in figures] == ["0.00", "+4.20", "+2.00", "31.0%"]
    assert all(figure.value.interval and figure.definition and figure.ruler for figure in figures)


def test_sampled_runs_are_told_by_the_gain_on_draws_left_out(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    report = report_of()
    held_out = Estimate(value=0.01, low=-0.02, high=0.04, method="m")
    noise = report.noise[0].model_copy(update={"population": "withheld", "held_out": held_out})
    views = [view_of(report=report_of(noise=(noise,)))]
    assert (
        "with edits withheld, no per-query decision is shown to beat one fixed rule, judged on "
        "draws left out: +1.00 points (−2.00 to +4.00)" in claim(views)
    )
    figure = next(f for f in key_figures(views) if "withheld" in f.label)
    assert figure.value.text == "+1.00"
    assert "draws left out" in figure.definition


def test_without_a_declared_rule_the_baseline_is_chosen_on_other_folds(
    view_of: Callable[..., RunView], report_of: Callable[..., Report]
) -> None:
    pooled = tuple(
        cell.model_copy(update={"static_fixed": None}) for cell in _pooled(report_of(), NONE)
    )
    report = report_of(pooled=pooled, router=(), static_rule="none declared")
    assert claim([view_of(report=report)]).endswith(
        "the best per-query decision gains +4.20 points (+2.97 to +5.43) over the best static "
        "action of the other folds."
    )
    headroom, oracle = key_figures([view_of(report=report)])
    assert headroom.definition == "Oracle minus static_cv over 1,600 scorable rows of 563 subjects."
    assert oracle.value.text == "82.9%"
