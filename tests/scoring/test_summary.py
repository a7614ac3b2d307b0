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
from scopebench.records import CONDITIONS, Cell, Record, Report
from scopebench.scoring.summary import read_reports, summarise
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


def nulls(record: Record, prefix: str = "") -> set[str]:
    """Return the dotted keys of a record's nulls."""
    found: set[str] = set()
    for name in type(record).model_fields:
        value = getattr(record, name)
        if isinstance(value, Record):
            found |= nulls(value, f"{prefix}{name}.")
        elif value is None:
            found.add(f"{prefix}{name}")
    return found


def test_table_2_from_its_counts(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    rows = list(table_2_rows(row))
    assert len(rows) == 1689
    report = summarise(*tables(rows), matcher="strict")
    assert [(c.dataset, c.condition) for c in report.cells] == [
        (dataset, condition) for dataset in sorted(TABLE_2) for condition in CONDITIONS
    ]
    for cell in report.cells:
        place = CONDITIONS.index(cell.condition)
        n, wins = TABLE_2[cell.dataset]
        assert (cell.n, cell.n_scorable, cell.n_clusters) == (n, n, n)
        assert cell.static_fixed == cell.oracle == wins[place] / n
        assert round(cell.oracle, 4) == TABLE_2_SHARES[cell.dataset][place]
        assert (cell.headroom.value, cell.headroom.low) == (0, 0)
        assert cell.headroom.method == "clopper-pearson on clusters"
        assert cell.unique_wins.abstain == 0
    (pooled,) = report.pooled
    assert (pooled.dataset, pooled.condition, pooled.stratum) == ("all", "all", "all")
    assert (pooled.n, pooled.n_clusters) == (1689, 563)
    assert pooled.static_fixed == pooled.oracle == 1330 / 1689
    assert round(pooled.oracle, 5) == 0.78745
    assert (pooled.headroom.value, pooled.headroom.low) == (0, 0)
    assert pooled.headroom.high == pytest.approx(1 - 0.025 ** (1 / 563))
    assert pooled.headroom.method == "clopper-pearson on clusters"
    assert pooled.unique_wins.abstain == 0
    assert pooled.accuracy.abstain == 19 / 1689
    # Over the rows on which reciting is legal: the structured cells.
    assert pooled.accuracy.recite == (250 + 249 + 63) / 563


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
    report = summarise(*tables(rows), matcher="strict")
    (pooled,) = report.pooled
    assert pooled.headroom.value == 71 / 1689
    assert round(pooled.headroom.value, 4) == 0.0420
    assert pooled.headroom.method == BOOTSTRAP
    assert 0.03 < pooled.headroom.low < 71 / 1689 < pooled.headroom.high < 0.055
    assert pooled.unique_wins.abstain == 52
    assert pooled.unique_wins.reason == 19
    known, kept, hidden = report.strata
    assert [c.stratum for c in report.strata] == ["known", "kept", "hidden"]
    assert (kept.n, round(kept.headroom.value, 4)) == (810, 0.0025)
    assert (hidden.n, round(hidden.headroom.value, 4)) == (879, 0.0785)
    assert known.n == 0


def test_five_rows_by_hand(tables: Callable[..., Any], row: Callable[..., Any]) -> None:
    report = summarise(
        *tables(
            [
                row("10k", query_id="a", action="recite"),
                row("01k", query_id="b", action="recite"),
                row("000", query_id="c", action="recite"),
                row("11k", query_id="d", action="abstain", answers=None, cluster="a"),
                row("-0r", query_id="a", condition="unstructured", action="reason"),
            ]
        ),
        matcher="strict",
    )
    structured, unstructured = report.cells
    assert (structured.n, structured.n_scorable, structured.n_clusters) == (4, 3, 3)
    assert (structured.static_fixed, structured.oracle) == (1 / 3, 2 / 3)
    assert structured.headroom.value == 1 / 3
    assert structured.accuracy.model_dump() == {"recite": 1 / 3, "reason": 1 / 3, "abstain": 0.0}
    assert structured.unique_wins.model_dump() == {"recite": 1, "reason": 1, "abstain": 0}
    assert structured.undefined == {}
    assert unstructured.undefined == {
        "accuracy.recite": "recite is legal for no scorable query",
        "unique_wins.recite": "recite is legal for no scorable query",
        "headroom.low": "one cluster only",
        "headroom.high": "one cluster only",
        "headroom.method": "one cluster only",
    }
    assert (unstructured.headroom.value, unstructured.oracle) == (0, 0)
    (pooled,) = report.pooled
    assert (pooled.n, pooled.n_scorable, pooled.n_clusters) == (5, 4, 3)
    assert (pooled.static_fixed, pooled.oracle, pooled.headroom.value) == (1 / 4, 2 / 4, 1 / 4)
    assert pooled.accuracy.model_dump() == {"recite": 1 / 3, "reason": 1 / 4, "abstain": 0.0}
    (known,) = report.strata
    assert (known.stratum, known.population, known.n, known.n_scorable) == (
        "known",
        "original",
        3,
        2,
    )
    assert (known.static_fixed, known.oracle) == (1 / 2, 1.0)
    (router,) = report.router
    assert (router.n, router.n_scorable, router.accuracy) == (5, 4, 1 / 4)


def test_an_editor_that_can_only_abstain_has_an_oracle_and_no_static_policy(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    rows = [row("--1", query_id="a", action="abstain"), row("--0", query_id="b", action="abstain")]
    (cell,) = summarise(*tables(rows), matcher="strict").cells
    assert (cell.static_fixed, cell.oracle, cell.headroom.value) == (None, 1 / 2, None)
    reason = "neither recite nor reason is legal for 2 of 2 scorable queries"
    assert cell.undefined["static_fixed"] == cell.undefined["headroom.value"] == reason
    assert nulls(cell) == set(cell.undefined)


def test_decision_only_rows_have_decisions_and_no_outcomes(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    rows = [row("100", population="curated", answers=None, governing=(), action="abstain")]
    report = summarise(*tables(rows), matcher="strict")
    (cell,) = report.cells
    assert (cell.n, cell.n_scorable, cell.n_clusters) == (1, 0, 0)
    assert set(cell.undefined.values()) == {"no query has outcome gold"}
    assert nulls(cell) == set(cell.undefined)
    assert set(report.strata[0].undefined.values()) == {"no queries"}
    assert report.router[0].false_fire == 0


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


@settings(max_examples=60, deadline=None)
@given(drawn=rows_of, seed=st.integers(0, 9))
def test_the_report_does_not_depend_on_the_order_and_explains_every_null(
    tables: Callable[..., Any],
    row: Callable[..., Any],
    drawn: list[tuple[str, str, str, str, bool]],
    seed: int,
) -> None:
    rows = report_rows(row, drawn)
    report = summarise(*tables(rows), matcher="strict", n_resamples=100)
    random.Random(seed).shuffle(rows)
    assert summarise(*tables(rows), matcher="strict", n_resamples=100) == report
    cells: tuple[Cell, ...] = report.cells + report.pooled + report.strata
    for record in (*cells, *report.router, *report.kinds):
        assert nulls(record) == set(record.undefined)
    for cell in cells:
        if cell.headroom.value is not None:
            assert 0 <= cell.headroom.value == pytest.approx(cell.oracle - cell.static_fixed)
        for share in cell.accuracy.model_dump().values():
            assert share is None or share <= 1
    assert sum(c.n for c in report.cells) == sum(c.n for c in report.pooled) == len(rows)
    assert sum(r.n for r in report.router) == sum(k.n for k in report.kinds) == len(rows)
    for router in report.router:  # a population of one kind is that kind
        (kind,) = (row for row in report.kinds if row.population == router.population)
        fields = kind.model_dump(exclude={"kind", "in_scope"})
        assert fields == router.model_dump()


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
    assert (strict.cells[0].accuracy.recite, paper.cells[0].accuracy.recite) == (0, 1)
    # The paper's matcher pays for the refusal, too.
    assert (strict.cells[0].accuracy.abstain, paper.cells[0].accuracy.abstain) == (0, 1)
    assert (strict.router[0].accuracy, paper.router[0].accuracy) == (0, 1)


def test_1689_queries_are_summarised_in_seconds(
    tables: Callable[..., Any], row: Callable[..., Any]
) -> None:
    outcomes, decisions = tables(list(table_2_rows(row)))
    assert len(outcomes) == 5067
    begun = time.perf_counter()
    summarise(outcomes, decisions, matcher="strict", n_resamples=2000)
    assert time.perf_counter() - begun < 3
