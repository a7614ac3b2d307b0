from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, SourceRef
from scopebench.sources import read_source

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]


def only_edit(path: Path) -> Edit:
    (case,) = read_source("counterfact", [path]).cases
    (edit,) = case.edits
    return edit


def fault(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source("counterfact", [path])
    return caught.value


def test_every_field_of_a_canonical_edit(write: Write, samples: Samples) -> None:
    edit = only_edit(write([samples["counterfact"][1](7)]))
    assert edit == Edit(
        edit_id="counterfact/7/0",
        dataset="counterfact",
        subject="Wenna Brock",
        relation_id="P106",
        prompt="The trade of {} is",
        target_new=FactObject(text="glazier", entity_id="Q911"),
        target_true=FactObject(text="cooper", entity_id="Q910"),
        source=SourceRef(file="upload.json", record="7", sha256=edit.source.sha256),
    )
    assert (edit.form, edit.asked) == ("cloze", "The trade of Wenna Brock is")


def test_a_flat_edit_is_the_canonical_one_without_ids(write: Write, samples: Samples) -> None:
    path = write([samples["counterfact-flat"][1](7)])
    assert read_source("counterfact", [path]).schemas == {"upload.json": "counterfact-flat"}
    flat = only_edit(path)
    canonical = only_edit(write([samples["counterfact"][1](7)], "canonical.json"))
    assert flat == canonical.model_copy(
        update={
            "relation_id": None,
            "target_new": FactObject(text="glazier"),
            "target_true": FactObject(text="cooper"),
            "source": flat.source,
        }
    )


@pytest.mark.parametrize(
    ("prompt", "subject", "template"),
    [
        ("Romeo moved to Rome", "Rome", "Romeo moved to {}"),
        ("Rome, the Rome of old, is", "Rome", "{}, the Rome of old, is"),
        ("Romeo's town is", "Rome", "{}o's town is"),
        ("The end of C++ is", "C++", "The end of {} is"),
        ("snake_case and case", "case", "snake_case and {}"),
        ("  Łódź lies in ", " Łódź", "{} lies in"),
        ("Anna is Annan", "Anna is Annan", "{}"),
    ],
)
def test_the_subject_of_a_flat_prompt_becomes_the_slot(
    write: Write, samples: Samples, prompt: str, subject: str, template: str
) -> None:
    record = {**samples["counterfact-flat"][1](7), "prompt": prompt, "subject": subject}
    edit = only_edit(write([record]))
    assert edit.prompt == template
    assert edit.cloze == prompt.strip()


@pytest.mark.parametrize(
    ("prompt", "what"),
    [
        ("The trade of wenna brock is", "expected the subject 'Wenna Brock' in it"),
        ("The trade of {} is", "expected the subject in the prompt, found {}"),
        ("{} Wenna Brock is", "expected the subject in the prompt, found {}"),
    ],
)
def test_a_flat_prompt_must_hold_the_subject(
    write: Write, samples: Samples, prompt: str, what: str
) -> None:
    error = fault(write([{**samples["counterfact-flat"][1](7), "prompt": prompt}]))
    assert error.field == "prompt"
    assert what in error.what


def test_every_field_of_an_akew_edit(write: Write, samples: Samples) -> None:
    path = write([samples["akew-counterfact"][1](7)])
    assert read_source("counterfact", [path]).schemas == {"upload.json": "akew-counterfact"}
    edit = only_edit(path)
    assert edit.prompt == "What is the trade of {}? It is"
    assert edit.question == edit.asked == "What is the trade of Wenna Brock? It is what?"
    assert edit.relation_id == "P106"
    assert edit.target_new == FactObject(
        text="glazier", aliases=("glass fitter",), entity_id="Q911"
    )
    assert edit.target_true == FactObject(
        text="cooper", aliases=("barrel maker",), entity_id="Q910"
    )
    assert edit.holds("unstructured")
    assert edit.holds("extracted")
    assert (edit.time_true, edit.time_new) == (None, None)


def test_the_aliases_of_akew_go_by_either_spelling(write: Write, samples: Samples) -> None:
    record = samples["akew-counterfact"][1](7)
    rewrite = record["requested_rewrite"]
    rewrite["answer_new_alias"] = rewrite.pop("answer_new_aliases")
    assert only_edit(write([record])).target_new.aliases == ("glass fitter",)
    del rewrite["answer_new_alias"]
    error = fault(write([record]))
    assert error.field == "requested_rewrite.answer_new_aliases"
    assert error.what == "the field is missing; expected a list of strings"


def test_an_answer_that_differs_from_the_target_keeps_it_as_alias(
    write: Write, samples: Samples
) -> None:
    record = samples["akew-counterfact"][1](7)
    record["requested_rewrite"]["answer_new"] = "a glazier"
    assert only_edit(write([record])).target_new == FactObject(
        text="a glazier", aliases=("glazier", "glass fitter"), entity_id="Q911"
    )


@pytest.mark.parametrize(
    "field", ["question", "answer_new", "answer_true", "answer_true_aliases", "relation_id"]
)
def test_akew_fields_are_required(write: Write, samples: Samples, field: str) -> None:
    record = samples["akew-counterfact"][1](7)
    del record["requested_rewrite"][field]
    error = fault(write([record]))
    assert error.field == f"requested_rewrite.{field}"
    assert "the field is missing" in error.what


def test_akew_fields_in_a_file_that_began_without_them(write: Write, samples: Samples) -> None:
    plain = [samples["counterfact"][1](n) for n in range(30)]
    error = fault(write([*plain, samples["akew-counterfact"][1](30)]))
    assert (error.record, error.field) == ("30", "requested_rewrite.question")
    assert "found one of AKEW's" in error.what


@pytest.mark.parametrize(
    ("new", "old"),
    [("Cooper", "cooper"), ("STRASSE", "straße"), (" cooper ", "cooper")],
)
def test_an_edit_must_change_something(write: Write, samples: Samples, new: str, old: str) -> None:
    record = {**samples["counterfact-flat"][1](7), "target_new": new, "ground_truth": old}
    error = fault(write([record]))
    assert error.field == "target_new"
    assert "expected an object other than the old one" in error.what


def test_one_entity_under_two_names_changes_nothing(write: Write, samples: Samples) -> None:
    record = samples["counterfact"][1](7)
    record["requested_rewrite"]["target_new"]["id"] = "Q910"
    assert fault(write([record])).field == "requested_rewrite.target_new"
    record["requested_rewrite"]["target_new"]["id"] = None
    record["requested_rewrite"]["target_true"].pop("id")
    edit = only_edit(write([record]))
    assert (edit.target_new.entity_id, edit.target_true and edit.target_true.entity_id) == (
        None,
        None,
    )
