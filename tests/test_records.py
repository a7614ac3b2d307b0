"""The records: closed, frozen, and described by the exported schema."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

from scopebench.errors import DataError, ScopeBenchError
from scopebench.records import (
    ACTIONS,
    EXPORTED,
    SCHEMA_VERSION,
    Edit,
    Estimate,
    FactObject,
    Inference,
    Outcome,
    Query,
    Report,
    RouterRow,
    RunResult,
    SourceRef,
    Triple,
    json_schema,
)

DOCS = Path(__file__).resolve().parent.parent / "docs"
SOURCE = SourceRef(file="facts.json", record="7", sha256="0" * 64)


def make_edit(**changes: object) -> Edit:
    fields: dict[str, object] = {
        "edit_id": "counterfact/7/0",
        "dataset": "counterfact",
        "subject": "Lake Vostok",
        "prompt": "{} lies in",
        "target_new": FactObject(text="Peru", aliases=("Republic of Peru", "Peru")),
        "target_true": FactObject(text="Antarctica"),
        "source": SOURCE,
    }
    return Edit.model_validate(fields | changes)


def test_edit_derives_its_wordings() -> None:
    edit = make_edit()
    assert edit.case == "7"
    assert edit.cloze == "Lake Vostok lies in"
    assert edit.statement == "Lake Vostok lies in Peru."
    assert (edit.asked, edit.form) == ("Lake Vostok lies in", "cloze")
    asked = make_edit(question="Where is Lake Vostok?")
    assert (asked.asked, asked.form) == ("Where is Lake Vostok?", "question")


def test_object_answers_hold_the_label_first_and_once() -> None:
    assert make_edit().target_new.answers == ("Peru", "Republic of Peru")


def test_edit_holds_only_conditions_it_has_evidence_for() -> None:
    bare = make_edit()
    assert [bare.holds(c) for c in ("structured", "unstructured", "extracted")] == [
        True,
        False,
        False,
    ]
    triple = Triple(subject="Lake Vostok", prompt="{} lies in", target="Peru")
    full = make_edit(evidence_unstructured="It lies in Peru.", evidence_triples=(triple,))
    assert full.holds("unstructured")
    assert full.holds("extracted")


def test_records_are_frozen_and_closed() -> None:
    edit = make_edit()
    with pytest.raises(ValidationError):
        edit.subject = "another"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="colour"):
        make_edit(colour="blue")
    with pytest.raises(ValidationError):
        make_edit(subject="")


def test_query_scope_follows_its_label() -> None:
    query = Query(
        query_id="counterfact/7/0/direct/withheld",
        dataset="counterfact",
        population="withheld",
        kind="direct",
        question="Where?",
        form="question",
        answers=None,
        pre_edit_answers=None,
        governing_edit_ids=(),
        cluster="counterfact/7/0",
        fold="test",
        source=SOURCE,
    )
    assert not query.in_scope
    assert query.model_copy(update={"governing_edit_ids": ("counterfact/7/0",)}).in_scope


def test_an_outcome_is_the_first_draw_unless_it_says_otherwise() -> None:
    fields: dict[str, object] = {
        "query_id": "q",
        "condition": "structured",
        "action": "reason",
        "legal": False,
        **dict.fromkeys(("text", "correct", "correct_paper", "refused")),
    }
    assert Outcome.model_validate(fields).draw == 0
    assert Outcome.model_validate(fields | {"draw": 2}).draw == 2


EMPTY: dict[str, object] = {
    "actions": ACTIONS,
    "static_rule": "recite where legal, else reason",
    "inference": Inference(confidence=0.95, seed=0, resamples=2000, folds=5),
    **dict.fromkeys(
        (
            *("cells", "pooled", "strata", "kinds", "router", "policies", "mixes"),
            *("comparisons", "noise"),
        ),
        (),
    ),
}


def test_a_run_is_a_report_with_what_was_run() -> None:
    """So that whoever reads a report of one's own outcomes reads `run.json` the same way."""
    report = Report.model_validate(EMPTY)
    assert report.missing == {}
    assert issubclass(RunResult, Report)
    own = set(RunResult.model_fields) - set(Report.model_fields)
    assert own >= {"schema_version", "run_id", "protocol", "editor", "model", "paper_matcher"}
    assert RunResult.model_fields["paper_matcher"].annotation is Report
    assert RunResult.model_fields["schema_version"].default == SCHEMA_VERSION == 3
    with pytest.raises(ValidationError, match="run_id"):
        RunResult.model_validate(EMPTY)


@pytest.mark.parametrize("section", [name for name, value in EMPTY.items() if value == ()])
def test_a_report_leaves_out_no_section(section: str) -> None:
    with pytest.raises(ValidationError, match=section):
        Report.model_validate({name: value for name, value in EMPTY.items() if name != section})


def test_undefined_is_null_and_never_left_out() -> None:
    """A number that is not computed must be written as null, which asks for its reason."""
    value = {"value": None, "low": None, "high": None, "method": None}
    assert Estimate.model_validate(value).model_dump() == value
    for name in value:
        with pytest.raises(ValidationError, match=name):
            Estimate.model_validate({field: None for field in value if field != name})
    optional = {name for name, field in RouterRow.model_fields.items() if not field.is_required()}
    assert optional == {"dataset", "condition", "kind", "stratum", "undefined"}


def test_a_report_survives_json() -> None:
    report = Report.model_validate(EMPTY | {"missing": {"draw": "No noise."}})
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_every_exported_record_is_in_the_schema() -> None:
    definitions = json_schema()["$defs"]
    assert {record.__name__ for record in EXPORTED} <= set(definitions)
    assert {"Cell", "RouterRow", "PolicyRow", "MixRow", "Comparison", "NoiseRow"} <= set(
        definitions
    )


def test_exported_schema_is_current_and_valid() -> None:
    module = runpy.run_path(str(DOCS / "export_schema.py"))
    text = (DOCS / "records.schema.json").read_text(encoding="utf-8")
    assert text == module["render"](), "run `make docs` after changing a record"
    document = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(document)


def test_schema_accepts_what_the_records_write_and_refuses_more() -> None:
    document = json_schema()
    edit_schema = {"$ref": "#/$defs/Edit", "$defs": document["$defs"]}
    written = make_edit().model_dump(mode="json")
    jsonschema.validate(written, edit_schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(written | {"colour": "blue"}, edit_schema)


def test_every_exported_field_is_described() -> None:
    for name, definition in json_schema()["$defs"].items():
        for field, schema in definition["properties"].items():
            assert schema.get("description"), f"{name}.{field} has no sentence"


def test_data_error_says_what_where_and_what_to_do() -> None:
    error = DataError(
        "empty target", file="a.json", record=3, field="target_new.str", fix="fill it"
    )
    assert str(error) == "file a.json, record 3, field target_new.str: empty target; fill it"
    assert isinstance(error, ScopeBenchError)
    assert str(DataError("nothing to read")) == "nothing to read"


def test_the_page_of_kinds_is_the_one_rendered() -> None:
    module = runpy.run_path(str(DOCS / "export_kinds.py"))
    text = (DOCS / "kinds.md").read_text(encoding="utf-8")
    assert text == module["render"](), "run `make docs` after changing a kind or a check"
