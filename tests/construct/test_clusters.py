from __future__ import annotations

import pytest

from scopebench.construct.clusters import cluster_edits, components, fact_units


def clusters_of(*edits):
    return cluster_edits(edits, [edit.edit_id for edit in edits])


def linked(first, second):
    of_edit = clusters_of(first, second).of_edit
    return of_edit[first.edit_id] == of_edit[second.edit_id]


def test_nodes_that_share_a_key_are_one_component_whatever_the_chain():
    assert components([{"a"}, {"b"}, {"c"}, {"b", "c"}, set()]) == [0, 1, 1, 1, 2]
    assert components([]) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"subject": "Castor"}, {"subject": "castor"}),
        ({"subject": "Castor", "subject_id": "E1"}, {"subject": "Pollux", "subject_id": "E1"}),
        ({"subject": "Castor Drive II"}, {"subject": "Castor Drive III"}),
        ({"subject": "St. Olm"}, {"subject": "St Olm"}),
        ({"subject": "Castor", "question": "Where?"}, {"subject": "Pollux", "question": "where?"}),
        ({"subject": "Castor"}, {"subject": "Pollux", "path_entities": ("CASTOR",)}),
        ({"subject": "Castor", "subject_id": "E1"}, {"subject": "P", "path_entities": ("E1",)}),
    ],
)
def test_links(make_edit, first, second):
    assert linked(make_edit("1", **first), make_edit("2", **second))
    assert linked(make_edit("2", **second), make_edit("1", **first))


def test_edits_of_one_case_are_linked(make_edit):
    assert linked(make_edit("1", 0, subject="Castor"), make_edit("1", 1, subject="Pollux"))


def test_no_link_through_equal_objects_relations_or_unedited_path_entities(make_edit):
    assert not linked(
        make_edit("1", subject="Castor", path_entities=("Vell", "E5")),
        make_edit("2", subject="Pollux", path_entities=("Vell", "E5")),
    )


def test_a_cluster_is_named_after_its_first_edit(make_edit):
    edits = [make_edit("1", subject="A"), make_edit("2", subject="B"), make_edit("3", subject="b")]
    assert clusters_of(*edits).of_edit == {
        "mquake_cf/1/0": "mquake_cf/1/0",
        "mquake_cf/2/0": "mquake_cf/2/0",
        "mquake_cf/3/0": "mquake_cf/2/0",
    }


def test_a_dropped_duplicate_still_ties_its_case(make_edit):
    edits = [
        make_edit("1", subject="Castor"),
        make_edit("2", 0, subject="Castor"),
        make_edit("2", 1, subject="Pollux"),
    ]
    kept = ["mquake_cf/1/0", "mquake_cf/2/1"]
    assert set(cluster_edits(edits, kept).of_edit.values()) == {"mquake_cf/1/0"}


def test_a_link_that_makes_a_giant_is_given_up(make_edit):
    # 12 of 20 edits have the hub on their path, and it is edited: more than 10 and than a quarter.
    hub = make_edit("0", subject="Hub")
    names = ["Ardenbrook", "Corriston", "Dunmere", "Eskerfold", "Fenwharf", "Galtonby", "Hulm"]
    names += ["Ivarness", "Jessop", "Kelderay", "Lornmouth", "Mirefoot", "Nethy", "Oxwold"]
    names += ["Pellworth", "Quellmouth", "Rushamber", "Stavely", "Thirlby"]
    spokes = [
        make_edit(str(n), subject=name, path_entities=("Hub",) if n <= 12 else ())
        for n, name in enumerate(names, start=1)
    ]
    found = clusters_of(hub, *spokes)
    assert found.links == ("subject", "case")
    assert len(set(found.of_edit.values())) == 20
    smaller = clusters_of(hub, *spokes[:9])  # ten edits together are no giant
    assert smaller.links == ("subject", "case", "path")
    assert len(set(smaller.of_edit.values())) == 1


def test_a_unit_is_a_fact_in_all_its_wordings(make_edit):
    edits = [
        make_edit("1", subject="Jo", prompt="{} speaks", new="Vellish", old="Dunmerian"),
        make_edit("2", subject="Jo", prompt="{} spoke", new="Vellish", old="Dunmerian"),
        make_edit("3", subject="Jo", prompt="{} sings in", new="Vellish", old="Ostmarkish"),
    ]
    both = ("mquake_cf/1/0", "mquake_cf/2/0")
    assert fact_units(edits) == {
        "mquake_cf/1/0": both,
        "mquake_cf/2/0": both,
        "mquake_cf/3/0": ("mquake_cf/3/0",),
    }
