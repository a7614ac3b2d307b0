from __future__ import annotations

import pytest

from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import plan_dataset
from scopebench.errors import DataError
from scopebench.records import FactObject, Hop, Query, SourceRef


def query(plan, edit_id, population, condition="structured"):
    (found,) = [
        query
        for query in plan.queries[condition, population]
        if query.query_id == f"{edit_id}/direct/{population}"
    ]
    return found


def dropped(drops):
    return [(drop.reason, drop.edit_id) for drop in drops]


def test_the_town_source_whole(town_source):
    plan = plan_dataset(town_source, BuildOptions())
    assert [edit.edit_id for edit in plan.index] == [
        "mquake_cf/1/0",
        "mquake_cf/2/0",
        "mquake_cf/3/1",
        "mquake_cf/4/0",
        "mquake_cf/10/0",
    ]
    assert plan.withheld_index is None
    assert dropped(plan.edit_drops) == [("duplicate_edit", "mquake_cf/3/0")]
    assert plan.query_drops == ()
    assert {cell: len(queries) for cell, queries in plan.queries.items()} == {
        ("structured", "original"): 5,
        ("structured", "withheld"): 5,
        ("unstructured", "original"): 4,
        ("unstructured", "withheld"): 4,
        ("extracted", "original"): 4,
        ("extracted", "withheld"): 4,
    }
    assert dropped(plan.condition_drops["extracted"]) == [("lacks_condition", "mquake_cf/10/0")]
    assert plan.condition_drops["structured"] == ()
    # Both edits of Corriston are one cluster, so five queries lie in four.
    clusters = [query.cluster for query in plan.queries["structured", "original"]]
    assert clusters == [f"mquake_cf/{n}/0" for n in (1, 2, 2, 4, 10)]
    withheld = plan.queries["structured", "withheld"]
    assert sum(not query.in_scope for query in withheld) == 2  # round(0.5 * 5), to even
    assert sum(query.fold == "dev" for query in withheld) == 1  # round(0.2 * 5)


def test_an_original_query(town_source):
    plan = plan_dataset(town_source, BuildOptions())
    found = query(plan, "mquake_cf/1/0", "original")
    assert found == Query(
        query_id="mquake_cf/1/0/direct/original",
        dataset="mquake_cf",
        population="original",
        kind="direct",
        question="Ardenbrook lies in",
        form="cloze",
        answers=("Vell", "Kingdom of Vell"),
        pre_edit_answers=("Ostmark",),
        governing_edit_ids=("mquake_cf/1/0",),
        hidden_edit_ids=(),
        twin_id=None,
        hops=(
            Hop(
                subject="Ardenbrook",
                relation=found.hops[0].relation,
                object="Vell",
                edit_ids=("mquake_cf/1/0",),
            ),
        ),
        cluster="mquake_cf/1/0",
        fold=found.fold,
        source=SourceRef(file="cases.json", record="1", sha256="ab" * 32),
    )
    asked = query(plan, "mquake_cf/2/0", "original")
    assert (asked.question, asked.form) == ("Where does Corriston lie?", "question")


def test_a_hidden_query_asks_for_the_old_answer(town_source):
    plan = plan_dataset(town_source, BuildOptions(fraction=1.0))
    hidden = query(plan, "mquake_cf/1/0", "withheld", "unstructured")
    assert hidden.answers == hidden.pre_edit_answers == ("Ostmark",)
    assert hidden.governing_edit_ids == ()
    assert hidden.hidden_edit_ids == ("mquake_cf/1/0",)
    assert hidden.twin_id == "mquake_cf/1/0/direct/original"
    unknown = query(plan, "mquake_cf/10/0", "withheld")
    assert unknown.answers is None and not unknown.in_scope


def test_a_kept_query_is_the_original_one_under_its_own_id(town_source):
    plan = plan_dataset(town_source, BuildOptions(fraction=0.0))
    for original, kept in zip(
        plan.queries["structured", "original"],
        plan.queries["structured", "withheld"],
        strict=True,
    ):
        assert kept == original.model_copy(
            update={
                "query_id": original.query_id.replace("/original", "/withheld"),
                "population": "withheld",
                "twin_id": original.query_id,
            }
        )


