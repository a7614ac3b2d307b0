"""Long tables of outcomes that another program wrote."""

from __future__ import annotations

import gzip
import pickle
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.scoring.reading.plain import REQUIRED, PlainTable, read_plain
from scopebench.scoring.reading.plain_columns import LOST

REPOSITORY = Path(__file__).resolve().parents[3]

RELAXED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

HEAD = "query_id,action,correct"

# Five queries, under hand-made outcomes. q5 has no outcome gold; recite exists for q1 and q2 only.
FULL = """\
query_id,action,correct,dataset,condition,population,kind,cluster,fold,legal,scope_score,\
runner_up_score,fired_edit,decision_label,known,hidden,subject_match,template_match
q2,recite,0,lakes,structured,original,direct,como,dev,true,0.9,0.2,e2,e9|e2,true,false,1,1
q2,reason,1,lakes,structured,original,direct,como,dev,true,0.9,0.2,e2,e9|e2,true,false,1,1
q2,abstain,0,lakes,structured,original,direct,como,dev,true,0.9,0.2,e2,e9|e2,true,false,1,1
q1,recite,1,lakes,structured,original,direct,aral,dev,true,0.8,,e7,e1,false,false,1,1
q1,reason,1,lakes,structured,original,direct,aral,dev,true,0.8,,e7,e1,false,false,1,1
q1,abstain,0,lakes,structured,original,direct,aral,dev,true,0.8,,e7,e1,false,false,1,1
q3,recite,,lakes,unstructured,original,direct,como,dev,false,0.1,0.1,,,,false,0,1
q3,reason,0,lakes,unstructured,original,direct,como,dev,true,0.1,0.1,,,,false,0,1
q3,abstain,1,lakes,unstructured,original,direct,como,dev,true,0.1,0.1,,,,false,0,1
q4,recite,,lakes,structured,withheld,near,baikal,test,false,0.7,0.3,e4,,true,true,1,0
q4,reason,0.5,lakes,structured,withheld,near,baikal,test,true,0.7,0.3,e4,,true,true,1,0
q4,abstain,1,lakes,structured,withheld,near,baikal,test,true,0.7,0.3,e4,,true,true,1,0
q5,recite,,lakes,structured,withheld,near,baikal,test,false,,,,e5,,true,0,0
q5,reason,,lakes,structured,withheld,near,baikal,test,true,,,,e5,,true,0,0
q5,abstain,,lakes,structured,withheld,near,baikal,test,true,,,,e5,,true,0,0
"""


