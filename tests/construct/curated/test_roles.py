"""Which edits are deleted, and for which kind."""

from __future__ import annotations

from collections import Counter

from scopebench.construct.checks.world import World
from scopebench.construct.curated.roles import DELETED_SHARE, deleted_edits
from scopebench.construct.direct import Layout, direct_queries
from scopebench.construct.other_names import OtherNames
from scopebench.construct.true_values import TrueValues

BORN = ("P19", "{} was born in the city of")
PLAYS = ("P1303", "The instrument played by {} is")
CAPITAL = ("P36", "The capital of {} is")


def chosen(edits, *, units=None, clusters=None):
    ids = [edit.edit_id for edit in edits]
    clusters = clusters or {edit_id: edit_id for edit_id in ids}
    layout = Layout(
        clusters,
        ("subject",),
        dict.fromkeys(clusters.values(), "test"),
        units or {edit_id: (edit_id,) for edit_id in ids},
        frozenset(),
    )
    directs, _ = direct_queries(edits, TrueValues.of([]))
    return deleted_edits(directs, World.of(edits), OtherNames([]), layout, seed=0)


def test_one_of_two_edits_of_a_subject_is_deleted_and_the_other_stays(fact):
    edits = [fact("1", "Mara Venn", *BORN), fact("2", "Mara Venn", *PLAYS, new="harp")]
    found = chosen(edits)
    assert list(found.values()) == ["same_subject"]


def test_a_label_that_two_things_bear_makes_no_same_subject(fact):
    city, person = fact("1", "Lund", *CAPITAL), fact("2", "Lund", *PLAYS, new="harp")
    assert "same_subject" not in chosen([city, person]).values()
    ids = [
        edit.model_copy(update={"subject_id": "Q1"}) for edit in (city, person)
    ]  # the source knows better
    assert "same_subject" in chosen(ids).values()


def test_a_unit_is_deleted_whole_or_not_at_all(fact):
    edits = [fact(str(n), f"Town {n}", *CAPITAL) for n in range(8)]
    units = {edit.edit_id: (edit.edit_id,) for edit in edits}
    pair = ("towns/0/0", "towns/1/0")
    units.update(dict.fromkeys(pair, pair))
    clusters = {edit.edit_id: edit.edit_id for edit in edits} | dict.fromkeys(pair, "pair")
    found = chosen(edits, units=units, clusters=clusters)
    assert ("towns/0/0" in found) is ("towns/1/0" in found)


def test_about_a_quarter_is_deleted(fact):
    names = [
        f"{a}{b}" for a in ("Arden", "Belmo", "Corri", "Dunst") for b in ("brook", "gate", "x")
    ]
    edits = [fact(str(n), name, *CAPITAL) for n, name in enumerate(names)]
    found = chosen(edits)
    assert Counter(found.values()) == {"refilled": round(DELETED_SHARE * len(edits))}
