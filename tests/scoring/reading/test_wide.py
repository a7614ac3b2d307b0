"""Wide tables of outcomes: one record per query, one column per action."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.scoring.reading.plain import PlainTable, read_plain

# Shaped as RouterBench is: models with dots and slashes in their names, costs beside the scores.
ROUTER = pd.DataFrame(
    {
        "sample_id": ["tides.2", "tides.1", "chess.1"],
        "prompt": ["Which way?", "0.5", "Mate, in two?"],
        "eval_name": ["tides", "tides", "chess"],
        "small-7b.v2": [0.0, 1.0, None],
        "Lab/large-70b": [1.0, 1.0, 0.25],
        "small-7b.v2|total_cost": [0.1, 0.2, 0.1],
        "Lab/large-70b|model_response": ["left", "up", "no"],
        "oracle_model_to_route_to": ["Lab/large-70b", "small-7b.v2", "Lab/large-70b"],
        "seconds": [0.5, 3.5, 0.5],
        "note": ["x", "y", "z"],
    }
)


def read(folder: Path, frame: pd.DataFrame, static: list[str] | None = None) -> PlainTable:
    """Read a frame by way of parquet and of CSV, which must be the same."""
    frame.to_parquet(folder / "table.parquet")
    frame.to_csv(folder / "table.csv", index=False)
    table = read_plain(folder / "table.parquet", static=static)
    assert_same(table, read_plain(folder / "table.csv", static=static))
    return table


def assert_same(first: PlainTable, second: PlainTable) -> None:
    for one, other in ((first.matrix, second.matrix), (first.decisions, second.decisions)):
        for field in fields(one):
            np.testing.assert_array_equal(
                getattr(one, field.name), getattr(other, field.name), err_msg=field.name
            )
    np.testing.assert_array_equal(first.cluster_names, second.cluster_names)
    assert first.static == second.static


def refused(folder: Path, frame: pd.DataFrame) -> str:
    frame.to_parquet(folder / "table.parquet")
    with pytest.raises(DataError) as caught:
        read_plain(folder / "table.parquet")
    message = str(caught.value)
    assert message.isprintable()
    assert "table.parquet" in message
    return message


def test_a_router_benchmark(tmp_path: Path) -> None:
    table = read(tmp_path, ROUTER)
    matrix = table.matrix
    assert matrix.actions == ("Lab/large-70b", "small-7b.v2")
    assert list(matrix.query_ids) == ["chess.1", "tides.1", "tides.2"]
    assert list(matrix.datasets) == ["chess", "tides", "tides"]
    np.testing.assert_array_equal(matrix.outcomes, [[0.25, np.nan], [1, 1], [1, 0]])
    assert matrix.legal.tolist() == [[True, False], [True, True], [True, True]]
    assert matrix.scorable.all()
    assert matrix.clusters.tolist() == [0, 1, 2]
    assert all(getattr(table.decisions, field.name) is None for field in fields(table.decisions))
    assert set(table.ignored) == set(ROUTER) - {
        *("sample_id", "eval_name", "small-7b.v2", "Lab/large-70b"),
    }
    assert table.ignored["seconds"] == "holds 3.5, outside 0 to 1"
    assert table.ignored["note"] == "holds 'x', which is not a finite number"
    assert "`|`" in table.ignored["small-7b.v2|total_cost"]
    assert table.static is None
    assert "name the policy with --static" in table.missing["static_fixed"]
    assert not {"dataset", "legal", "draw"} & set(table.missing)
    assert "chosen" in table.missing


def test_policy_and_router(tmp_path: Path) -> None:
    frame = ROUTER.assign(chosen=["small-7b.v2", "small-7b.v2", "Lab/large-70b"])
    table = read(tmp_path, frame, ["small-7b.v2", "Lab/large-70b"])
    assert table.static == ("small-7b.v2", "Lab/large-70b")
    assert table.decisions.chosen.tolist() == [0, 1, 1]
    assert table.decisions.fired is None
    assert not {"chosen", "static_fixed"} & set(table.missing)
    assert "is none of the actions" in refused(tmp_path, ROUTER.assign(chosen="tiny"))
    illegal = refused(tmp_path, ROUTER.assign(chosen="small-7b.v2"))
    assert "record chess.1" in illegal
    assert "not legal" in illegal


def test_columns_of_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": ["b", "a"],
            "recite": [1, 0],
            "abstain": [None, None],
            "reason": [0.5, 0],
            "cluster": ["s", "t"],
            "fold": ["dev", "test"],
            "population": ["withheld", "original"],
            "kind": ["near", "direct"],
            "scope_score": [0.5, 0.25],
            "draw": [0, 1],
        }
    )
    table = read(tmp_path, frame)
    matrix = table.matrix
    assert matrix.actions == ("recite", "reason")
    assert table.static == ("recite", "reason")
    assert table.ignored["abstain"].startswith(("is empty", "holds null"))
    assert table.ignored["draw"] == "never an action"
    assert list(matrix.query_ids) == ["a", "b"]
    assert list(matrix.populations) == ["original", "withheld"]
    assert list(matrix.kinds) == ["direct", "near"]
    assert list(matrix.folds) == ["test", "dev"]
    assert matrix.clusters.tolist() == [1, 0]
    assert list(table.cluster_names) == ["s", "t"]
    assert list(matrix.datasets) == ["table", "table"]
    assert table.decisions.scores.tolist() == [0.25, 0.5]


def test_a_query_without_scores_is_not_scorable(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "x": [None, 1.0], "y": [None, 0.0]})
    matrix = read(tmp_path, frame).matrix
    assert matrix.scorable.tolist() == [False, True]
    assert matrix.legal.all()


def test_other_id_columns_are_not_actions(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [0, 1], "query_id": ["a", "b"], "x": [0, 1], "y": [True, False]})
    table = read(tmp_path, frame)
    assert table.matrix.actions == ("x", "y")
    assert "query_id" in table.ignored["id"]
    np.testing.assert_array_equal(table.matrix.outcomes, [[0, 1], [1, 0]])


def test_an_index_that_pandas_wrote_is_not_an_action(tmp_path: Path) -> None:
    ROUTER.head(2).to_csv(tmp_path / "t.csv")  # the index, 0 and 1, under an empty name
    assert len(read_plain(tmp_path / "t.csv").matrix.actions) == 2


def test_one_clear_line(tmp_path: Path) -> None:
    message = refused(tmp_path, ROUTER.drop(columns="sample_id"))
    assert "query_id, sample_id, id" in message
    assert "'eval_name'" in message
    message = refused(tmp_path, ROUTER.drop(columns="Lab/large-70b"))
    assert "at least two columns of scores from 0 to 1, found 'small-7b.v2'" in message
    assert "'seconds' holds 3.5, outside 0 to 1" in message
    message = refused(tmp_path, ROUTER.assign(sample_id=["tides.1", "tides.1", "chess.1"]))
    assert "record tides.1" in message
    assert "stands in several records" in message
    assert "field sample_id: is empty" in refused(tmp_path, ROUTER.assign(sample_id=["a", "", "b"]))


def test_the_same_query_of_two_data_sets(tmp_path: Path) -> None:
    table = read(tmp_path, ROUTER.assign(sample_id=["1", "2", "1"]))
    assert list(table.matrix.query_ids) == ["1", "1", "2"]
    assert table.matrix.clusters.tolist() == [0, 0, 1]


SCORES = st.none() | st.sampled_from([0.0, 0.5, 1.0])


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(SCORES, SCORES, SCORES), min_size=2, max_size=8))
def test_wide_is_long_melted(
    tmp_path: Path, outcomes: list[tuple[float | None, float | None, float | None]]
) -> None:
    """The same outcomes, one record per query and action, are the same matrix."""
    actions = ["reason", "abstain", "other"]
    frame = pd.DataFrame(outcomes, columns=actions, dtype=float)
    if frame.isna().all(axis=0).any():
        return  # a column without any score is not an action of the wide form
    frame.insert(0, "query_id", [f"q{i}" for i in range(len(frame))])
    long = frame.melt("query_id", var_name="action", value_name="correct")
    frame.iloc[::-1].to_csv(tmp_path / "t.csv", index=False)
    wide = read_plain(tmp_path / "t.csv")
    long.to_csv(tmp_path / "t.csv", index=False)
    assert_same(wide, read_plain(tmp_path / "t.csv"))