def write(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def assert_same(first: PlainTable, second: PlainTable) -> None:
    for one, other in ((first.matrix, second.matrix), (first.decisions, second.decisions)):
        for field in fields(one):
            np.testing.assert_array_equal(
                getattr(one, field.name), getattr(other, field.name), err_msg=field.name
            )
    np.testing.assert_array_equal(first.cluster_names, second.cluster_names)
    assert (first.static, first.missing) == (second.static, second.missing)


def one_line(path: Path, static: list[str] | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read_plain(path, static=static)
    message = str(caught.value)
    assert message.isprintable(), f"not one clean line: {message!r}"
    assert path.name in message or "static policy" in message
    return message


def test_every_column_of_five_queries(tmp_path: Path) -> None:
    table = read_plain(write(tmp_path, FULL))
    matrix, decisions = table.matrix, table.decisions
    nan = np.nan
    assert matrix.actions == ("recite", "reason", "abstain")
    assert list(matrix.query_ids) == ["q1", "q2", "q4", "q5", "q3"]  # by condition, population
    assert list(matrix.conditions) == ["structured"] * 4 + ["unstructured"]
    assert list(matrix.populations) == ["original"] * 2 + ["withheld"] * 2 + ["original"]
    assert set(matrix.datasets) == {"lakes"}
    assert list(matrix.kinds) == ["direct", "direct", "near", "near", "direct"]
    np.testing.assert_array_equal(
        matrix.outcomes,
        [[1, 1, 0], [0, 1, 0], [nan, 0.5, 1], [nan, nan, nan], [nan, 0, 1]],
    )
    assert matrix.legal[:, 0].tolist() == [True, True, False, False, False]
    assert matrix.legal[:, 1:].all()
    assert matrix.scorable.tolist() == [True, True, True, False, True]
    assert list(matrix.folds) == ["dev", "dev", "test", "test", "dev"]
    assert list(table.cluster_names) == ["aral", "baikal", "como"]
    assert matrix.clusters.tolist() == [0, 2, 1, 1, 2]
    assert matrix.known.tolist() == [False, True, True, False, False]  # empty is not known
    assert matrix.hidden.tolist() == [False, False, True, True, False]
    assert matrix.refusal is None
    assert matrix.draws is None

    assert decisions.fired.tolist() == [True, True, True, False, False]
    assert decisions.in_scope.tolist() == [True, True, False, True, False]
    assert decisions.right_edit.tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(decisions.scores, [0.8, 0.9, 0.7, nan, 0.1])
    np.testing.assert_array_equal(decisions.runner_up, [nan, 0.2, 0.3, nan, 0.1])
    assert decisions.subject_match.tolist() == [True, True, True, False, False]
    assert decisions.template_match.tolist() == [True, True, False, False, True]
    # Fired: recite where legal (q1, q2), else reason (q4). Silent: abstain (q5, q3).
    assert decisions.chosen.tolist() == [0, 0, 1, 2, 2]
    assert table.static == ("recite", "reason")
    assert set(table.missing) == {"draw"}
    assert table.ignored == {}


def test_three_columns_are_enough(tmp_path: Path) -> None:
    text = "query_id,action,correct\nb,retrieve,TRUE\na,retrieve,0.25\na,plain,false\n"
    table = read_plain(write(tmp_path, text, "my run.csv"))
    matrix = table.matrix
    assert matrix.actions == ("plain", "retrieve")
    assert list(matrix.query_ids) == ["a", "b"]
    assert list(matrix.datasets) == ["my run", "my run"]
    assert set(matrix.conditions) == set(matrix.populations) == set(matrix.kinds) == {"all"}
    np.testing.assert_array_equal(matrix.outcomes, [[0, 0.25], [np.nan, 1]])
    assert matrix.legal.tolist() == [[True, True], [False, True]]
    assert matrix.clusters.tolist() == [0, 1]
    assert matrix.folds is matrix.known is matrix.hidden is None
    assert all(getattr(table.decisions, field.name) is None for field in fields(table.decisions))
    assert table.static is None
    assert "--static" in table.missing["static_fixed"]
    assert set(table.missing) == {
        *("dataset", "condition", "population", "kind", "cluster", "fold", "legal", "draw"),
        *("scope_score", "runner_up_score", "fired_edit", "decision_label", "chosen", "known"),
        *("hidden", "subject_match", "template_match", "static_fixed"),
    }
    for sentence in table.missing.values():
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_conditions_of_a_query_are_one_cluster(tmp_path: Path) -> None:
    text = "query_id,condition,action,correct\nq,x,go,1\nq,y,go,0\np,x,go,1\n"
    table = read_plain(write(tmp_path, text))
    assert list(table.matrix.conditions) == ["x", "x", "y"]
    assert table.matrix.clusters.tolist() == [0, 1, 1]
    assert list(table.cluster_names) == ["p", "q"]


def test_empty_outcome_without_legal(tmp_path: Path) -> None:
    """Beside judged outcomes it is not legal; where no action is judged, it is not scorable."""
    text = "query_id,action,correct\na,recite,\na,reason,1\nb,recite,\nb,reason,\n"
    matrix = read_plain(write(tmp_path, text)).matrix
    assert matrix.legal.tolist() == [[False, True], [True, True]]
    assert matrix.scorable.tolist() == [True, False]


def test_draws(tmp_path: Path) -> None:
    text = "query_id,action,draw,correct\n" + "".join(
        f"{query},{action},{draw},{correct}\n"
        for query, action, outcomes in (
            ("a", "go", "110"),
            ("a", "stay", "000"),
            ("b", "go", "011"),
        )
        for draw, correct in enumerate(outcomes)
    )
    table = read_plain(write(tmp_path, text))
    np.testing.assert_array_equal(
        table.matrix.draws,
        [[[1, 1, 0], [0, 0, 0]], [[0, 1, 1], [np.nan] * 3]],
    )
    np.testing.assert_allclose(table.matrix.outcomes, [[2 / 3, 0], [2 / 3, np.nan]])
    assert "draw" not in table.missing
    lacking = text.replace("b,go,2,1\n", "")
    message = one_line(write(tmp_path, lacking))
    assert "some draws of this action are not there" in message
    assert "b go" in message


def test_action_taken_as_marked(tmp_path: Path) -> None:
    text = f"{HEAD},chosen\na,reason,1,\na,abstain,1,true\nb,reason,0,1\nb,abstain,1,0\n"
    table = read_plain(write(tmp_path, text))
    assert table.decisions.chosen.tolist() == [1, 0]
    assert table.decisions.fired.tolist() == [False, True]
    assert table.decisions.right_edit is None
    assert "chosen" not in table.missing
    assert "only that an edit fired is known" in table.missing["fired_edit"]


def test_action_taken_needs_a_policy_and_abstain(tmp_path: Path) -> None:
    text = "query_id,action,correct,fired_edit\na,look,1,e1\na,abstain,1,e1\n"
    path = write(tmp_path, text)
    told = read_plain(path)
    assert told.decisions.chosen is None
    assert told.decisions.fired.tolist() == [True]
    assert "static policy" in told.missing["chosen"]
    named = read_plain(path, static=["look"])
    assert named.static == ("look",)
    assert named.decisions.chosen.tolist() == [1]
    assert "static_fixed" not in named.missing
    without = write(tmp_path, "query_id,action,correct,fired_edit\na,reason,1,\n", "two.csv")
    assert "`abstain`" in read_plain(without).missing["chosen"]


def test_action_taken_cannot_be_one_that_is_not_legal(tmp_path: Path) -> None:
    text = "query_id,action,correct,fired_edit\na,reason,1,\nb,reason,1,e\nb,abstain,1,e\n"
    table = read_plain(write(tmp_path, text))
    assert table.decisions.chosen is None
    assert "no edit fired on 'a'" in table.missing["chosen"]


def test_unknown_columns_are_named(tmp_path: Path) -> None:
    text = "query_id,action,correct,Scope Score,seconds\na,reason,1,0.5,12\n"
    table = read_plain(write(tmp_path, text))
    assert set(table.ignored) == {"Scope Score", "seconds"}
    assert table.missing["scope_score"].endswith("Is 'Scope Score' meant to be `scope_score`?")
    assert "meant" not in table.missing["cluster"]


@RELAXED
@given(seed=st.integers(0, 2**32 - 1))
def test_order_of_records_does_not_matter(tmp_path: Path, seed: int) -> None:
    header, *lines = FULL.splitlines()
    shuffled = np.random.default_rng(seed).permutation(lines)
    other = write(tmp_path, "\n".join([header, *shuffled]), "other.csv")
    assert_same(read_plain(write(tmp_path, FULL)), read_plain(other))


NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4)


@RELAXED
@given(
    cells=st.dictionaries(
        st.tuples(NAMES, st.sampled_from(["x", "y"]), NAMES),
        st.floats(0, 1) | st.sampled_from([0.0, 1.0]),
        min_size=1,
        max_size=12,
    )
)
def test_csv_and_parquet_are_the_same(
    tmp_path: Path, cells: dict[tuple[str, str, str], float]
) -> None:
    rows = [(*key, correct) for key, correct in cells.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "condition", "action", "correct"])
    frame["kind"] = pd.Categorical(["b" if c == "x" else "a" for c in frame["condition"]])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_plain(tmp_path / "t.parquet")
    assert_same(read_plain(tmp_path / "t.csv"), table)
    matrix = table.matrix
    place = {
        pair: row for row, pair in enumerate(zip(matrix.query_ids, matrix.conditions, strict=True))
    }
    for (query, condition, action), correct in cells.items():
        at = place[query, condition], matrix.actions.index(action)
        assert matrix.outcomes[at] == correct
    assert matrix.legal.sum() == len(cells)


