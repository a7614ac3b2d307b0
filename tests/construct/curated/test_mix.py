from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.mix import Pair, Place, choose_pairs, within_shares
from scopebench.construct.curated.plan import SHARES
from scopebench.construct.curated.screen import Screened
from scopebench.records import Hop, SourceRef

SOURCE = SourceRef(file="cases.json", record="1", sha256="ab" * 32)


def row(name, kind, wording, *, inside, form="cloze", near=None, anchor=None):
    edit_ids = (f"d/{name}",) if inside else ()
    draft = Draft(
        kind=kind,
        name=name,
        question=f"{wording} {name}",
        form=form,
        answers=("x",),
        pre_edit_answers=None,
        hops=(Hop(subject=name, relation="P1", edit_ids=edit_ids),),
        near_edit_id=near,
        anchor=anchor or name,
        wording=wording,
        source=SOURCE,
    )
    return Screened(draft, ())


def place(*rows, folds=None, parts=None):
    anchors = [row.draft.anchor for row in rows]
    return Place(
        {anchor: anchor for anchor in anchors},
        {anchor: (folds or {}).get(anchor, "test") for anchor in anchors},
        {anchor: (parts or {}).get(anchor, 0) for anchor in anchors},
    )


def choose(positives, negatives, *, size=100, slack=0.3, where=None):
    return choose_pairs(
        positives,
        negatives,
        place=where or place(*positives, *negatives),
        shares=SHARES,
        size=size,
        slack=slack,
        seed=0,
    )


def named(pairs):
    return {(pair.negative.draft.name, pair.positive.draft.name) for pair in pairs}


def test_rows_of_one_wording_are_paired():
    positives = [
        row("p1", "direct", "capital", inside=True),
        row("p2", "direct", "born", inside=True),
    ]
    negatives = [
        row("n1", "same_relation", "born", inside=False),
        row("n2", "same_subject", "capital", inside=False),
    ]
    assert named(choose(positives, negatives)) == {("n1", "p2"), ("n2", "p1")}


def test_a_negative_gets_its_own_edits_positive_first():
    positives = [
        row(name, "direct", "born", inside=True, near=f"d/{name}") for name in ("p1", "p2", "p3")
    ]
    negatives = [row("n1", "near_name", "born", inside=False, near="d/p3")]
    assert named(choose(positives, negatives)) == {("n1", "p3")}


def test_a_negative_gets_a_positive_of_its_cluster_then_of_its_sort():
    def asked(name, subject, *, inside):
        made = row(name, "direct" if inside else "near_name", "seat", inside=inside)
        hop = made.draft.hops[0].model_copy(update={"subject": subject})
        return Screened(replace(made.draft, hops=(hop,)), ())

    negative = asked("n1", "Orsk constituency", inside=False)
    others = [asked(f"p{n}", f"Place {n}", inside=True) for n in range(9)]
    alike = asked("p9", "Tarn constituency", inside=True)
    assert named(choose([*others, alike], [negative])) == {("n1", "p9")}
    where = place(negative, *others, alike)
    for own in ("p3", "p7"):
        together = Place({**where.clusters, own: "n1"}, where.folds, where.parts)
        assert named(choose([*others, alike], [negative], where=together)) == {("n1", own)}


def test_a_row_of_its_own_wording_alone_is_never_paired_with_another():
    def exact(made):
        return Screened(replace(made.draft, exact=True), ())

    positive, negative = (
        row("p1", "direct", "a", inside=True),
        row("n1", "same_subject", "b", inside=False),
    )
    assert len(choose([positive], [negative], slack=1.0)) == 1
    assert choose([exact(positive)], [negative], slack=1.0) == []
    assert choose([positive], [exact(negative)], slack=1.0) == []


def test_a_share_holds_under_every_condition():
    def limited(made):
        return Screened(replace(made.draft, conditions=frozenset({"extracted"})), ())

    def pair(n, kind):
        return Pair(row(f"n{n}", kind, "x", inside=False), row(f"p{n}", "direct", "x", inside=True))

    always = [pair(0, "unrelated"), *(pair(n, "refilled") for n in range(1, 5))]
    sides = [Pair(limited(p.negative), limited(p.positive)) for p in always[1:]]
    assert within_shares([*always, *sides, pair(9, "unrelated")], SHARES) == [*always, *sides]


