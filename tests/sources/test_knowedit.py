"""RippleEdits and zsRE, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, SourceRef
from scopebench.sources import Case, read_source
from scopebench.sources.case import Probe

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]

FORMS = ["knowedit-rippleedits", "knowedit-zsre", "mend-zsre"]


def only_case(dataset: str, path: Path) -> Case:
    (case,) = read_source(dataset, [path]).cases
    return case


def fault(dataset: str, path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source(dataset, [path])
    return caught.value


def test_a_rippleedits_record(write: Write, samples: Samples) -> None:
    case = only_case("rippleedits", write([samples["knowedit-rippleedits"][1]()]))
    (edit,) = case.edits
    assert edit == Edit(
        edit_id="rippleedits/0/0",
        dataset="rippleedits",
        subject="Tolvane Bridge",
        prompt="The name of the town which {} stands in is",
        target_new=FactObject(text="Pell Harbour"),
        target_true=FactObject(text="Orsk Vale"),
        source=SourceRef(file="upload.json", record="0", sha256=edit.source.sha256),
    )
    renamed, entailed, composed, other, value = case.probes
    assert renamed == Probe(
        role="alias",
        field="portability.Subject_Aliasing[0].prompt",
        question="The name of the town which the Iron Span stands in is",
        form="cloze",
        edit_id="rippleedits/0/0",
        subject="the Iron Span",
        before=("Orsk Vale",),
        after=("Pell Harbour", "Pell"),
        objects=(("Pell Harbour", "Pell"),),
    )
    assert (entailed.role, entailed.subject, entailed.before, entailed.after) == (
        "entailed",
        "Tolvane Bridge",
        None,
        ("Pellshire",),
    )
    assert (composed.role, composed.subject, composed.before, composed.after) == (
        "composed",
        None,
        None,
        ("Joren Pike", "J. Pike", "Una Sedge"),
    )
    assert composed.objects == (("Joren Pike", "J. Pike"), ("Una Sedge",))
    # The one without an answer is left out; the one that asks for another value tells it alone.
    assert (other.role, other.field) == (
        "other_relation",
        "locality.Relation_Specificity[0].prompt",
    )
    assert other.subject == "Tolvane Bridge"
    assert other.before == other.after == ("90 m",)
    assert (value.role, value.field) == ("other_value", "locality.Forgetfulness[0].prompt")
    assert value.before == value.after


def test_further_old_objects_are_other_values(write: Write, samples: Samples) -> None:
    record = samples["knowedit-rippleedits"][1]()
    record["ground_truth"] = [["Orsk Vale", "the Vale"], ["Lund"], ["Oss", "Ossa"]]
    case = only_case("rippleedits", write([record]))
    assert case.edits[0].target_true == FactObject(text="Orsk Vale", aliases=("the Vale",))
    told = [probe for probe in case.probes if probe.field == "ground_truth"]
    assert [(probe.role, probe.objects) for probe in told] == [
        ("other_value", (("Lund",), ("Oss", "Ossa")))
    ]


@pytest.mark.parametrize(
    ("value", "old"),
    [
        ("Orsk Vale", FactObject(text="Orsk Vale")),
        (["Orsk Vale", "the Vale"], FactObject(text="Orsk Vale", aliases=("the Vale",))),
        ([["Orsk Vale", " the Vale "], []], FactObject(text="Orsk Vale", aliases=("the Vale",))),
        (None, None),
    ],
)
def test_the_old_object_of_rippleedits(
    write: Write, samples: Samples, value: object, old: FactObject | None
) -> None:
    record = samples["knowedit-rippleedits"][1]()
    record["ground_truth"] = value
    case = only_case("rippleedits", write([record]))
    assert case.edits[0].target_true == old
    assert case.probes[0].before == (None if old is None else old.answers)
    del record["ground_truth"]
    assert only_case("rippleedits", write([record])).edits[0].target_true is None


def test_a_knowedit_zsre_record(write: Write, samples: Samples) -> None:
    case = only_case("zsre", write([samples["knowedit-zsre"][1]()]))
    (edit,) = case.edits
    assert edit.prompt == "Which town is {} in?"
    assert edit.question == edit.asked == "Which town is Tolvane Bridge in?"
    assert edit.target_true == FactObject(text="Orsk Vale", aliases=("Orskvale",))
    assert [(p.role, p.form, p.subject) for p in case.probes] == [
        ("paraphrase", "question", "Tolvane Bridge"),
        ("alias", "question", None),
        ("composed", "question", None),
        ("other_relation", "cloze", "Tolvane Bridge"),
    ]
    assert case.probes[1].after == ("Pell Harbour",)


def test_a_mend_record(write: Write, samples: Samples) -> None:
    record = samples["mend-zsre"][1]()
    case = only_case("zsre", write([record]))
    assert case.edits[0].target_new.text == "Pell Harbour"
    assert [(p.role, p.field, p.question, p.subject) for p in case.probes] == [
        (
            "paraphrase",
            "rephrase",
            "In which town does Tolvane Bridge stand?",
            "Tolvane Bridge",
        ),
        ("alias", "alter_subject_question", "Which town is the Iron Span in?", "the Iron Span"),
    ]
    del record["alternative_subject"], record["alter_subject_question"]
    assert len(only_case("zsre", write([record])).probes) == 1


@pytest.mark.parametrize("schema", FORMS)
def test_the_subject_must_be_in_the_sentence(write: Write, samples: Samples, schema: str) -> None:
    dataset, make = samples[schema]
    error = fault(dataset, write([make(), {**make(), "subject": "Tolvane bridge"}]))
    assert (error.record, error.field) == ("1", "src" if schema == "mend-zsre" else "prompt")


def test_a_new_object_among_several_old_ones_changes_nothing(
    write: Write, samples: Samples
) -> None:
    record = {**samples["mend-zsre"][1](), "alt": "orskvale"}
    assert fault("zsre", write([record])).field == "alt"
    record = {**samples["knowedit-rippleedits"][1](), "target_new": "orsk vale"}
    assert fault("rippleedits", write([record])).field == "target_new"


@pytest.mark.parametrize(
    ("schema", "change", "field"),
    [
        ("knowedit-rippleedits", {"ground_truth": ""}, "ground_truth"),
        ("knowedit-rippleedits", {"ground_truth": 5}, "ground_truth"),
        ("knowedit-rippleedits", {"portability": []}, "portability"),
        ("knowedit-rippleedits", {"locality": {"Relation_Specificity": {}}}, None),
        (
            "knowedit-rippleedits",
            {"portability": {"Reasoning": [{"prompt": "x", "ground_truth": [["y", 5]]}]}},
            "portability.Reasoning[0].ground_truth[0][1]",
        ),
        (
            "knowedit-rippleedits",
            {"portability": {"Reasoning": [{"prompt": "", "ground_truth": "y"}]}},
            "portability.Reasoning[0].prompt",
        ),
        ("knowedit-zsre", {"ground_truth": []}, "ground_truth"),
        ("knowedit-zsre", {"rephrase_prompt": 5}, "rephrase_prompt"),
        ("mend-zsre", {"answers": ["x", None]}, "answers[1]"),
        ("mend-zsre", {"alter_subject_question": 5}, "alter_subject_question"),
    ],
)
def test_bad_fields_are_named(
    write: Write, samples: Samples, schema: str, change: dict[str, Any], field: str | None
) -> None:
    dataset, make = samples[schema]
    error = fault(dataset, write([make(), {**make(), **change}]))
    assert error.record == "1"
    assert error.field == (field or "locality.Relation_Specificity")
