"""Properties that hold for every source, on random small worlds full of clashes."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import plan_dataset
from scopebench.construct.text import normalise
from scopebench.errors import DataError
from scopebench.sources.case import Source

SUBJECTS = ["Ardenbrook", "ARDENBROOK", "Corriston", "Castor Drive II", "Castor Drive III", "Hulm"]
OBJECTS = ["Vell", "Dunmere", "Ostmark", "New Vell"]

options = st.builds(
    BuildOptions,
    withhold=st.sampled_from(["own", "shared"]),
    assign=st.sampled_from(["subject", "query"]),
    fraction=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    seed=st.integers(0, 3),
)


@st.composite
def sources(draw, make_edit, make_source):
    edits = []
    for case in range(draw(st.integers(1, 8))):
        path = tuple(draw(st.lists(st.sampled_from([*SUBJECTS, "Nethy"]), max_size=2)))
        for n in range(draw(st.integers(1, 2))):
            edits.append(
                make_edit(
                    str(case),
                    n,
                    subject=draw(st.sampled_from(SUBJECTS)),
                    subject_id=draw(st.sampled_from([None, None, "E1", "E2"])),
                    relation_id=draw(st.sampled_from([None, "R1", "R2"])),
                    prompt=draw(st.sampled_from(["{} lies in", "{} belongs to"])),
                    new=draw(st.sampled_from(OBJECTS)),
                    old=draw(st.sampled_from([*OBJECTS, None])),
                    evidence_unstructured=draw(st.sampled_from([None, "A paragraph."])),
                    path_entities=path,
                )
            )
    return make_source(*edits)


def plan_or_none(source, chosen):
    """The plan, or None for the few worlds in which nothing can be asked."""
    try:
        return plan_dataset(source, chosen)
    except DataError as error:
        assert "no query can be made" in error.what
        return None


def same_fact(first, second):
    """Whether two edits say the same, by rules simpler than the build's."""
    if normalise(first.asked) == normalise(second.asked):
        return True
    one_name = normalise(first.subject) == normalise(second.subject)
    change = [(edit.target_new, edit.target_true) for edit in (first, second)]
    one_subject = one_name and first.subject_id == second.subject_id
    one_relation = first.relation_id == second.relation_id and (
        first.relation_id is not None or first.prompt == second.prompt
    )
    return (one_name and change[0] == change[1]) or (one_subject and one_relation)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), chosen=options)
def test_labels_are_true_of_the_effective_index(make_edit, make_source, data, chosen):
    plan = plan_or_none(data.draw(sources(make_edit, make_source)), chosen)
    if plan is None:
        return
    edits = {edit.edit_id: edit for edit in plan.index}
    goldless = {drop.edit_id for drop in plan.gold_drops}
    # Another true object of the fact is what some edit writes.
    unclear = {direct.edit.edit_id for direct in plan.directs if not direct.hidden_has_gold}
    for (condition, population), queries in plan.queries.items():
        index = plan.index
        if population == "withheld" and plan.withheld_index is not None:
            index = plan.withheld_index
        for query in queries:
            own = query.query_id.removesuffix(f"/direct/{population}")
            effective = {edit.edit_id for edit in index} - set(query.hidden_edit_ids)
            assert set(query.governing_edit_ids) <= effective
            assert all(edits[edit_id].holds(condition) for edit_id in query.governing_edit_ids)
            if query.in_scope:
                assert query.governing_edit_ids[0] == own and query.hidden_edit_ids == ()
                gold = edits[own].target_new.answers
            else:
                assert population == "withheld" and own in query.hidden_edit_ids
                gold = query.pre_edit_answers
                assert not any(same_fact(edits[own], edits[edit_id]) for edit_id in effective)
            none = own in goldless or (own in unclear and not query.in_scope)
            assert query.answers == (None if none else gold)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), chosen=options)
def test_clusters_are_torn_neither_by_folds_nor_by_hiding(make_edit, make_source, data, chosen):
    plan = plan_or_none(data.draw(sources(make_edit, make_source)), chosen)
    if plan is None:
        return
    folds, scopes = {}, {}
    withheld = plan.queries["structured", "withheld"]
    for query in withheld:
        edit_id = query.query_id.removesuffix("/direct/withheld")
        (edit,) = [edit for edit in plan.index if edit.edit_id == edit_id]
        folds.setdefault(normalise(edit.subject), set()).add(query.fold)
        scopes.setdefault(query.cluster, set()).add(query.in_scope)
    assert all(len(found) == 1 for found in folds.values())
    if chosen.assign == "subject":
        assert all(len(found) == 1 for found in scopes.values())
        sums = {0}
        for size in Counter(query.cluster for query in withheld).values():
            sums |= {size + other for other in sums}
        wanted = round(chosen.fraction * len(withheld))
        hidden = sum(not query.in_scope for query in withheld)
        assert abs(hidden - wanted) == min(abs(possible - wanted) for possible in sums)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), chosen=options, shuffle=st.integers(0, 99))
def test_the_order_of_records_changes_nothing(make_edit, make_source, data, chosen, shuffle):
    source = data.draw(sources(make_edit, make_source))
    cases = list(source.cases)
    random.Random(shuffle).shuffle(cases)
    other = Source(source.dataset, source.schemas, source.files, tuple(cases), ())
    first, second = plan_or_none(source, chosen), plan_or_none(other, chosen)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.queries == second.queries
        assert (first.index, first.withheld_index) == (second.index, second.withheld_index)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), chosen=options)
def test_all_conditions_share_queries_clusters_folds_and_hiding(
    make_edit, make_source, data, chosen
):
    plan = plan_or_none(data.draw(sources(make_edit, make_source)), chosen)
    if plan is None:
        return

    def marks(condition, population):
        return {
            query.query_id: (query.question, query.cluster, query.fold, query.hidden_edit_ids)
            for query in plan.queries.get((condition, population), ())
        }

    for population in ("original", "withheld"):
        assert marks("unstructured", population).items() <= marks("structured", population).items()