def test_other_forms_of_the_same_file(tmp_path: Path) -> None:
    plain = read_plain(write(tmp_path, FULL))
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(FULL.encode()))
    assert_same(plain, read_plain(packed))
    assert_same(plain, read_plain(write(tmp_path, FULL.replace(",", "\t"), "table.tsv")))
    assert_same(plain, read_plain(write(tmp_path, FULL.replace(",", ";"), "semicolons.csv")))
    windows = b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode()
    assert_same(plain, read_plain(write(tmp_path, windows, "windows.csv")))
    assert_same(plain, read_plain(write(tmp_path, FULL.replace(",", " , "), "spaces.csv")))


def test_parquet_types(tmp_path: Path) -> None:
    """Typed columns mean what their text would: ids of digits, booleans, lists of labels."""
    table = pa.table(
        {
            "query_id": pa.array([1, 1, 2, 2]),
            "action": pa.array(["reason", "abstain"] * 2).dictionary_encode(),
            "correct": pa.array([True, False, None, None]),
            "decision_label": pa.array([["e1", "e2"], ["e1", "e2"], [], None]),
            "fired_edit": pa.array(["e2", "e2", None, None]),
            "scope_score": pa.array([0.5, 0.5, None, None], pa.float32()),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    read = read_plain(tmp_path / "t.parquet")
    assert list(read.matrix.query_ids) == ["1", "2"]
    assert read.matrix.scorable.tolist() == [True, False]
    assert read.decisions.in_scope.tolist() == [True, False]
    assert read.decisions.right_edit.tolist() == [True, False]
    np.testing.assert_array_equal(read.decisions.scores, [0.5, np.nan])


ERRORS = {
    "no column": ("query_id,action,right\na,go,1\n", ["field correct", "missing"]),
    "near column": (
        "quey_id,action,correct\na,go,1\n",
        ["field query_id", "Is 'quey_id' meant to be `query_id`?"],
    ),
    "near columns": ("Query ID,Action,Correct\na,go,1\n", ["field query_id", "Query ID"]),
    "too large": (f"{HEAD}\na,go,1\nb,go,1.5\n", ["record b go", "'1.5' is outside 0 to 1"]),
    "negative": (f"{HEAD}\na,go,-0.1\n", ["'-0.1' is outside 0 to 1", "field correct"]),
    "huge": (f"{HEAD}\na,go,1e308\n", ["'1e308' is outside 0 to 1"]),
    "word": (f"{HEAD}\na,go,yes\n", ["record a go", "'yes' is not a finite number"]),
    "nan": (f"{HEAD}\na,go,nan\n", ["'nan' is not a finite number", "empty cells"]),
    "formula": (f"{HEAD}\na,go,=1+1\n", ["'=1+1' is not a finite number"]),
    "mixed": (f"{HEAD}\na,go,1\nb,go,true\nc,go,x\n", ["record c go", "'x' is not"]),
    "twice": (f"{HEAD}\na,go,1\nb,go,1\na,go,0\n", ["record a go", "stands twice", "`draw`"]),
    "no id": (f"{HEAD}\n,go,1\n", ["field query_id", "is empty"]),
    "no action": (f"{HEAD}\na,,1\n", ["record a", "field action", "is empty"]),
    "fold": (f"{HEAD},fold\na,go,1,train\n", ["field fold", "'train' is not one of dev, test"]),
    "two folds": (
        f"{HEAD},fold,cluster\na,go,1,dev,s\nb,go,1,test,s\n",
        ["record b", "field fold", "one fold"],
    ),
    "two clusters": (
        f"{HEAD},condition,cluster\na,go,1,x,s\na,go,1,y,t\n",
        ["record a y", "field cluster", "same cluster"],
    ),
    "inf": (f"{HEAD},scope_score\na,go,1,inf\n", ["field scope_score", "'inf' is not a finite"]),
    "overflow": (f"{HEAD},scope_score\na,go,1,1e308\n", ["field scope_score", "is outside"]),
    "rows differ": (
        f"{HEAD},scope_score\na,go,1,0.5\na,stay,1,0.6\n",
        ["record a stay", "field scope_score", "'0.6' differs"],
    ),
    "kinds differ": (f"{HEAD},kind\na,go,1,x\na,stay,1,y\n", ["field kind", "'y' differs"]),
    "not legal": (f"{HEAD},legal\na,go,,0\na,stay,,0\n", ["record a", "no action of this query"]),
    "illegal win": (f"{HEAD},legal\na,go,1,0\na,stay,1,1\n", ["field correct", "not legal"]),
    "half judged": (f"{HEAD},legal\na,go,,1\na,stay,1,1\n", ["record a go", "is empty, though"]),
    "legal word": (f"{HEAD},legal\na,go,1,0.5\n", ["field legal", "'0.5' is not true or false"]),
    "no flag": (f"{HEAD},hidden\na,go,1,\n", ["field hidden", "is empty", "write true or false"]),
    "two chosen": (f"{HEAD},chosen\na,go,1,1\na,stay,1,1\n", ["field chosen", "two actions"]),
    "none chosen": (f"{HEAD},chosen\na,go,1,\n", ["field chosen", "no action of this query"]),
    "chose illegal": (
        f"{HEAD},chosen,legal\na,go,,1,0\na,stay,1,0,1\n",
        ["field chosen", "not legal"],
    ),
    "contradiction": (
        f"{HEAD},chosen,fired_edit\na,reason,1,0,e\na,abstain,1,1,e\n",
        ["field fired_edit", "contradicts"],
    ),
    "half a draw": (f"{HEAD},draw\na,go,1,0.5\n", ["field draw", "'0.5' is not a whole number"]),
    "ragged draws": (f"{HEAD},draw\na,go,1,0\na,go,,1\n", ["record a go", "some draws"]),
    "control": (f"{HEAD}\na\x1b[2J,go,1\n", ["field query_id", "control character", "x1b"]),
    "column twice": ("query_id,action,correct,correct\na,go,1,1\n", ["correct", "stands twice"]),
    "no records": (f"{HEAD}\n", ["no records"]),
    "empty": ("", ["empty"]),
    "ragged": (f"{HEAD}\na,go,1,9,9\n", ["cannot be read", "Expected 3 columns, got 5"]),
    "latin-1": (f"{HEAD}\nü,go,1\n".encode("latin-1"), ["not UTF-8", "save the file as UTF-8"]),
    "utf-16": (f"{HEAD}\na,go,1\n".encode("utf-16"), ["not UTF-8"]),
    "quote": (f'{HEAD}\n"a,go,1\nb,go,1\n', ["cannot be read", "Expected 3 columns, got 1"]),
    "long record": (f'{HEAD}\n"{"a" * (40 << 20)}",go,1\n', ["longer than 16 MiB"]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_one_clear_line(tmp_path: Path, name: str) -> None:
    text, parts = ERRORS[name]
    message = one_line(write(tmp_path, text))
    for part in parts:
        assert part in message
    assert len(message) < 500


def test_files_that_are_not_tables(tmp_path: Path) -> None:
    assert "no such file" in one_line(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "not a file" in one_line(tmp_path / "folder.csv")
    assert "suffix" in one_line(write(tmp_path, HEAD, "table.xlsx"))
    assert "cannot be read" in one_line(write(tmp_path, FULL, "table.parquet"))
    assert "cannot be read" in one_line(write(tmp_path, FULL, "table.csv.gz"))
    whole = gzip.compress(FULL.encode())
    assert "cannot be read" in one_line(write(tmp_path, whole[: len(whole) // 2], "cut.csv.gz"))


class Bomb:
    """Raises when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('a pickle was opened')",)


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    message = one_line(write(tmp_path, pickle.dumps(Bomb()), "routerbench.pkl"))
    assert "to_parquet" in message


def test_parquet_text_that_is_not_utf8(tmp_path: Path) -> None:
    bad = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    pq.write_table(
        pa.table({"query_id": bad, "action": ["go"], "correct": [1]}), tmp_path / "t.parquet"
    )
    assert "UTF-8" in one_line(tmp_path / "t.parquet")


def test_parquet_of_other_kinds(tmp_path: Path) -> None:
    nested = pa.table({"query_id": [{"a": 1}], "action": ["go"], "correct": [1]})
    pq.write_table(nested, tmp_path / "t.parquet")
    assert "field query_id" in one_line(tmp_path / "t.parquet")
    dated = pa.table({"query_id": ["a"], "action": ["go"], "correct": pa.array([1], pa.date32())})
    pq.write_table(dated, tmp_path / "t.parquet")
    assert "expected numbers, found date32" in one_line(tmp_path / "t.parquet")


def test_static_policy_must_be_of_actions(tmp_path: Path) -> None:
    path = write(tmp_path, f"{HEAD}\na,reason,1\na,look,1\n")
    assert "did you mean 'reason'" in one_line(path, ["raeson"])
    assert "different actions" in one_line(path, ["look", "look"])
    assert "at least one" in one_line(path, [])
    assert read_plain(path).static == ("reason",)
    assert read_plain(path, static=["look", "reason"]).static == ("look", "reason")


def test_too_many_actions(tmp_path: Path) -> None:
    text = HEAD + "\n" + "".join(f"q{i},a{i},1\n" for i in range(10_001))
    assert "10001 rows x 10001 actions" in one_line(write(tmp_path, text))


@settings(RELAXED, max_examples=150)
@given(
    st.binary(max_size=60)
    | st.lists(
        st.sampled_from([b"a", b"1", b"0", b",", b'"', b"\n", b"\r", b";", b"\t", b"\0", b"\xff"]),
        max_size=30,
    ).map(lambda parts: HEAD.encode() + b",chosen\n" + b"".join(parts)),
    st.sampled_from([".csv", ".tsv", ".parquet", ".csv.gz"]),
)
def test_noise_is_read_or_refused_in_one_line(tmp_path: Path, noise: bytes, suffix: str) -> None:
    path = write(tmp_path, noise, "noise" + suffix)
    try:
        table = read_plain(path)
    except DataError as error:
        assert str(error).isprintable()
    else:
        assert len(table.matrix) > 0


def test_labels_may_hold_spaces_and_empty_ids(tmp_path: Path) -> None:
    text = f"{HEAD},fired_edit,decision_label\na,reason,1,e2, e1 | e2 \nb,reason,1,e1,|\n"
    decisions = read_plain(write(tmp_path, text)).decisions
    assert decisions.in_scope.tolist() == [True, False]
    assert decisions.right_edit.tolist() == [True, False]


def test_examples_of_the_page(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "your_outcomes.md").read_text(encoding="utf-8")
    long, wide = (part.split("```")[0] for part in page.split("```csv\n")[1:])
    table = read_plain(write(tmp_path, long))
    won, decisions = table.matrix.won, table.decisions
    assert won[:, 0].sum() == 3  # recite, the static policy
    assert won.max(axis=1).sum() == 5
    assert won[won.sum(axis=1) == 1].sum(axis=0).tolist() == [1, 0, 1]  # unique wins
    assert (decisions.fired & ~decisions.in_scope).sum() == 2
    assert (~decisions.fired & decisions.in_scope).sum() == 1
    assert won[np.arange(6), decisions.chosen].sum() == 3
    routed = read_plain(write(tmp_path, wide, "router.csv"), static=["large-70b"])
    assert routed.matrix.actions == ("large-70b", "small-7b")
    np.testing.assert_array_equal(routed.matrix.outcomes, [[0, 0.5], [1, 1], [1, 0]])
    listed = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert listed == {*REQUIRED, *LOST}
