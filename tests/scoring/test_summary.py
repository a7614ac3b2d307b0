"""The report: the paper's Table 2 and section 7 from their counts, strata, nulls and speed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import CONDITIONS, Cell, Estimate, Matcher, Record, Report, Static
from scopebench.scoring.families import POLICIES, SCOPE, STATIC_BY_CELL, STATIC_POOLED
from scopebench.scoring.headroom import Rule
from scopebench.scoring.reading.run_tables import run_rows
from scopebench.scoring.summary import Settings, read_reports, summarise
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE

BOOTSTRAP = "cluster bootstrap, percentile, 2000 resamples"

# Paper, Table 2: queries, then queries the static policy answers rightly in each condition.
TABLE_2 = {
    "counterfact": (250, (250, 226, 210)),
    "wikiupdate": (250, (249, 107, 120)),
    "mquake_cf": (63, (63, 51, 54)),
}
TABLE_2_SHARES = {
    "counterfact": (1.0, 0.904, 0.84),
    "wikiupdate": (0.996, 0.428, 0.48),
    "mquake_cf": (1.0, 0.8095, 0.8571),
}


def table_2_rows(row: Callable[..., Any]) -> Iterator[Any]:
    """The rows behind Table 2; abstaining is right on 19 of them, each tied with the static one."""
    tied = 19
    for dataset, (n, wins) in TABLE_2.items():
        for condition, right in zip(CONDITIONS, wins, strict=True):
            structured = condition == "structured"
            for i in range(n):
                static = "1" if i < right else "0"
                abstain = "1" if static == "1" and tied > 0 else "0"
                tied -= abstain == "1"
                code = f"{static}0{abstain}" if structured else f"-{static}{abstain}"
                yield row(code, query_id=f"{dataset}/{i}", dataset=dataset, condition=condition)


def summary(
    tables: tuple[Any, Any],
    matcher: Matcher = "strict",
    settings: Settings | None = None,
) -> Report:
    rows = run_rows(*tables)
    return summarise(rows.matrices[matcher], rows.decisions, settings)


def nulls(record: Record, prefix: str = "") -> set[str]:
    """Return the keys under which a record must explain its nulls."""
    found: set[str] = set()
    for name in type(record).model_fields:
        found |= nulls_of(getattr(record, name), f"{prefix}{name}")
    return found - {"skipped"}


def nulls_of(value: Any, key: str) -> set[str]:
    if isinstance(value, Estimate):
        if value.value is None:
            return {key}
        return {f"{key}.interval"} if value.low is None else set()
    if isinstance(value, Static):
        return nulls(value, f"{key}.")
    if isinstance(value, dict):
        return {k for name, item in value.items() for k in nulls_of(item, f"{key}.{name}")}
    return {key} if value is None else set()


def test_table_2_from_its_counts(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    rows = list(table_2_rows(row))
    assert len(rows) == 1689
    report = summary(tables(rows))
    assert [(c.dataset, c.condition) for c in report.cells if c.stratum == "all"] == [
        (dataset, condition) for dataset in sorted(TABLE_2) for condition in CONDITIONS
    ]
    assert {cell.stratum for cell in report.cells[9:]} == {"known"}
    for cell in report.cells[:9]:
        place = CONDITIONS.index(cell.condition)
        n, wins = TABLE_2[cell.dataset]
        assert (cell.n, cell.n_scorable, cell.n_clusters) == (n, n, n)
        assert cell.static_fixed == cell.oracle == wins[place] / n
        assert round(cell.oracle, 4) == TABLE_2_SHARES[cell.dataset][place]
        assert (cell.headroom.value, cell.headroom.low) == (0, 0)
        assert cell.headroom.method == "clopper-pearson on clusters"
        assert cell.statics["static_cell"].headroom.value == 0
        assert cell.unique_wins["abstain"] == 0
    (pooled,) = report.pooled
    assert (pooled.dataset, pooled.condition, pooled.stratum) == ("all", "all", "all")
    assert (pooled.n, pooled.n_clusters) == (1689, 563)
    assert pooled.static_fixed == pooled.oracle == 1330 / 1689
    assert round(pooled.oracle, 5) == 0.78745
    assert (pooled.headroom.value, pooled.headroom.low) == (0, 0)
    assert pooled.headroom.high == pytest.approx(1 - 0.025 ** (1 / 563))
    assert pooled.headroom.method == "clopper-pearson on clusters"
    assert pooled.unique_wins["abstain"] == 0
    assert pooled.accuracy["abstain"] == 19 / 1689
    # An oracle without abstention loses nothing.
    assert pooled.oracle_without["abstain"] == pooled.oracle
    # Over the rows on which reciting is legal: the structured cells.
    assert pooled.accuracy["recite"] == (250 + 249 + 63) / 563


def test_section_7_from_its_counts(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    """Of 71 oracle-only wins 52 are abstention's alone; 810 rows kept (2 wins), 879 hidden (69).

    The sizes of the halves are not printed; these give both printed headrooms, +0.0025 and +0.0785.
    """
    # 2 kept and 17 hidden rows are won by reason over recite, 52 hidden ones by abstention alone.
    codes = ["010"] * 2 + ["100"] * 808 + ["010"] * 17 + ["001"] * 30 + ["-01"] * 22
    codes += ["-00"] * (1689 - len(codes))
    rows = [
        row(
            code,
            query_id=f"q{i % 563}",
            condition=CONDITIONS[i // 563],
            population="withheld",
            hidden=("e1",) if i >= 810 else (),
        )
        for i, code in enumerate(codes)
    ]
    report = summary(tables(rows))
    (pooled,) = report.pooled
    assert pooled.headroom.value == 71 / 1689
    assert round(pooled.headroom.value, 4) == 0.0420
    assert pooled.headroom.method == BOOTSTRAP
    assert 0.03 < pooled.headroom.low < 71 / 1689 < pooled.headroom.high < 0.055
    assert pooled.unique_wins["abstain"] == 52
    assert pooled.unique_wins["reason"] == 19
    known, kept, hidden = report.strata
    assert [c.stratum for c in report.strata] == ["known", "kept", "hidden"]
    assert (kept.n, round(kept.headroom.value, 4)) == (810, 0.0025)
    assert (hidden.n, round(hidden.headroom.value, 4)) == (879, 0.0785)
    assert known.n == 0


def test_five_rows_by_hand(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    report = summary(
        tables(
            [
                row("10k", query_id="a", action="recite"),
                row("01k", query_id="b", action="recite"),
                row("000", query_id="c", action="recite"),
                row("11k", query_id="d", action="abstain", answers=None, cluster="a"),
                row("-0r", query_id="a", condition="unstructured", action="reason"),
            ]
        )
    )
    assert report.actions == ("recite", "reason", "abstain")
    assert report.static_rule == "recite where legal, else reason"
    structured, unstructured, known, nothing_known = report.cells
    assert (structured.n, structured.n_scorable, structured.n_clusters) == (4, 3, 3)
    assert (structured.static_fixed, structured.oracle) == (1 / 3, 2 / 3)
    assert structured.headroom.value == 1 / 3
    assert structured.accuracy == {"recite": 1 / 3, "reason": 1 / 3, "abstain": 0.0}
    assert structured.unique_wins == {"recite": 1, "reason": 1, "abstain": 0}
    assert structured.oracle_without == {"recite": 1 / 3, "reason": 1 / 3, "abstain": 2 / 3}
    assert structured.coverage == 2 / 3
    const = structured.statics["static_const"]
    assert (const.value, const.choice, const.hindsight) == (1 / 3, "recite", True)
    assert const.headroom.value == 1 / 3
    assert structured.undefined == {}
    assert unstructured.accuracy == {"recite": None, "reason": 0.0, "abstain": 0.0}
    assert unstructured.undefined == {
        "accuracy.recite": "recite is legal for no scorable query",
        "unique_wins.recite": "recite is legal for no scorable query",
        "headroom.interval": "one cluster only",
        "statics.static_const.headroom.interval": "one cluster only",
        "statics.static_cell.headroom.interval": "one cluster only",
        "statics.static_cv.headroom": "all clusters are in one fold, which leaves nothing to "
        "choose on",
        "statics.static_cv.value": "all clusters are in one fold, which leaves nothing to choose "
        "on",
        "statics.static_cv.choice": "all clusters are in one fold, which leaves nothing to "
        "choose on",
    }
    assert (unstructured.headroom.value, unstructured.oracle) == (0, 0)
    assert (known.stratum, known.n, known.n_scorable) == ("known", 3, 2)
    assert (nothing_known.stratum, nothing_known.n) == ("known", 0)
    (pooled,) = report.pooled
    assert (pooled.n, pooled.n_scorable, pooled.n_clusters) == (5, 4, 3)
    assert (pooled.static_fixed, pooled.oracle, pooled.headroom.value) == (1 / 4, 2 / 4, 1 / 4)
    assert pooled.accuracy == {"recite": 1 / 3, "reason": 1 / 4, "abstain": 0.0}
    (known,) = report.strata
    assert (known.stratum, known.population, known.n, known.n_scorable) == (
        "known",
        "original",
        3,
        2,
    )
    assert (known.static_fixed, known.oracle) == (1 / 2, 1.0)
    router = report.router[0]
    assert (router.n, router.n_scorable, router.accuracy.value) == (5, 4, 1 / 4)
    tests = {family: [] for family in (STATIC_POOLED, STATIC_BY_CELL, POLICIES, SCOPE)}
    for row_ in report.comparisons:
        tests[row_.family].append(row_)
    (pooled_test,) = tests[STATIC_POOLED]
    assert (pooled_test.first_only, pooled_test.second_only, pooled_test.p_holm) == (0, 0, 1)
    assert [test.condition for test in tests[STATIC_BY_CELL]] == ["structured", "unstructured"]
    # a, b and c were recited and the last row reasoned, as firing always does
    always, never = tests[POLICIES][:2]
    assert (always.second, always.first_only, always.second_only) == ("always_fire", 0, 0)
    assert (never.second, never.first_only, never.second_only) == ("always_abstain", 1, 0)
    assert len(tests[POLICIES]) == len(tests[SCOPE]) == 8


def test_an_editor_that_can_only_abstain_has_an_oracle_and_no_static_policy(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    rows = [row("--1", query_id="a", action="abstain"), row("--0", query_id="b", action="abstain")]
    report = summary(tables(rows))
    cell = report.cells[0]
    assert (cell.static_fixed, cell.oracle, cell.headroom.value) == (None, 1 / 2, None)
    reason = "recite or reason is legal for 0 of 2 scorable queries only"
    assert cell.undefined["static_fixed"] == cell.undefined["headroom"] == reason
    assert cell.statics["static_const"].headroom.value == 0
    assert nulls(cell) == set(cell.undefined)
    assert report.router[0].gain.value is None
    assert report.comparisons[0].skipped == "static_fixed is undefined"


def test_another_rule_may_be_declared(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    rows = [row("10k", query_id="a"), row("00k", query_id="b"), row("111", query_id="c")]
    report = summary(tables(rows), settings=Settings(rule=Rule(("abstain",))))
    assert report.static_rule == "always abstain"
    assert (report.pooled[0].static_fixed, report.pooled[0].headroom.value) == (1 / 3, 1 / 3)


def test_decision_only_rows_have_decisions_and_no_outcomes(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    rows = [row("100", population="curated", answers=None, governing=(), action="abstain")]
    report = summary(tables(rows))
    cell = report.cells[0]
    assert (cell.n, cell.n_scorable, cell.n_clusters) == (1, 0, 0)
    assert set(cell.undefined.values()) == {"no query has outcome gold"}
    assert nulls(cell) == set(cell.undefined)
    assert set(report.strata[0].undefined.values()) == {"no queries"}
    assert report.router[0].false_fire.value == 0
    assert report.mixes[0].undefined["oracle"] == "no query has outcome gold"


def test_parts_are_named_and_add_up(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    rows = [
        row(
            "10k",
            query_id=f"{population}{i}",
            population=population,
            kind=kind,
            action="recite",
            hidden=("e1",) if i % 2 else (),
            score=float(i),
            governing=() if kind == "near_name" else ("e1",),
        )
        for population in ("original", "withheld", "curated")
        for i, kind in enumerate(["direct", "direct", "paraphrase", "near_name"])
    ]
    report = summary(tables(rows))
    assert [(c.population, c.stratum) for c in report.strata] == [
        ("original", "known"),
        ("withheld", "known"),
        ("withheld", "kept"),
        ("withheld", "hidden"),
        ("curated", "known"),
    ]
    kinds = [(c.population, c.kind) for c in report.kinds if c.stratum == "all"]
    assert kinds[:3] == [("original", k) for k in ("direct", "near_name", "paraphrase")]
    assert len(report.kinds) == 18  # all and known rows
    parts = [(r.dataset, r.condition, r.population, r.kind, r.stratum) for r in report.router]
    assert len(set(parts)) == len(parts) == 3 + 5 + 6 + 18
    by_part = dict(zip(parts, report.router, strict=True))
    near = by_part["all", "all", "curated", "near_name", "all"]
    assert (near.n, near.in_scope, near.false_fire.value) == (1, 0, 1)
    assert near.auroc.value == 0  # its score, 3, is above all in-scope ones
    assert {(p.population, p.policy) for p in report.policies} >= {
        ("curated", "always_fire"),
        ("curated", "subject_match"),
        ("withheld", "oracle"),
    }


codes = st.sampled_from(["10k", "01k", "000", "-1k", "-01", "-r0", "0-1", "--k", "111", "r0k"])
rows_of = st.lists(
    st.tuples(
        codes,
        st.sampled_from(CONDITIONS),
        st.sampled_from(["trains", "boats"]),
        st.sampled_from(["original", "withheld", "curated"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=14,
)


def report_rows(row: Callable[..., Any], drawn: list[tuple[str, str, str, str, bool]]) -> list[Any]:
    return [
        row(
            code,
            query_id=f"q{i}",
            condition=condition,
            dataset=dataset,
            population=population,
            cluster=f"c{i // 3}",
            action="abstain",
            hidden=("e1",) if flag else (),
            governing=() if flag else ("e1",),
            answers=None if flag and i % 3 == 0 else ("Lisbon",),
        )
        if code[2] != "-"
        else row(code, query_id=f"q{i}", action="reason")
        for i, (code, condition, dataset, population, flag) in enumerate(drawn)
    ]


@settings(max_examples=40, deadline=None)
@given(drawn=rows_of, seed=st.integers(0, 9))
def test_the_report_does_not_depend_on_the_order_and_explains_every_null(
    tables: Callable[..., Any],
    row: Callable[..., Any],
    drawn: list[tuple[str, str, str, str, bool]],
    seed: int,
) -> None:
    few = Settings(n_resamples=100)
    rows = report_rows(row, drawn)
    report = summary(tables(rows), settings=few)
    random.Random(seed).shuffle(rows)
    assert summary(tables(rows), settings=few) == report
    check_nulls(report)
    for cell in cells_of(report):
        check_headroom(cell)
    whole = [cell for cell in report.cells if cell.stratum == "all"]
    assert sum(c.n for c in whole) == sum(c.n for c in report.pooled) == len(rows)
    check_policies(report)


def cells_of(report: Report) -> list[Cell]:
    return [*report.cells, *report.pooled, *report.strata, *report.kinds]


def check_nulls(report: Report) -> None:
    """Every null has a reason, and only nulls have."""
    others = (*report.router, *report.policies, *report.mixes, *report.comparisons)
    for record in (*cells_of(report), *others):
        assert nulls(record) == set(record.undefined)


def check_headroom(cell: Cell) -> None:
    for gap in (cell.headroom, *(static.headroom for static in cell.statics.values())):
        assert gap.value is None or gap.value >= 0
    if cell.headroom.value is not None:
        assert cell.headroom.value == pytest.approx(cell.oracle - cell.static_fixed)
    assert all(share is None or share <= 1 for share in cell.accuracy.values())
    for action, wins in cell.unique_wins.items():
        if wins is not None:
            lost = cell.n_scorable * (cell.oracle - cell.oracle_without[action])
            assert wins == pytest.approx(lost)


def check_policies(report: Report) -> None:
    """No action beats the oracle; a refusal is none."""
    oracles = {
        row.population: row.accuracy.value for row in report.policies if row.policy == "oracle"
    }
    for row in report.policies:
        if row.accuracy.value is not None and row.policy != "always_refuse":
            assert row.accuracy.value <= oracles[row.population] + 1e-12


def test_both_reports_of_a_run_folder(
    tmp_path: Path, tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    import pyarrow.parquet as pq

    outcomes, decisions = tables([row("10r", answers=("Lis", "know"), action="recite")])
    pq.write_table(outcomes, tmp_path / OUTCOMES_FILE)
    with pytest.raises(DataError, match="no such table"):
        read_reports(tmp_path)
    pq.write_table(decisions, tmp_path / DECISIONS_FILE)
    strict, paper = read_reports(tmp_path)
    assert isinstance(strict, Report)
    assert (strict.cells[0].accuracy["recite"], paper.cells[0].accuracy["recite"]) == (0, 1)
    # The paper's matcher pays for the refusal, too.
    assert (strict.cells[0].accuracy["abstain"], paper.cells[0].accuracy["abstain"]) == (0, 1)
    assert (strict.router[0].accuracy.value, paper.router[0].accuracy.value) == (0, 1)
    refusing = {
        name: next(p for p in report.policies if p.policy == "always_refuse")
        for name, report in (("strict", strict), ("paper", paper))
    }
    assert refusing["strict"].accuracy.value == 0


def test_1689_queries_are_summarised_in_seconds(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    """A bound far above what `benchmarks/report.py` measures, to catch what is quadratic."""
    outcomes, decisions = tables(list(table_2_rows(row)))
    assert len(outcomes) == 5067
    begun = time.perf_counter()
    summary((outcomes, decisions))
    assert time.perf_counter() - begun < 20
