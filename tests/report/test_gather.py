"""What may stand on one page, and what is read for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from scopebench.errors import DataError
from scopebench.report.gather import gather
from scopebench.run.folder import read_result
from scopebench.scoring.families import EDITORS_POOLED
from scopebench.scoring.headroom import Rule
from scopebench.scoring.summary import Settings

FEW = Settings(n_resamples=100)
WHOLE = "".join(
    f"q{i},{action},{int((i + at) % 3 == 0)},{i / 10},{'e' * (i % 2)},{'e' * (i % 4 > 0)}\n"
    for i in range(8)
    for at, action in enumerate(("recite", "reason", "abstain"))
)
TABLE = "query_id,action,correct,scope_score,fired_edit,decision_label\n" + WHOLE


def test_one_run_is_read_with_its_rows_and_wrong_fires(starter_runs: dict[str, Path]) -> None:
    found = gather([starter_runs["static"]], FEW)
    (view,) = found.views
    assert found.comparisons == ()
    assert (view.name, view.result) == ("static", read_result(starter_runs["static"]))
    assert (
        view.report.pooled[0].headroom
        == gather([starter_runs["static"]], FEW).views[0].report.pooled[0].headroom
    )
    assert len(view.scores) == len(view.in_scope) == sum(c.n for c in view.report.pooled)
    assert set(view.risk_curves) == {"original", "withheld", "curated"}
    assert view.wrong_fires_total is not None
    assert view.wrong_fires_total > len(view.wrong_fires[:1])
    assert all(fire.card_question for fire in view.wrong_fires)  # static always fires with a card


def test_two_editors_are_compared_on_the_same_rows(starter_runs: dict[str, Path]) -> None:
    found = gather([starter_runs["inlay"], starter_runs["static"]], FEW)
    assert [view.name for view in found.views] == ["inlay", "static"]
    pooled = [row for row in found.comparisons if row.family == EDITORS_POOLED]
    assert {(row.first, row.second) for row in pooled} == {("inlay", "static")}
    by_population = {row.population: row for row in found.views[0].report.pooled}
    for row in pooled:
        assert row.n == by_population[row.population].n_scorable


def test_equal_editors_are_told_apart_by_their_folders(
    starter_runs: dict[str, Path], tmp_path: Path
) -> None:
    again = shutil.copytree(starter_runs["static"], tmp_path / "again")
    found = gather([starter_runs["static"], again], FEW)
    assert [view.name for view in found.views] == ["static (static)", "static (again)"]
    assert {row.difference.value for row in found.comparisons} == {0.0}


def test_other_protocols_are_refused_and_the_field_is_named(starter_runs: dict[str, Path]) -> None:
    with pytest.raises(DataError, match=r"decoding is 'sampled at temperature 0\.7") as raised:
        gather([starter_runs["static"], starter_runs["drawn"]], FEW)
    assert "cannot stand side by side" in str(raised.value)


def test_other_benchmarks_and_other_rows_are_refused(starter_runs: dict[str, Path]) -> None:
    with pytest.raises(DataError, match="made on another benchmark than"):
        gather([starter_runs["static"], starter_runs["other"]], FEW)
    with pytest.raises(DataError, match="were not scored on the same rows"):
        gather([starter_runs["inlay"], starter_runs["fewer"]], FEW)


def test_changed_tables_are_refused(starter_runs: dict[str, Path], tmp_path: Path) -> None:
    changed = shutil.copytree(starter_runs["static"], tmp_path / "changed")
    table = changed / "outcomes.parquet"
    shutil.copy(starter_runs["inlay"] / "outcomes.parquet", table)
    with pytest.raises(DataError, match=r"not the one that run\.json was made with"):
        gather([changed], FEW)
    table.unlink()
    with pytest.raises(DataError, match="no such table"):
        gather([changed], FEW)


def test_a_plain_table_has_scores_and_no_protocol(
    starter_runs: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(TABLE)
    (view,) = gather([path], FEW, rule=Rule(("reason",))).views
    assert (view.name, view.result, view.paper) == ("mine.csv", None, None)
    assert view.report.static_rule == "always reason"
    assert list(view.in_scope) == [i % 4 != 0 for i in range(8)]
    np.testing.assert_allclose(view.scores, np.arange(8) / 10)
    assert "cluster" in view.report.missing
    with pytest.raises(DataError, match="share no protocol id"):
        gather([starter_runs["static"], path], FEW)


def test_draws_give_noise_rows(starter_runs: dict[str, Path]) -> None:
    (view,) = gather([starter_runs["drawn"]], FEW).views
    assert {row.draws for row in view.report.noise} == {2}
    assert gather([starter_runs["static"]], FEW).views[0].report.noise == ()
