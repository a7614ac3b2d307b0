from __future__ import annotations

from scopebench.construct.known_aliases import with_known_aliases
from scopebench.records import FactObject
from scopebench.sources.case import Case, Probe


def probe(*answers):
    return Probe("other_relation", "p", "x", "cloze", before=answers, after=answers)


def test_objects_take_the_aliases_that_probes_give_their_label(make_edit):
    edit = make_edit("1", new="Vell", old="Lund")
    cases = (Case("d", "1", (edit,), (probe("vell", "Vellmark", "V"), probe("Oss", "O"))),)
    (enriched,) = with_known_aliases(cases)[0].edits
    assert enriched.target_new == FactObject(text="Vell", aliases=("Vellmark", "V"))
    assert enriched.target_true == FactObject(text="Lund")


def test_a_label_of_two_things_keeps_what_both_accept(make_edit):
    edit = make_edit("1", new="Vell")
    probes = (probe("Vell", "Vellmark", "V"), probe("Vell", "V", "Old Vell"))
    (enriched,) = with_known_aliases((Case("d", "1", (edit,), probes),))[0].edits
    assert enriched.target_new.aliases == ("V",)


def test_a_data_set_with_aliases_of_its_own_is_left_as_it_is(make_edit):
    told = make_edit("1", new=FactObject(text="Oss", aliases=("O",)))
    other = make_edit("2", new="Vell")
    cases = (Case("d", "1", (told,)), Case("d", "2", (other,), (probe("Vell", "V"),)))
    assert with_known_aliases(cases) == cases
