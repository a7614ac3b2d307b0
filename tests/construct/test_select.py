from __future__ import annotations

import pytest

from scopebench.construct.select import in_order, limit_cases, select_edits
from scopebench.errors import DataError
from scopebench.records import FactObject
from scopebench.sources.case import Case


def ids(edits):
    return [edit.edit_id for edit in edits]


def dropped(drops):
    return [(drop.reason, drop.edit_id) for drop in drops]


def test_edits_of_one_fact_collapse_to_the_first(make_edit):
    kept, drops = select_edits(
        [
            make_edit("1", subject="Élan", new="Vell"),
            make_edit("2", subject="elan", new="VELL"),
            make_edit("3", subject="Elan", prompt="{} is ruled from", new="Vell"),
        ]
    )
    assert ids(kept) == ["mquake_cf/1/0", "mquake_cf/3/0"]
    assert dropped(drops) == [("duplicate_edit", "mquake_cf/2/0")]


def test_contradictory_edits_are_all_dropped(make_edit):
    kept, drops = select_edits(
        [
            make_edit("1", subject="Elan", new="Vell"),
            make_edit("2", subject="Elan", new="Dunmere"),
            make_edit("3", subject="Elan", new="Vell"),
            make_edit("4", subject="Other", new="Vell"),
        ]
    )
    assert ids(kept) == ["mquake_cf/4/0"]
    assert dropped(drops) == [("contradictory_edit", f"mquake_cf/{n}/0") for n in (1, 2, 3)]


def test_a_relation_id_joins_two_templates_and_an_entity_id_parts_two_names(make_edit):
    kept, drops = select_edits(
        [
            make_edit("1", subject="Jo Lind", subject_id="E7", relation_id="R1", new="Vell"),
            make_edit(
                "2",
                subject="J. Lind",
                subject_id="E7",
                relation_id="R1",
                prompt="of {}",
                new="Vell",
            ),
            make_edit("3", subject="Jo Lind", subject_id="E8", relation_id="R1", new="Dunmere"),
        ]
    )
    assert ids(kept) == ["mquake_cf/1/0", "mquake_cf/3/0"]
    assert dropped(drops) == [("duplicate_edit", "mquake_cf/2/0")]


def test_a_missing_id_is_taken_from_the_only_bearer_of_the_name(make_edit):
    kept, drops = select_edits(
        [
            make_edit("1", subject="Jo Lind", subject_id="E7", relation_id="R1", new="Vell"),
            make_edit("2", subject="Jo Lind", new="Dunmere"),
        ]
    )
    assert kept == ()
    assert {drop.reason for drop in drops} == {"contradictory_edit"}


def test_objects_with_one_id_do_not_contradict(make_edit):
    long, short = (FactObject(text=text, entity_id="E1") for text in ("Kingdom of Vell", "Vell"))
    kept, drops = select_edits(
        [make_edit("1", subject="Elan", new=long), make_edit("2", subject="Elan", new=short)]
    )
    assert ids(kept) == ["mquake_cf/1/0"]
    assert dropped(drops) == [("duplicate_edit", "mquake_cf/2/0")]


def test_an_edit_that_changes_nothing_is_dropped_and_contradicts_nobody(make_edit):
    kept, drops = select_edits(
        [
            make_edit("1", subject="Elan", new="Vell", old="vell"),
            make_edit("2", subject="Elan", new="Dunmere", old="Vell"),
        ]
    )
    assert ids(kept) == ["mquake_cf/2/0"]
    assert dropped(drops) == [("no_change", "mquake_cf/1/0")]


def test_order_is_natural_and_an_id_used_twice_is_refused(make_edit):
    cases = [Case("mquake_cf", case, (make_edit(case),)) for case in ("10", "9")]
    assert ids(in_order(cases)) == ["mquake_cf/9/0", "mquake_cf/10/0"]
    with pytest.raises(DataError, match=r"two edits have the id mquake_cf/9/0"):
        in_order([*cases, cases[1]])


def test_a_limit_takes_whole_cases_whatever_their_order(make_edit):
    cases = [
        Case("mquake_cf", str(n), tuple(make_edit(str(n), at) for at in range(1 + n % 3)))
        for n in range(30)
    ]
    chosen = limit_cases(cases, 20, seed=3)
    assert sum(len(case.edits) for case in chosen) == 20
    assert set(chosen) == set(limit_cases(cases[::-1], 20, seed=3))
    assert set(chosen) != set(limit_cases(cases, 20, seed=4))
    assert limit_cases(cases, None, seed=3) == tuple(cases)
