"""Every check finds its fault in a row made by hand, and nothing in the row beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scopebench.construct.checks.rows import CHECKS, findings, without_paid_aliases
from scopebench.construct.checks.world import World
from scopebench.construct.curated.draft import Draft
from scopebench.records import Hop, Interval, SourceRef

SOURCE = SourceRef(file="cases.json", record="1", sha256="ab" * 32)


def draft(question, hop, *, answers=("Vell",), kind="same_relation", **fields):
    return Draft(
        kind=kind,
        name="1/0",
        question=question,
        form="cloze",
        answers=answers,
        pre_edit_answers=answers,
        hops=() if hop is None else (hop,),
        near_edit_id=fields.pop("near", None),
        anchor="counterfact/1/0",
        wording="",
        source=SOURCE,
        **fields,
    )


@pytest.fixture
def edits(make_edit):
    """A capital, a birthplace and a near name, each with an id for its relation."""

    def edit(case, subject, relation, prompt, old, new):
        return make_edit(
            case,
            dataset="counterfact",
            subject=subject,
            relation_id=relation,
            prompt=prompt,
            old=old,
            new=new,
        )

    return [
        edit("1", "Ardenbrook", "P36", "The capital of {} is", "Vell", "Quillon"),
        edit("2", "Mara Venn", "P19", "{} was born in", "Ostmark", "Vell"),
        edit("3", "Gregory XIII", "P27", "{} is a citizen of", "Oss", "Tarn"),
        edit("4", "Gregory XII", "P27", "{} is a citizen of", "Lund", "Oss"),
    ]


@pytest.fixture
def world(edits):
    return World.of(edits)


def checks(row, world):
    return [finding.check for finding in findings(row, world)]


def test_an_untouched_fact_passes(world):
    hop = Hop(subject="Corriston", relation="P36", object="Hale")
    assert checks(draft("The capital of Corriston is", hop, answers=("Hale",)), world) == []


def test_a_fact_that_another_edit_sets_is_contaminated(world):
    hop = Hop(subject="Ardenbrook", relation="P36", object="Vell")
    row = draft("The capital of Ardenbrook is", hop)
    (found,) = [f for f in findings(row, world) if f.check == "contamination"]
    assert found.edit_ids == ("counterfact/1/0",)


def test_a_deleted_or_governing_edit_contaminates_nothing(edits):
    hop = Hop(subject="Ardenbrook", relation="P36", object="Vell")
    row = draft("The capital of Ardenbrook is", hop, hidden_edit_ids=("counterfact/1/0",))
    world = World.of(edits, deleted=["counterfact/1/0"])
    assert "contamination" not in checks(row, world)
    governed = hop.model_copy(update={"edit_ids": ("counterfact/1/0",), "object": "Quillon"})
    inside = draft("The capital of Ardenbrook is", governed, answers=("Quillon",))
    assert "contamination" not in checks(
        replace(inside, pre_edit_answers=("Vell",)), World.of(edits)
    )


def test_a_prompt_without_hops_is_contaminated_by_any_edited_subject_it_names(world):
    assert checks(draft("The capital of Ardenbrook is", None), world)[0] == "contamination"
    assert checks(draft("The capital of Corriston is", None), world) == []


def test_a_name_inside_a_word_is_not_a_mention(world):
    assert checks(draft("The capital of Ardenbrookshire is", None), world) == []


def test_any_hop_of_a_path_can_be_contaminated(world):
    row = draft("x", Hop(subject="Corriston", relation="P35", object="Mara Venn"))
    row = replace(row, hops=(*row.hops, Hop(subject="Mara Venn", relation="P19", object="Ostmark")))
    assert "contamination" in checks(row, world)


def test_ids_tell_apart_what_labels_do_not(make_edit):
    edit = make_edit("1", subject="John Venn", subject_id="Q1", relation_id="P19")
    world = World.of([edit])
    assert world.of_subject("John Venn", "Q2") == []
    assert world.of_subject("John Venn", "Q1") == [edit]
    assert world.of_subject("J. Venn", "Q1") == [edit]
    assert world.of_subject("john venn", None) == [edit]


def test_governing_edits_must_agree(edits, make_edit):
    rival = make_edit(
        "5",
        dataset="counterfact",
        subject="Ardenbrook",
        relation_id="P36",
        prompt="The capital of {} is",
        old="Vell",
        new="Hale",
    )
    hop = Hop(subject="Ardenbrook", relation="P36", edit_ids=("counterfact/1/0", "counterfact/5/0"))
    row = draft("The capital of Ardenbrook is", hop, answers=("Quillon",), kind="direct")
    assert "contradictory_edit" in checks(row, World.of([*edits, rival]))


def test_gold_that_the_confusable_edit_plays_is_no_gold(world):
    hop = Hop(subject="Corriston", relation="P19", object="Vell")
    row = draft("Corriston was born in", hop, near="counterfact/2/0")
    assert "gold_equals_target" in checks(row, world)
    assert "gold_equals_target" not in checks(replace(row, near_edit_id="counterfact/1/0"), world)


def test_a_near_name_in_force_that_plays_the_gold_collides(world):
    hop = Hop(subject="Gregory XI", relation="P27", object="Oss")
    row = draft("Gregory XI is a citizen of", hop, answers=("Oss",))
    # Gregory XII is near Gregory XI and its edit plays Oss.
    assert "answer_collision" in checks(row, world)
    deleted = World.of(list(world.edits.values()), deleted=["counterfact/4/0"])
    assert "answer_collision" not in checks(row, deleted)


@pytest.mark.parametrize(
    ("question", "answers", "expected"),
    [
        ("The capital of Vell is", ("Vell",), ["echo"]),
        ("The capital of Vellmark is", ("Vell",), []),
        ("Corriston lies in", ("UK", "Britain"), ["short_alias"]),
        ("Corriston speaks", ("English", "en"), ["short_alias", "refusal_alias"]),
    ],
)
def test_gold_by_its_text(world, question, answers, expected):
    assert checks(draft(question, None, answers=answers), world) == expected


def test_the_subject_must_be_named(world):
    hop = Hop(subject="Corriston", relation="P36")
    assert checks(draft("The capital of that place is", hop), world) == ["subject_missing"]
    assert checks(draft("x", hop, kind="subject_alias"), world) == []


def test_dates_must_be_known(make_edit):
    span = Interval(start="2001", end="2005")
    dated = make_edit(
        "1", subject="Vell", time_true=span, time_new=Interval(start="2005", end=None)
    )
    undated = make_edit(
        "2", subject="Oss", time_true=Interval(start=None, end="2005"), time_new=span
    )
    world = World.of([dated, undated])
    for near, expected in (("mquake_cf/1/0", False), ("mquake_cf/2/0", True)):
        row = draft("As of 2003, x", None, kind="temporal", near=near, date="2003")
        assert ("unknown_date" in checks(row, world)) is expected


def test_aliases_that_pay_refusals_are_stripped():
    assert without_paid_aliases(("English", "en")) == ("English",)
    assert without_paid_aliases(("en", "English")) is None


def test_every_check_has_one_id_and_a_meaning():
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids)
    assert all(check.meaning and check.meaning[0].islower() for check in CHECKS)


def test_how_often_a_wrong_fire_plays_the_gold(world):
    # Of the two citizenship edits one plays Oss.
    assert world.share_with_target("id:P27", ["Oss"]) == 0.5
    assert world.share_with_target("id:P999", ["Oss"]) is None


def test_a_gold_that_an_edit_of_the_subject_had_is_not_safe(edits):
    # Mara Venn's birthplace was Ostmark: "worked in Ostmark" may rest on the edited fact.
    hop = Hop(subject="Mara Venn", relation="P413", object="Ostmark")
    row = draft("Mara Venn plays as", hop, answers=("Ostmark",))
    assert "entailment" in checks(row, World.of(edits))
    assert "entailment" not in checks(replace(row, answers=("goalkeeper",)), World.of(edits))


def test_relations_that_touch_each_other_are_not_negatives(world):
    citizen = Hop(subject="Mara Venn", relation="P27", object="Lund")
    instrument = Hop(subject="Mara Venn", relation="P1303", object="harp")
    unknown = Hop(subject="Mara Venn", relation="{} is fond of", object="harp")
    rows = {
        "Mara Venn is a citizen of": (citizen, True),
        "Mara Venn plays the": (instrument, False),
        "Mara Venn is fond of": (unknown, True),
    }
    for question, (hop, expected) in rows.items():
        found = checks(draft(question, hop, answers=("Lund",)), world)
        assert ("entailment" in found) is expected, question


def test_a_deleted_target_in_the_question_gives_it_away(edits):
    world = World.of(edits, deleted=["counterfact/1/0"])
    hop = Hop(subject="Ardenbrook", relation="P36", object="Vell")
    row = draft("The capital of Ardenbrook near Quillon is", hop, kind="refilled",
                hidden_edit_ids=("counterfact/1/0",))  # fmt: skip
    assert "echo" in checks(row, world)
    assert "echo" not in checks(replace(row, question="The capital of Ardenbrook is"), world)
    assert "echo" not in checks(replace(row, kind="mention"), world)
