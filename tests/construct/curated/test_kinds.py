"""Each kind on invented material, its rows worked out by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.curated import (
    entailed,
    mention,
    multi_hop,
    near_name,
    paraphrase,
    refilled,
    relation_swap,
    same_relation,
    same_subject,
    side_fact,
    subject_alias,
    temporal,
    unedited_chain,
    unedited_hop,
    unrelated,
)
from scopebench.construct.curated.roles import differ_in_number, distinct_near
from scopebench.records import FactObject, Interval, Triple
from scopebench.sources.case import Probe

CAPITAL = ("P36", "The capital of {} is")
BORN = ("P19", "{} was born in the city of")
CITIZEN = ("P27", "{} is a citizen of")


def asked(module, pool):
    return [(draft.question, draft.in_scope) for draft in module.propose(pool)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nobody came home that day. Mara Venn, a native of", "Mara Venn, a native of"),
        ("It rained! Was it late? Mara Venn comes from", "Mara Venn comes from"),
        ("What is the town of Mara Venn? It is", "What is the town of Mara Venn? It is"),
        ("Mara Venn was born in", "Mara Venn was born in"),
        ("Nobody was born in", None),
    ],
)
def test_lead_in_sentences_are_stripped(text, expected):
    assert paraphrase.without_lead_in(text, "Mara Venn") == expected


def test_a_topical_continuation_is_no_paraphrase(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN).model_copy(update={"dataset": "counterfact"})
    probes = [
        Probe("paraphrase", "rephrase_prompt", text, "cloze", edit_id=edit.edit_id)
        for text in ("Mara Venn's birthplace is", "Mara Venn is incredible at", "Mara Venn spoke")
    ]
    pool = pool_of([edit], {"1": probes})
    assert asked(paraphrase, pool) == [("Mara Venn's birthplace is", True)]


def test_a_paraphrase_of_another_relation_is_rejected_whatever_its_field(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN)
    texts = ("Mara Venn is a citizen of", "Ask where Mara Venn first saw the light:")
    probes = [Probe("paraphrase", "p", text, "cloze", edit_id=edit.edit_id) for text in texts]
    assert asked(paraphrase, pool_of([edit], {"1": probes})) == [(texts[1], True)]


def test_a_question_gives_its_cloze_as_a_paraphrase(fact, pool_of):
    edit = fact("1", "Ardenbrook", *CAPITAL, question="What is the capital of Ardenbrook?")
    assert asked(paraphrase, pool_of([edit])) == [("The capital of Ardenbrook is", True)]


def test_an_alias_that_another_bears_or_that_is_a_surname_is_left_out(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN)
    rival = fact("2", "Mara of Oss", *BORN)
    probes = [
        Probe("alias", f"a[{n}]", f"{name} was born in the city of", "cloze", edit.edit_id, name)
        for n, name in enumerate(("Mara Elisabeth Venn", "Venn", "Mara of Oss", "MV"))
    ]
    assert asked(subject_alias, pool_of([edit, rival], {"1": probes})) == [
        ("Mara Elisabeth Venn was born in the city of", True)
    ]


def test_a_spouse_is_asked_from_the_other_end_unless_the_wording_has_a_sex(fact, pool_of):
    spouse = fact("1", "Mara Venn", "P26", "The spouse of {} is", new="Odo Lund")
    wife = fact("2", "Ivo Tarn", "P26", "The wife of {} is", new="Ada Oss")
    (draft,) = entailed.propose(pool_of([spouse, wife]))
    assert (draft.question, draft.answers) == ("The spouse of Odo Lund is", ("Mara Venn",))
    assert draft.governing_edit_ids == ("towns/1/0",)


@pytest.mark.parametrize(
    ("edited", "asked_id", "expected"),
    [("P22", "P40", True), ("P26", "P26", True), ("P26", "P3373", False), ("P19", "P19", False)],
)
def test_inverse_relations(edited, asked_id, expected):
    assert entailed.is_inverse(f"id:{edited}", asked_id) is expected


@pytest.fixture
def journey(fact, link):
    """Mara was born in Oss (edited: Tarn); Oss lies in Vell, Tarn in Lund."""
    edit = fact(
        "1",
        "Mara Venn",
        *BORN,
        subject_id="<Mara Venn>",
        old=FactObject(text="Oss", entity_id="<Oss>"),
        new=FactObject(text="Tarn", entity_id="<Tarn>"),
    )
    chain = Probe(
        "chain",
        "questions[0]",
        "In which country was Mara Venn born?",
        "question",
        before=("Vell",),
        after=("Lund", "Lundland"),
        path_before=(link("Mara Venn", "P19", "Oss"), link("Oss", "P17", "Vell")),
        path_after=(link("Mara Venn", "P19", "Tarn"), link("Tarn", "P17", "Lund")),
    )
    return edit, chain


def test_a_multi_hop_row_says_of_each_hop_which_edit_sets_it(journey, pool_of):
    edit, chain = journey
    (draft,) = multi_hop.propose(pool_of([edit], {"1": [chain]}))
    assert draft.answers == ("Lund", "Lundland")
    assert draft.pre_edit_answers == ("Vell",)
    assert [(hop.subject, hop.object, hop.edit_ids) for hop in draft.hops] == [
        ("Mara Venn", "Tarn", ("towns/1/0",)),
        ("Tarn", "Lund", ()),
    ]
    assert draft.governing_edit_ids == ("towns/1/0",)


def test_a_path_that_another_case_edits_is_not_asked(journey, fact, pool_of):
    edit, chain = journey
    rival = fact(
        "2",
        "Tarn",
        "P17",
        "{} lies in the country of",
        subject_id="<Tarn>",
        new=FactObject(text="Hale", entity_id="<Hale>"),
    )
    assert list(multi_hop.propose(pool_of([edit, rival], {"1": [chain]}))) == []


def test_a_chain_whose_edits_are_deleted_asks_the_world_before(journey, pool_of):
    edit, chain = journey
    pool = pool_of([edit], {"1": [chain]}, deleted={"towns/1/0": "refilled"})
    assert list(multi_hop.propose(pool)) == []
    (draft,) = [d for d in unedited_chain.propose(pool) if d.name == "1/0"]
    assert not draft.in_scope
    assert (draft.answers, draft.hidden_edit_ids) == (("Vell",), ("towns/1/0",))


def test_untouched_facts_compose_and_edited_ones_compose_alike(journey, fact, link, pool_of):
    edit, chain = journey
    more = Probe(
        "chain",
        "questions[0]",
        "x",
        "question",
        before=("Anna",),
        after=("Anna",),
        path_before=(link("Ivo", "P27", "Lund"), link("Lund", "P35", "Anna")),
        path_after=(link("Ivo", "P27", "Lund"), link("Lund", "P35", "Anna")),
    )
    citizen = fact(
        "3",
        "Ada",
        *CITIZEN,
        subject_id="<Ada>",
        new=FactObject(text="Lund", entity_id="<Lund>"),
    )
    pool = pool_of([edit, citizen], {"1": [chain], "3": [more]})
    outside = [d for d in unedited_chain.propose(pool) if d.name.startswith("composed")]
    inside = [d for d in multi_hop.propose(pool) if d.name.startswith("3/")]
    assert [d.question for d in outside] == [
        "What is the head of state of the country of citizenship of Ivo?"
    ]
    assert [(d.question, d.answers) for d in inside] == [
        ("What is the head of state of the country of citizenship of Ada?", ("Anna",))
    ]
    assert inside[0].wording == outside[0].wording


def test_hops_are_told_apart_by_whether_their_subject_is_edited(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN)
    probes = [
        Probe(
            "hop",
            f"single_hops[{n}]",
            f"Which country is {subject} a citizen of?",
            "question",
            subject=subject,
            relation_id="P27",
            before=("Vell",),
            after=after,
        )
        for n, (subject, after) in enumerate(
            [("Mara Venn", ("Vell",)), ("Ivo", ("Vell",)), ("Ada", ("Lund",))]
        )
    ]
    pool = pool_of([edit], {"1": probes})
    assert asked(same_subject, pool) == [("Which country is Mara Venn a citizen of?", False)]
    assert asked(unedited_hop, pool) == [("Which country is Ivo a citizen of?", False)]


def test_a_neighbour_gets_its_subject_from_the_edits_templates(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN)
    texts = ("Ivo Tarn was born in the city of", "Somebody came to the world in")
    probes = [
        Probe("neighbour", f"n[{n}]", text, "cloze", edit.edit_id, before=("Vell",))
        for n, text in enumerate(texts)
    ]
    (draft,) = same_relation.propose(pool_of([edit], {"1": probes}))
    assert (draft.hops[0].subject, draft.hops[0].relation) == ("Ivo Tarn", "P19")
    assert draft.wording == "{} was born in the city of"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Gregory XII", "Gregory XIII", True),
        ("Route 66", "Route 65", True),
        ("Final Saga", "Final Saga X", False),  # one may be the series
        ("Route 66", "Route 66", False),
        ("Mara Venn", "Mara Vann", False),
    ],
)
def test_numbers_prove_that_near_names_are_two(first, second, expected):
    assert differ_in_number(first, second) is expected


def test_a_deleted_near_name_is_set_against_the_one_in_force(fact, pool_of):
    kept = fact("1", "Gregory XII", *BORN)
    gone = fact("2", "Gregory XIII", *BORN, old="Oss", new="Tarn")
    pool = pool_of([kept, gone], deleted={"towns/2/0": "near_name"})
    (draft,) = near_name.propose(pool)
    assert (draft.question, draft.answers) == ("Gregory XIII was born in the city of", ("Oss",))
    assert (draft.near_edit_id, draft.hidden_edit_ids) == ("towns/1/0", ("towns/2/0",))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Saint Gorran Harbour", "St. Gorran Harbour"),
        ("Pyotr Tchaikovsky", "Pyotr Chaikovsky"),
        ("General Marten Vanderholt", "Marten Vanderholt"),
    ],
)
def test_one_entity_in_two_spellings_is_no_near_name(fact, pool_of, first, second):
    """Their old objects differ, which alone would make them a pair."""
    kept, gone = fact("1", first, *BORN), fact("2", second, *BORN, old="Oss", new="Tarn")
    pool = pool_of([kept, gone], deleted={"towns/2/0": "near_name"})
    assert list(near_name.propose(pool)) == []
    assert not distinct_near(kept, gone, pool.world, pool.names)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Louis XV of Gorran", "Louis XVI of Gorran"),
        ("George H. W. Vanderholt", "George W. Vanderholt"),
        ("Marten Vanderholt Jr.", "Marten Vanderholt Sr."),
        ("Marten Vanderholt Jr.", "Marten Vanderholt"),
    ],
)
def test_two_entities_of_near_names_stay_a_pair(fact, pool_of, first, second):
    kept, gone = fact("1", first, *BORN), fact("2", second, *BORN, old="Oss", new="Tarn")
    pool = pool_of([kept, gone], deleted={"towns/2/0": "near_name"})
    (draft,) = near_name.propose(pool)
    assert (draft.near_edit_id, draft.answers) == ("towns/1/0", ("Oss",))


def test_names_that_share_an_alias_are_no_near_names(fact, pool_of):
    kept = fact("1", "Lower Gorranville", *BORN)
    gone = fact("2", "Lowen Gorranville", *BORN, old="Oss", new="Tarn")
    told = Probe("alias", "a", "Lowen Gorranville was born in", "cloze", "towns/1/0",
                 subject="Lowen Gorranville")  # fmt: skip
    deleted = {"towns/2/0": "near_name"}
    assert len(list(near_name.propose(pool_of([kept, gone], deleted=deleted)))) == 1
    pool = pool_of([kept, gone], {"1": [told]}, deleted=deleted)
    assert list(near_name.propose(pool)) == []


def test_what_follows_from_a_deleted_edit_is_decision_only(fact, pool_of):
    edit = fact("1", "Mara Venn", *BORN)
    composed = Probe("composed", "c", "The mayor of the birthplace of Mara Venn is", "cloze",
                     edit.edit_id, after=("Anna",))  # fmt: skip
    pool = pool_of([edit], {"1": [composed]}, deleted={"towns/1/0": "refilled"})
    told, afar = refilled.propose(pool)
    assert (told.answers, afar.answers) == (("Vell",), None)
    assert not afar.in_scope


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (("Mara Venn", "{} studied at", "the University of Lund"), True),
        (("Mara Venn", "{} was the", "the first Mayor of Lund"), False),  # asks nothing
        (("Mara Venn", "{} was known for", "singing in choirs"), False),  # names nothing
        (("Mara Venn", "{} follows", "the Methodist faith"), False),  # the edit in other words
        (("Methodism", "{} is the faith of", "Mara Venn"), False),  # from its other end
        (("Ivo Tarn", "{} studied at", "the University of Lund"), False),  # of somebody else
        (("Mara Venn", "{} left", "the Church of England in 1880"), False),  # not in the paragraph
    ],
)
def test_side_facts_are_no_restatement_of_the_edit(fact, triple, expected):
    edit = fact(
        "1",
        "Mara Venn",
        "P140",
        "{} is affiliated with the religion of",
        new="Methodism",
        old="Islam",
        evidence_unstructured="Mara Venn, the first Mayor of Lund, was known for singing in "
        "choirs. She follows the Methodist faith and studied at the University of Lund.",
    )
    made = Triple(subject=triple[0], prompt=triple[1], target=triple[2])
    assert side_fact.is_side_fact(made, edit) is expected


def _changed(fact, case, subject, old_span, new_span):
    return fact(
        case,
        subject,
        "P35",
        "The president of {} is",
        question="Who is the president of {}?".replace("{}", subject),
        old=f"Ada {subject}",
        new=f"Ivo {subject}",
        time_true=Interval(start=old_span[0], end=old_span[1]),
        time_new=Interval(start=new_span[0], end=new_span[1]),
    )


def test_one_date_is_asked_before_one_change_and_after_another(fact, pool_of):
    """Ada holds Vell from 2005 to 2008; Ivo holds Lund from 2005 on: only 2006 fits both."""
    vell = _changed(fact, "1", "Vell", ("2005-05-01", "2007-05-01"), ("2007-05-01", None))
    lund = _changed(fact, "2", "Lund", ("2001-05-01", "2005-05-01"), ("2005-05-01", "2007-02-01"))
    drafts = list(temporal.propose(pool_of([vell, lund])))
    assert {(d.question, d.in_scope, d.answers, d.date) for d in drafts} == {
        ("As of 2006, who is the president of Vell?", False, ("Ada Vell",), "2006"),
        ("As of 2006, who is the president of Lund?", True, ("Ivo Lund",), "2006"),
    }
    assert len({draft.wording for draft in drafts}) == 1
    assert all(draft.exact for draft in drafts)


def test_facts_that_all_changed_between_two_days_are_not_asked_for_a_date(fact, pool_of):
    edits = [
        _changed(fact, case, subject, ("2021-01-04",) * 2, ("2023-02-27",) * 2)
        for case, subject in (("1", "Vell"), ("2", "Lund"), ("3", "Oss"))
    ]
    assert list(temporal.propose(pool_of(edits))) == []


_SPANS = st.tuples(
    st.integers(1950, 1990), st.integers(0, 15), st.integers(0, 15), st.sampled_from(["P35", "P6"])
)


@given(st.lists(_SPANS, max_size=12))
def test_every_date_of_every_wording_has_both_labels_equally_often(fact, pool_of, spans):
    edits = [
        fact(
            str(n),
            f"Town{n}",
            relation,
            "The {} of {{}} is".format({"P35": "president", "P6": "mayor"}[relation]),
            old=f"Ada {n}",
            new=f"Ivo {n}",
            time_true=Interval(start=str(begin), end=str(begin + held)),
            time_new=Interval(start=str(begin + held), end=str(begin + held + then)),
        )
        for n, (begin, held, then, relation) in enumerate(spans)
    ]
    drafts = list(temporal.propose(pool_of(edits)))
    for label in (True, False):
        asked_of = [draft.near_edit_id for draft in drafts if draft.in_scope is label]
        assert len(asked_of) == len(set(asked_of)), "no edit is asked twice for one object"
    inside = Counter(draft.wording for draft in drafts if draft.in_scope)
    assert inside == Counter(draft.wording for draft in drafts if not draft.in_scope)


def test_a_date_that_both_objects_may_have_held_is_not_asked(fact, pool_of):
    edits = [
        _changed(fact, "1", "Vell", ("2001", "2006"), ("2003", "2004")),
        _changed(fact, "2", "Lund", ("2001", "2006"), ("2003", "2004")),
    ]
    assert list(temporal.propose(pool_of(edits))) == []


def _with_paragraph(fact, case, subject, told, new="Methodism"):
    school = f"the University of {told}"
    return fact(
        case,
        subject,
        "P140",
        "{} is affiliated with the religion of",
        new=new,
        old="Islam",
        evidence_unstructured=f"{subject} follows {new} and studied at {school}.",
        evidence_triples=(Triple(subject=subject, prompt="{} studied at", target=school),),
    )


def test_a_side_fact_goes_with_its_card(fact, pool_of):
    kept = _with_paragraph(fact, "1", "Mara Venn", "Lund")
    gone = _with_paragraph(fact, "2", "Ivo Tarn", "Oss")
    pool = pool_of([kept, gone], deleted={"towns/2/0": "refilled"})
    found = {d.question: d for d in side_fact.propose(pool)}
    inside, outside = found["Mara Venn studied at"], found["Ivo Tarn studied at"]
    assert (inside.governing_edit_ids, inside.answers) == (
        ("towns/1/0",), ("the University of Lund",)
    )  # fmt: skip
    assert (outside.in_scope, outside.answers, outside.hidden_edit_ids) == (
        False, None, ("towns/2/0",)
    )  # fmt: skip
    assert inside.wording == outside.wording
    assert inside.conditions == outside.conditions == {"unstructured", "extracted"}


def test_a_side_fact_that_two_paragraphs_tell_is_left_out(fact, pool_of):
    kept = _with_paragraph(fact, "1", "Mara Venn", "Lund")
    twin = _with_paragraph(fact, "2", "Mara Venn", "Lund", new="Baptism")
    assert list(side_fact.propose(pool_of([kept, twin]))) == []


def test_a_mention_comes_before_both_labels_in_the_same_frames(fact, pool_of):
    edits = [fact(str(n), f"Town {'ABCDEFGH'[n]}", *CAPITAL, new=f"City {n}") for n in range(8)]
    gone = {"towns/0/0": "refilled", "towns/1/0": "refilled"}
    drafts = list(mention.propose(pool_of(edits, deleted=gone)))
    assert len(drafts) == 4
    frames = {label: sorted(d.name.rpartition(".")[2] for d in drafts if d.in_scope is label)
              for label in (True, False)}  # fmt: skip
    assert frames[True] == frames[False] == ["denied", "imagined"]
    for draft in drafts:
        assert draft.hops[0].subject in draft.question
        assert draft.question.count("The capital of Town") == 2


def test_a_swap_keeps_the_type_of_the_subject_and_has_no_gold(fact, pool_of):
    edits = [
        fact("1", "Mara Venn", *BORN),
        fact("2", "Ivo Tarn", "P1303", "The instrument played by {} is", new="harp"),
        fact("3", "Vell", *CAPITAL),
    ]
    found = {d.question: d.answers for d in relation_swap.propose(pool_of(edits))}
    assert found == {
        "The instrument played by Mara Venn is": None,
        "Ivo Tarn was born in the city of": None,
    }


def test_unrelated_questions_come_from_other_data_sets(fact, pool_of):
    own = fact("1", "Mara Venn", *BORN)
    others = [
        fact("8", "Ada Oss", *BORN, old="Lund").model_copy(
            update={"edit_id": "far/8/0", "dataset": "far"}
        ),
        fact("9", "Mara Venn", *CITIZEN).model_copy(
            update={"edit_id": "far/9/0", "dataset": "far"}
        ),
    ]
    (draft,) = unrelated.propose(pool_of([own], others=others))
    assert (draft.question, draft.answers) == ("Ada Oss was born in the city of", ("Lund",))
