"""The checks on `original` and `withheld`: rows are flagged, never dropped."""

from __future__ import annotations

from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import plan_dataset


def test_rows_that_ask_the_same_words_stay_and_the_later_one_says_so(make_edit, make_source):
    # Two relations of one town are asked alike and set to one object: each edit governs both rows.
    edits = [
        make_edit(case, subject="Vell", relation_id=relation, question="Who runs Vell?", new="Adam")
        for case, relation in (("1", "P6"), ("2", "P35"))
    ]
    plan = plan_dataset(make_source(*edits), BuildOptions(fraction=0.0))
    rows = plan.queries["structured", "original"]
    assert [len(row.governing_edit_ids) for row in rows] == [2, 2]
    assert [row.flags for row in rows] == [(), ("duplicate",)]
    assert plan.flags["original"].rows["duplicate"] == {
        "mquake_cf/2/0/direct/original": "mquake_cf/1/0/direct/original asks the same words"
    }


def test_a_row_is_checked_once_for_all_conditions(make_edit, make_source):
    edit = make_edit(
        "1", old="Oss", new="Tarn", prompt="{} of Tarn lies in", evidence_unstructured="x"
    )
    plan = plan_dataset(make_source(edit), BuildOptions(fraction=0.0))
    flags = {plan.queries[c, "original"][0].flags for c in ("structured", "unstructured")}
    assert flags == {("echo",)}
    assert len(plan.flags["original"].rows["echo"]) == 1