def test_withholding_from_one_shared_index(town_source):
    plan = plan_dataset(town_source, BuildOptions(withhold="shared"))
    hidden = {
        edit_id
        for query in plan.queries["structured", "withheld"]
        for edit_id in query.hidden_edit_ids
    }
    assert len(hidden) == 2
    assert plan.withheld_index == tuple(e for e in plan.index if e.edit_id not in hidden)


def test_hiding_a_fact_hides_its_other_wordings_but_only_one_governs(make_edit, make_source):
    first = make_edit("1", subject="Jo", prompt="{} speaks", new="Vellish", old="Dunmerian")
    second = make_edit("2", subject="Jo", prompt="{} spoke", new="Vellish", old="Dunmerian")
    other = make_edit("3", subject="Jo", prompt="{} was born in", new="Hulm", old="Nethy")
    source = make_source(first, second, other)
    own = plan_dataset(source, BuildOptions(fraction=1.0))
    assert query(own, first.edit_id, "original").governing_edit_ids == (first.edit_id,)
    assert query(own, first.edit_id, "withheld").hidden_edit_ids == (first.edit_id, second.edit_id)
    assert query(own, other.edit_id, "withheld").hidden_edit_ids == (other.edit_id,)
    for seed in range(20):
        drawn = plan_dataset(source, BuildOptions(assign="query", seed=seed))
        assert query(drawn, first.edit_id, "withheld").in_scope is (
            query(drawn, second.edit_id, "withheld").in_scope
        )


def test_independent_draws_can_tear_a_cluster(make_edit, make_source):
    edits = [make_edit(str(n), subject="Jo", prompt=f"{{}} rel{n}", new=f"N{n}") for n in range(9)]
    plan = plan_dataset(make_source(*edits), BuildOptions(assign="query"))
    assert {query.in_scope for query in plan.queries["structured", "withheld"]} == {True, False}


def test_questions_alike_govern_each_other_or_are_dropped(make_edit, make_source):
    asked = {"subject": "Jo Lind", "question": "Where was Jo Lind born?"}
    same = [make_edit(n, subject_id=f"E{n}", new="Vell", **asked) for n in ("1", "2")]
    plan = plan_dataset(make_source(*same), BuildOptions())
    for edit, other in (same, same[::-1]):
        governing = query(plan, edit.edit_id, "original").governing_edit_ids
        assert governing == (edit.edit_id, other.edit_id)

    third = make_edit("3", subject_id="E3", new="Dunmere", **asked)
    plan = plan_dataset(make_source(*same, third, make_edit("4")), BuildOptions())
    assert len(plan.index) == 4
    assert dropped(plan.query_drops) == [
        ("ambiguous_question", f"mquake_cf/{n}/0") for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("new", "old", "collide"),
    [
        ("football", "association football", True),
        ("gaelic football", FactObject(text="soccer", aliases=("football",)), True),
        (FactObject(text="Vell", aliases=("VL",)), FactObject(text="Vale", aliases=("vl",)), True),
        ("California", FactObject(text="Los Angeles", aliases=("Los Angeles, California",)), False),
        ("foot", "football", False),
        ("Vell", None, False),
    ],
)
def test_a_query_whose_two_answers_cannot_be_told_apart_is_decision_only(
    make_edit, make_source, new, old, collide
):
    plan = plan_dataset(
        make_source(make_edit("1", new=new, old=old), make_edit("2")), BuildOptions()
    )
    expected = [("gold_equals_target", "mquake_cf/1/0")] if collide else []
    assert dropped(plan.gold_drops) == expected
    asked = {q.query_id.split("/")[1]: q.answers for q in plan.queries["structured", "original"]}
    assert (asked["1"] is None) == collide
    assert len(plan.index) == 2


def test_a_source_without_a_query_is_an_error(make_edit, make_source):
    source = make_source(make_edit("1", new="Vell", old="vell"))
    with pytest.raises(DataError, match=r"no query can be made of mquake_cf: 1 edits were read"):
        plan_dataset(source, BuildOptions())
    pair = make_source(make_edit("1", 0), make_edit("1", 1))
    with pytest.raises(DataError, match="raise the limit"):
        plan_dataset(pair, BuildOptions(limit=1))


@pytest.mark.parametrize(
    "wrong",
    [{"fraction": 1.5}, {"fraction": -0.1}, {"limit": 0}, {"withhold": "all"}, {"assign": "case"}],
)
def test_options_out_of_range_are_refused(wrong):
    with pytest.raises(DataError, match=next(iter(wrong))):
        BuildOptions(**wrong)
