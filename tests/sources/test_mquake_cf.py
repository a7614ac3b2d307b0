from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, SourceRef, Triple
from scopebench.sources import read_source

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]


def edits_of(path: Path) -> tuple[Edit, ...]:
    return tuple(edit for case in read_source("mquake_cf", [path]).cases for edit in case.edits)


def fault(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source("mquake_cf", [path])
    return caught.value


def test_every_field_of_an_akew_edit(write: Write, samples: Samples) -> None:
    record = samples["akew-mquake-cf"][1](7)
    source = read_source("mquake_cf", [write([record])])
    assert source.schemas == {"upload.json": "akew-mquake-cf"}
    (edit,) = source.cases[0].edits
    assert edit == Edit(
        edit_id="mquake_cf/7/0",
        dataset="mquake_cf",
        subject="Tolvane Bridge",
        subject_id="Q900",
        relation_id="P131",
        prompt="{} stands in",
        question="In which town does Tolvane Bridge stand?",
        target_new=FactObject(text="Pell Harbour", aliases=("Pell",), entity_id="Q902"),
        target_true=FactObject(
            text="Orsk Vale", aliases=("the Vale", "Orskvale"), entity_id="Q901"
        ),
        evidence_unstructured="Tolvane Bridge, an iron footbridge, stands in Pell Harbour.",
        evidence_triples=(
            Triple(subject="Tolvane Bridge", prompt="{} is made of", target="iron"),
            Triple(subject="Pell Harbour", prompt="{} is the home of", target="a footbridge"),
        ),
        path_entities=("Q900", "Q901", "Q903", "Q902", "Q904"),
        source=SourceRef(file="upload.json", record="7", sha256=source.files["upload.json"]),
    )
    assert edit.form == "question"


def test_mquake_itself_is_structured_only(write: Write, samples: Samples) -> None:
    source = read_source("mquake_cf", [write([samples["mquake"][1](7)])])
    assert source.schemas == {"upload.json": "mquake"}
    (edit,) = source.cases[0].edits
    assert (edit.evidence_unstructured, edit.evidence_triples) == (None, None)
    assert edit.holds("structured")
    assert not edit.holds("unstructured")
    assert not edit.holds("extracted")


def second_hop_edit(record: dict[str, Any]) -> dict[str, Any]:
    """Make the mayor of the new town an edit too, whose old mayor is on no path."""
    record["requested_rewrite"].append(
        {
            "prompt": "The mayor of {} is",
            "relation_id": "P6",
            "target_new": {"str": "Joren Pike", "id": "Q904"},
            "target_true": {"str": "Una Sedge", "id": "Q905"},
            "subject": "Pell Harbour",
            "question": "Who is the mayor of Pell Harbour?",
        }
    )
    record["orig"]["edit_triples"].append(["Q902", "P6", "Q904"])
    return record


def test_each_edit_takes_the_aliases_of_its_own_hop(write: Write, samples: Samples) -> None:
    record = second_hop_edit(samples["mquake"][1](7))
    first, second = edits_of(write([record]))
    assert (first.edit_id, second.edit_id) == ("mquake_cf/7/0", "mquake_cf/7/1")
    assert first.target_new.aliases == ("Pell",)
    assert second.target_new.aliases == ("J. Pike",)
    assert second.target_true == FactObject(text="Una Sedge", entity_id="Q905")
    assert second.subject_id == "Q902"
    assert first.path_entities == second.path_entities


def test_an_old_object_off_the_path_takes_the_aliases_of_its_name(
    write: Write, samples: Samples
) -> None:
    record = second_hop_edit(samples["mquake"][1](7))
    record["requested_rewrite"][1]["target_true"] = {"str": "Ilse Marr", "id": "Q903"}
    _, second = edits_of(write([record]))
    assert second.target_true == FactObject(
        text="Ilse Marr", aliases=("Mayor Marr",), entity_id="Q903"
    )


def test_an_object_named_by_an_alias_keeps_its_name(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    record["requested_rewrite"][0]["target_new"]["str"] = "Pell"
    (edit,) = edits_of(write([record]))
    assert edit.target_new == FactObject(text="Pell", aliases=("Pell Harbour",), entity_id="Q902")


@pytest.mark.parametrize("key", ["target_new", "target_true"])
def test_a_hop_that_answers_something_else_contradicts_the_edit(
    write: Write, samples: Samples, key: str
) -> None:
    record = samples["mquake"][1](7)
    record["requested_rewrite"][0][key]["str"] = "Farrow"
    error = fault(write([record]))
    assert (error.record, error.field) == ("7", f"requested_rewrite[0].{key}.str")
    assert "the hop that asks the same question" in error.what
    assert error.what.endswith("found 'Farrow'")


def test_two_edits_that_contradict_each_other(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    other = {
        **record["requested_rewrite"][0],
        "target_new": {"str": "Joren Pike", "id": "Q904"},
        "question": "Where is it?",
    }
    record["requested_rewrite"].append(other)
    error = fault(write([record]))
    assert error.field == "requested_rewrite[1].target_new.str"
    assert error.what == (
        "expected 'Pell Harbour', as another edit of the record sets the same relation, "
        "found 'Joren Pike'"
    )


def test_the_same_edit_twice_is_left_to_the_build(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    record["requested_rewrite"] *= 2
    twin = samples["mquake"][1](8)
    assert [edit.edit_id for edit in edits_of(write([record, twin]))] == [
        "mquake_cf/7/0",
        "mquake_cf/7/1",
        "mquake_cf/8/0",
    ]


def test_labels_stand_in_for_missing_ids(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    record["orig"]["triples"][1][2] = None
    record["orig"]["new_triples"][1] = ["Q902", "P6", " "]
    (edit,) = edits_of(write([record]))
    assert edit.path_entities == ("Q900", "Q901", "Ilse Marr", "Q902", "Joren Pike")
    del record["orig"]["triples"], record["orig"]["new_triples"]
    (edit,) = edits_of(write([record]))
    assert edit.path_entities == (
        "Tolvane Bridge",
        "Orsk Vale",
        "Ilse Marr",
        "Pell Harbour",
        "Joren Pike",
    )
    assert edit.subject_id == "Q900", "edit_triples still tell"
    del record["orig"]["triples_labeled"], record["orig"]["new_triples_labeled"]
    assert fault(write([record])).field == "orig.triples"


def test_an_end_without_id_and_label_is_bad(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    record["orig"]["triples"][1][2] = None
    record["orig"]["triples_labeled"].pop()
    error = fault(write([record]))
    assert (error.field, error.what) == (
        "orig.triples[1][2]",
        "expected an entity id, found none",
    )


def test_the_subject_id_needs_relation_and_object_to_match(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    del record["orig"]["edit_triples"]
    assert edits_of(write([record]))[0].subject_id == "Q900", "from new_triples"
    # Another subject has the same relation to the same object: the label decides.
    record["orig"]["new_triples"].append(["Q950", "P131", "Q902"])
    record["orig"]["new_triples_labeled"].append(["Old Mill", "located in", "Pell Harbour"])
    assert edits_of(write([record]))[0].subject_id == "Q900"
    del record["orig"]["new_triples_labeled"]
    assert edits_of(write([record]))[0].subject_id is None, "uncertain"
    record["orig"]["new_triples"] = [["Q900", "P17", "Q902"]]
    assert edits_of(write([record]))[0].subject_id is None, "another relation"
    record["requested_rewrite"][0]["target_new"]["id"] = None
    assert edits_of(write([record]))[0].subject_id is None


def test_absent_evidence_is_null_and_empty_evidence_is_bad(write: Write, samples: Samples) -> None:
    whole, bare, empty = (samples["akew-mquake-cf"][1](n) for n in (1, 2, 3))
    for key in ("fact_new_uns", "unsfact_triplets_GPT", "verify_unsfact_GPT"):
        del bare["requested_rewrite"][0][key]
    edit = edits_of(write([whole, bare]))[1]
    assert (edit.evidence_unstructured, edit.evidence_triples) == (None, None)
    empty["requested_rewrite"][0]["fact_new_uns"] = " "
    error = fault(write([whole, empty]))
    assert (error.record, error.field) == ("3", "requested_rewrite[0].fact_new_uns")
    assert error.what == "expected a non-empty string, found an empty one"


def test_evidence_in_a_file_that_began_without_it(write: Write, samples: Samples) -> None:
    plain = [samples["mquake"][1](n) for n in range(30)]
    error = fault(write([*plain, samples["akew-mquake-cf"][1](30)]))
    assert (error.record, error.field) == ("30", "requested_rewrite[0].fact_new_uns")
    assert "found AKEW's" in error.what


@pytest.mark.parametrize(
    ("path", "value", "field", "what"),
    [
        (("requested_rewrite",), [], "requested_rewrite", "expected at least one edit, found none"),
        (("requested_rewrite", 0, "question"), None, "requested_rewrite[0].question", "found null"),
        (("requested_rewrite", 0, "prompt"), "x", "requested_rewrite[0].prompt", "found it 0 time"),
        (("requested_rewrite", 0, "prompt"), "{} {}", "requested_rewrite[0].prompt", "2 times"),
        (
            ("requested_rewrite", 0, "target_new"),
            "x",
            "requested_rewrite[0].target_new",
            "a string",
        ),
        (
            ("requested_rewrite", 0, "verify_unsfact_GPT"),
            "yes",
            "requested_rewrite[0].verify_unsfact_GPT",
            "expected a boolean",
        ),
        (
            ("requested_rewrite", 0, "unsfact_triplets_GPT", 1, "prompt"),
            "is near",
            "requested_rewrite[0].unsfact_triplets_GPT[1].prompt",
            "found it 0 times",
        ),
        (("single_hops",), None, "single_hops", "expected a list of objects, found null"),
        (("new_single_hops", 0, "answer_alias"), "Pell", "new_single_hops[0].answer_alias", "list"),
        (("orig",), [], "orig", "expected an object, found a list"),
        (("orig", "triples", 0), ["Q1"], "orig.triples[0]", "expected 3 strings, found 1"),
    ],
)
def test_bad_fields_are_named(
    write: Write, samples: Samples, path: tuple[Any, ...], value: object, field: str, what: str
) -> None:
    record = samples["akew-mquake-cf"][1](4)
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    error = fault(write([samples["akew-mquake-cf"][1](3), record]))
    assert (error.record, error.field) == ("4", field)
    assert what in error.what
    assert "--on-bad-record skip" in str(error)