def test_another_wording_is_let_in_only_up_to_the_slack():
    positives = [row(f"p{n}", "direct", f"a{n}", inside=True) for n in range(10)]
    negatives = [row(f"n{n}", "same_subject", f"b{n}", inside=False) for n in range(10)]
    assert len(choose(positives, negatives, slack=0.3)) == 3
    assert choose(positives, negatives, slack=0.0) == []


def test_a_cloze_is_never_paired_with_a_question():
    positives = [row("p1", "direct", "born", inside=True, form="question")]
    negatives = [row("n1", "same_subject", "born", inside=False)]
    assert choose(positives, negatives) == []


def test_folds_are_never_crossed():
    positives = [row("p1", "direct", "born", inside=True)]
    negatives = [row("n1", "same_subject", "born", inside=False)]
    assert (
        choose(positives, negatives, where=place(*positives, *negatives, folds={"p1": "dev"})) == []
    )


def test_pairs_of_one_part_come_first():
    positives = [row("p1", "direct", "born", inside=True), row("p2", "direct", "born", inside=True)]
    negatives = [row("n1", "same_subject", "born", inside=False)]
    for own in ("p1", "p2"):
        where = place(*positives, *negatives, parts={"n1": 3, own: 3})
        assert named(choose(positives, negatives, where=where)) == {("n1", own)}


@pytest.mark.parametrize("kind", ["unrelated", "temporal", "mention", "relation_swap"])
def test_a_capped_kind_holds_at_most_a_tenth_of_the_rows(kind):
    positives = [row(f"p{n}", "direct", "born", inside=True) for n in range(100)]
    negatives = [row(f"n{n}", kind, "born", inside=False) for n in range(60)]
    negatives += [row(f"m{n}", "same_relation", "born", inside=False) for n in range(30)]
    pairs = choose(positives, negatives, size=200)
    rows = Counter(r.draft.kind for pair in pairs for r in (pair.negative, pair.positive))
    # 30 others and k capped ones in pairs: k / (2 * (30 + k)) <= 0.1, so k <= 7.5.
    assert rows["same_relation"] == 30
    assert rows[kind] == 7


def test_the_filler_waits_for_the_other_kinds():
    positives = [row(f"p{n}", "direct", "born", inside=True) for n in range(40)]
    filler = [row(f"r{n}", "refilled", "born", inside=False) for n in range(40)]
    hard = [row(f"s{n}", "same_subject", "born", inside=False) for n in range(12)]
    kinds = Counter(p.negative.draft.kind for p in choose(positives, [*filler, *hard], size=40))
    assert kinds == {"same_subject": 12, "refilled": 8}


def test_cutting_to_shares_cuts_the_last_pairs():
    def pair(n, kind):
        return Pair(row(f"n{n}", kind, "x", inside=False), row(f"p{n}", "direct", "x", inside=True))

    assert within_shares([pair(0, "unrelated")], SHARES) == []
    assert within_shares([], SHARES) == []
    pairs = [
        pair(0, "unrelated"),
        *(pair(n, "refilled") for n in range(1, 5)),
        pair(5, "unrelated"),
    ]
    assert within_shares(pairs, SHARES) == pairs[:5]  # one of ten rows


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(SHARES)), st.sampled_from("ab")), max_size=40),
    st.lists(
        st.tuples(st.sampled_from(["direct", "paraphrase"]), st.sampled_from("ab")), max_size=40
    ),
    st.integers(0, 60),
    st.sampled_from([0.0, 0.1, 0.3]),
)
def test_a_mix_is_balanced_bounded_and_uses_no_row_twice(outside, inside, size, slack):
    positives = [row(f"p{n}", kind, word, inside=True) for n, (kind, word) in enumerate(inside)]
    negatives = [row(f"n{n}", kind, word, inside=False) for n, (kind, word) in enumerate(outside)]
    pairs = choose(positives, negatives, size=size, slack=slack)
    names = [r.draft.name for pair in pairs for r in (pair.negative, pair.positive)]
    assert len(set(names)) == len(names) <= size
    assert all(pair.positive.draft.in_scope and not pair.negative.draft.in_scope for pair in pairs)
    rows = Counter(r.draft.kind for pair in pairs for r in (pair.negative, pair.positive))
    assert all(count <= int(SHARES[kind] * len(names)) for kind, count in rows.items())
