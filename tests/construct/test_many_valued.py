"""Facts with several true objects: found from the sources, accepted all or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.many_valued import Asked, golds_of
from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import plan_dataset
from scopebench.construct.true_values import TrueValues
from scopebench.records import FactObject, Hop, Interval
from scopebench.sources.case import Case, Link, Probe, Source

EMPLOYER = "{} is employed by"


def case(edit, *probes, name=None):
    return Case(edit.dataset, name or edit.case, (edit,), probes)


def employed(make_edit, number, new, old, **fields):
    return make_edit(
        number,
        subject="Mara Venn",
        prompt=EMPLOYER,
        relation_id="P108",
        new=new,
        old=FactObject(text=old, aliases=fields.pop("aliases", ())),
        **fields,
    )


def labels(truths, edit):
    return [value.label for value in truths.values(truths.slot(edit))]


def test_two_old_objects_of_one_fact_are_both_true(make_edit):
    one, two = (
        employed(make_edit, "1", "Orsk", "Tarn Mills"),
        employed(make_edit, "2", "Quill", "Vell Works"),
    )
    truths = TrueValues.of([case(one), case(two)])
    assert labels(truths, one) == ["Tarn Mills", "Vell Works"]
    assert truths.several() == 1


def test_new_objects_and_what_follows_from_them_are_no_true_objects(make_edit):
    one = employed(make_edit, "1", "Orsk", "Tarn Mills")
    entailed = Probe("entailed", "p", "Mara Venn is employed by", "cloze", one.edit_id,
                     subject="Mara Venn", relation_id="P108", after=("Orsk",))  # fmt: skip
    hop = Probe("hop", "h", "Who employs Mara Venn?", "question", subject="Mara Venn",
                relation_id="P108", before=("Tarn Mills",), after=("Orsk",))  # fmt: skip
    paraphrase = Probe("paraphrase", "q", "Mara Venn works for", "cloze", one.edit_id,
                       before=("Tarn Mills",), after=("Orsk",))  # fmt: skip
    truths = TrueValues.of([case(one, entailed, hop, paraphrase)])
    assert labels(truths, one) == ["Tarn Mills"]
    assert truths.several() == 0


def test_the_links_after_an_edit_are_true_but_for_the_edited_one(make_edit):
    one = employed(make_edit, "1", "Orsk", "Tarn Mills", question="Who employs Mara Venn?")

    def link(subject, relation, obj, question):
        return Link(subject, None, relation, None, obj, None, question, None, (obj,))

    before = (
        link("Mara Venn", "P108", "Tarn Mills", "Who employs Mara Venn?"),
        link("Tarn Mills", "P159", "Lund", "Where is Tarn Mills based?"),
    )
    after = (
        link("Mara Venn", "P108", "Orsk", "Who employs Mara Venn?"),
        link("Orsk", "P159", "Oss", "Where is Orsk based?"),
    )
    chain = Probe("chain", "c", "Where is the employer of Mara Venn based?", "question",
                  before=("Lund",), after=("Oss",), path_before=before,
                  path_after=after)  # fmt: skip
    truths = TrueValues.of([case(one, chain)])
    assert labels(truths, one) == ["Tarn Mills"]
    seat = truths.slot_of(Hop(subject="Orsk", relation="P159"))
    assert [value.label for value in truths.values(seat)] == ["Oss"]


@pytest.mark.parametrize(
    ("label", "aliases"),
    [("tarn mills", ()), ("Mills, Tarn", ()), ("TM Ltd", ("Tarn Mills",))],
)
def test_one_object_under_two_names_is_one(make_edit, label, aliases):
    one = employed(make_edit, "1", "Orsk", "Tarn Mills")
    two = employed(make_edit, "2", "Quill", label, aliases=aliases)
    truths = TrueValues.of([case(one), case(two)])
    assert truths.several() == 0


def test_lists_of_answers_and_other_values_tell_several(make_edit):
    one = employed(make_edit, "1", "Orsk", "Tarn Mills")
    listed = Probe("other_relation", "o", "The children of Mara Venn are", "cloze", one.edit_id,
                   subject="Mara Venn", relation_id="P40", before=("Ada", "Ad", "Ivo"),
                   after=("Ada", "Ad", "Ivo"), objects=(("Ada", "Ad"), ("Ivo",)))  # fmt: skip
    other = Probe("other_value", "f", "The employer of Mara Venn, which is not Orsk, is", "cloze",
                  one.edit_id, before=("Vell Works",), after=("Vell Works",))  # fmt: skip
    truths = TrueValues.of([case(one, listed, other)])
    assert labels(truths, one) == ["Tarn Mills", "Vell Works"]
    children = truths.values(truths.slot_of(Hop(subject="Mara Venn", relation="P40")))
    assert [list(value.answers) for value in children] == [["Ada", "Ad"], ["Ivo"]]


def test_values_that_held_one_after_the_other_are_not_several(make_edit):
    def held(number, old, start, end):
        span = Interval(start=start, end=end)
        return employed(make_edit, number, f"New {number}", old, time_true=span)

    first, then = held("1", "Tarn Mills", "2001", "2005"), held("2", "Vell Works", "2005", "2009")
    beside = held("3", "Oss Docks", "2004", "2006")
    assert TrueValues.of([case(first), case(then)]).several() == 0
    truths = TrueValues.of([case(first), case(then), case(beside)])
    assert truths.several() == 1
    others = truths.others(truths.slot(first), ("Tarn Mills",))
    assert [value.label for value in others] == ["Oss Docks"]


def rest(make_edit, *olds, new="Orsk", answers=("Tarn Mills",), **fields):
    """The golds of a row about the first edit, out of scope unless `hops` says otherwise."""
    edits = [employed(make_edit, str(n), f"New{n}", old) for n, old in enumerate(olds)]
    edits[0] = employed(make_edit, "0", new, olds[0])
    truths = TrueValues.of([case(edit) for edit in edits])
    hops = fields.pop("hops", (Hop(subject="Mara Venn", relation="P108", object=olds[0]),))
    asked = Asked(hops, (), answers, answers, **fields)
    return golds_of(asked, {edit.edit_id: edit for edit in edits}, truths), edits[0]


def test_a_row_accepts_every_true_object(make_edit):
    golds, _ = rest(make_edit, "Tarn Mills", "Vell Works")
    assert golds.answers == golds.pre_edit_answers == ("Tarn Mills", "Vell Works")
    assert golds.outcome == "multi_gold"


def test_a_row_about_a_fact_with_one_object_stays_as_it_is(make_edit):
    golds, _ = rest(make_edit, "Tarn Mills", "Tarn Mills")
    assert (golds.answers, golds.outcome) == (("Tarn Mills",), None)


def test_a_true_object_that_an_edit_writes_makes_the_row_decision_only(make_edit):
    golds, _ = rest(make_edit, "Tarn Mills", "Vell Works", new="Vell Works")
    assert (golds.answers, golds.outcome) == (None, "decision_only")


def test_a_dated_row_is_decision_only_since_the_other_may_have_held_then(make_edit):
    golds, _ = rest(make_edit, "Tarn Mills", "Vell Works", dated=True)
    assert golds.answers is None


def test_in_scope_the_gold_stays_what_the_edit_asserts(make_edit):
    hop = Hop(subject="Mara Venn", relation="P108", object="Orsk", edit_ids=("mquake_cf/0/0",))
    asked = ("Tarn Mills",)
    edits = [employed(make_edit, "0", "Orsk", "Tarn Mills"),
             employed(make_edit, "1", "Quill", "Vell Works")]  # fmt: skip
    truths = TrueValues.of([case(edit) for edit in edits])
    by_id = {edit.edit_id: edit for edit in edits}
    golds = golds_of(Asked((hop,), (), ("Orsk",), asked), by_id, truths)
    assert golds.answers == ("Orsk",)
    assert golds.pre_edit_answers == ("Tarn Mills", "Vell Works")


def test_a_question_that_goes_on_from_such_a_fact_is_decision_only(make_edit):
    hops = (
        Hop(subject="Mara Venn", relation="P108", object="Tarn Mills"),
        Hop(subject="Tarn Mills", relation="P159", object="Lund"),
    )
    golds, _ = rest(make_edit, "Tarn Mills", "Vell Works", answers=("Lund",), hops=hops)
    assert (golds.answers, golds.outcome) == (None, "decision_only")


def test_rows_of_a_build_say_so_and_accept_all(make_edit):
    one = employed(make_edit, "1", "Orsk", "Tarn Mills")
    other = Probe("other_value", "f", "The employer of Mara Venn, which is not Orsk, is", "cloze",
                  one.edit_id, before=("Vell Works",), after=("Vell Works",))  # fmt: skip
    source = Source("towns", {"a.json": "flat"}, {"a.json": "ab" * 32}, (case(one, other),), ())
    plan = plan_dataset(source, BuildOptions(fraction=1.0))
    (original,) = plan.queries["structured", "original"]
    (withheld,) = plan.queries["structured", "withheld"]
    both = ("Tarn Mills", "Vell Works")
    assert (original.answers, original.pre_edit_answers) == (("Orsk",), both)
    assert (withheld.answers, withheld.pre_edit_answers) == (both, both)
    assert original.flags == withheld.flags == ("many_valued",)
    assert len(plan.flags["withheld"].rows["many_valued"]) == 1


@given(st.lists(st.sampled_from(["Tarn", "Vell", "Oss", "Lund"]), min_size=1, max_size=6))
def test_what_is_accepted_does_not_depend_on_which_record_is_asked(make_edit, olds):
    golds, _ = rest(make_edit, *olds, answers=(olds[0],))
    assert golds.answers[0] == olds[0]
    assert set(golds.answers) == set(olds)
    assert (golds.outcome is None) is (len(set(olds)) == 1)
