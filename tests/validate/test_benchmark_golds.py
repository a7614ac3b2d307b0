"""Golds, kinds, dates and counts of a built benchmark, on a sound one that is broken by hand."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct.tables import read_records, write_records
from scopebench.records import Edit, Query
from scopebench.validate import Validation, validate_path

ORIGINAL = "mills_structured/original.parquet"
WITHHELD = "mills_structured/withheld.parquet"
CURATED = "mills_structured/curated.parquet"

Change = Callable[[Query], dict[str, Any]]


@pytest.fixture
def built(mills: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(mills, tmp_path / "built"))


def _break(folder: Path, path: str, chosen: Callable[[Query], bool], change: Change) -> Query:
    """Change the first row that is chosen, bring the hash up to date, and return the row it was."""
    rows = list(read_records(folder / path, Query))
    at = next(n for n, row in enumerate(rows) if chosen(row))
    was = rows[at]
    rows[at] = was.model_copy(update=change(was))
    write_records(tuple(rows), Query, folder / path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][path] = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return was


def _found(validation: Validation, *checks: str) -> list[tuple[str, str | None, str | None]]:
    return [(f.check, f.record, f.field) for f in validation.findings if f.check in checks]


def _is(kind: str, *, in_scope: bool = True) -> Callable[[Query], bool]:
    return lambda row: row.kind == kind and row.in_scope is in_scope


def test_a_sound_benchmark_has_no_error_and_the_kinds_that_are_broken_here(built: Path) -> None:
    validation = validate_path(built)
    assert validation.number_of("error") == validation.number_of("warning") == 0
    kinds = {(row.kind, row.in_scope) for row in read_records(built / CURATED, Query)}
    made = {("direct", True), ("paraphrase", True), ("refilled", False), ("temporal", True)}
    assert made <= kinds


@pytest.mark.parametrize(
    ("path", "kind", "in_scope"),
    [
        (ORIGINAL, "direct", True),
        (WITHHELD, "direct", True),
        (WITHHELD, "direct", False),
        (CURATED, "direct", True),
        (CURATED, "paraphrase", True),
        (CURATED, "refilled", False),
    ],
)
@pytest.mark.parametrize("field", ["answers", "pre_edit_answers"])
def test_answers_that_are_not_those_of_the_edit(
    built: Path, path: str, kind: str, in_scope: bool, field: str
) -> None:
    was = _break(built, path, _is(kind, in_scope=in_scope), lambda row: {field: ("Nobody Orr",)})
    found = _found(validate_path(built), "gold_not_of_edit")
    assert found == [("gold_not_of_edit", was.query_id, field)]


def test_an_alias_or_the_order_of_answers_counts(built: Path) -> None:
    chosen = _is("direct")
    assert _break(built, ORIGINAL, chosen, lambda row: {}).answers == ("Keeper Aorn", "CO")
    for answers in (("Keeper Aorn",), ("CO", "Keeper Aorn"), ("Keeper Aorn", "CO", "Keeper")):
        _break(built, ORIGINAL, chosen, lambda row, told=answers: {"answers": told})
        assert _found(validate_path(built), "gold_not_of_edit")
    # A curated row is without the alias that a refusal holds.
    was = _break(built, CURATED, chosen, lambda row: {"answers": (*row.answers, "Keeper")})
    assert was.answers is not None and len(was.answers) == 1
    assert _found(validate_path(built), "gold_not_of_edit")[-1][1] == was.query_id


def test_of_a_fact_with_several_objects_others_follow_the_old_one(built: Path) -> None:
    def told(*answers: str, flags: tuple[str, ...] = ("many_valued",)) -> Change:
        return lambda row: {
            "answers": (row.hops[0].object, *answers),
            "pre_edit_answers": (row.hops[0].object, *answers, "Holder Xusk"),
            "flags": flags,
        }

    refilled = _is("refilled", in_scope=False)
    _break(built, CURATED, refilled, told("Holder Zusk", "Holder Yusk"))
    assert _found(validate_path(built), "gold_not_of_edit") == []
    was = _break(built, CURATED, refilled, told("Holder Zusk", flags=()))
    fields = ("answers", "pre_edit_answers")
    assert _found(validate_path(built), "gold_not_of_edit") == [
        ("gold_not_of_edit", was.query_id, field) for field in fields
    ]


@pytest.mark.parametrize(
    ("subject", "one"), [("The {}", True), ("Mr {}", True), ("{} II", False), ("{} Jr.", False)]
)
def test_a_near_name_is_no_other_spelling(built: Path, subject: str, one: bool) -> None:
    chosen = _is("direct")

    def near(row: Query) -> dict[str, Any]:
        name = subject.format(row.hops[0].subject)
        hop = row.hops[0].model_copy(update={"subject": name, "edit_ids": ()})
        return {"kind": "near_name", "hops": (hop,), "governing_edit_ids": ()}

    was = _break(built, CURATED, chosen, near)
    found = _found(validate_path(built), "one_entity")
    assert found == ([("one_entity", was.query_id, "near_edit_id")] if one else [])


def test_a_decision_only_row_has_no_answers_to_compare(built: Path) -> None:
    _break(built, ORIGINAL, _is("direct"), lambda row: {"answers": None})
    checks = ("gold_not_of_edit", "hop_not_gold")
    assert _found(validate_path(built), *checks) == []


@pytest.mark.parametrize(
    ("answers", "told"), [(("Keepers", "Keeper Aorn"), False), (("CO",), True), (("Orr",), True)]
)
def test_an_alias_row_shares_an_answer_with_its_edit(
    built: Path, answers: tuple[str, ...], told: bool
) -> None:
    """`("CO",)` has the alias in common and is told by the object of its hop instead."""
    was = _break(
        built,
        CURATED,
        _is("direct"),
        lambda row: {
            "kind": "subject_alias",
            "answers": tuple(a.replace("Aorn", row.hops[0].object[-4:]) for a in answers),
        },
    )
    found = _found(validate_path(built), "gold_not_of_edit", "hop_not_gold")
    assert ({record for _, record, _ in found} == {was.query_id}) is told
    assert ("gold_not_of_edit" in {check for check, _, _ in found}) is (answers == ("Orr",))


@pytest.mark.parametrize("kind", ["direct", "temporal", "refilled"])
def test_a_last_hop_whose_object_is_no_answer(built: Path, kind: str) -> None:
    def another_object(row: Query) -> dict[str, Any]:
        return {"hops": (row.hops[0].model_copy(update={"object": "Nobody Orr"}),)}

    was = _break(built, CURATED, lambda row: row.kind == kind, another_object)
    found = _found(validate_path(built), "gold_not_of_edit", "hop_not_gold")
    assert found == [("hop_not_gold", was.query_id, "hops")]


def test_the_object_of_a_hop_is_compared_without_case(built: Path) -> None:
    def shouted(row: Query) -> dict[str, Any]:
        return {"hops": (row.hops[0].model_copy(update={"object": row.hops[0].object.upper()}),)}

    _break(built, CURATED, _is("direct"), shouted)
    assert _found(validate_path(built), "hop_not_gold") == []


@pytest.mark.parametrize(
    ("path", "chosen", "kind", "check"),
    [
        (CURATED, _is("direct"), "guesswork", "unknown_kind"),
        (ORIGINAL, _is("direct"), "refilled", "kind_not_of_label"),
        (CURATED, _is("refilled", in_scope=False), "direct", "kind_not_of_label"),
        (WITHHELD, _is("direct", in_scope=False), "paraphrase", "kind_not_of_label"),
    ],
)
def test_kinds_that_are_none_or_of_the_other_label(
    built: Path, path: str, chosen: Callable[[Query], bool], kind: str, check: str
) -> None:
    was = _break(built, path, chosen, lambda row: {"kind": kind})
    found = _found(validate_path(built), "unknown_kind", "kind_not_of_label")
    assert found == [(check, was.query_id, "kind")]


@pytest.mark.parametrize(
    ("date", "question", "field"),
    [
        ("2014", "As of 2014, who owns {}?", None),
        ("2014-03", "In march 2014, who owns {}?", None),
        ("2014-03-04", "On 4 March 2014, who owns {}?", None),
        ("2014", "As of 2015, who owns {}?", "question"),
        ("2014", "As of 20145, who owns {}?", "question"),
        ("2014-03-04", "In March 2014, who owns {}?", "question"),
        ("2014-13", "In 2014-13, who owns {}?", "date"),
        ("2014-00", "In 2014-00, who owns {}?", "date"),
        ("soon", "Soon, who owns {}?", "date"),
    ],
)
def test_a_date_must_be_said(built: Path, date: str, question: str, field: str | None) -> None:
    def dated(row: Query) -> dict[str, Any]:
        return {"date": date, "question": question.format(row.hops[0].subject)}

    was = _break(built, CURATED, _is("temporal"), dated)
    found = _found(validate_path(built), "date_not_asked")
    assert found == ([] if field is None else [("date_not_asked", was.query_id, field)])


def _recount(folder: Path, path: str, value: Any) -> Validation:
    """Set a count in the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    *parents, last = path.split(".")
    section = manifest
    for key in parents:
        section = section[key]
    assert section[last] != value
    section[last] = value
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return validate_path(folder)


@pytest.mark.parametrize("value", [99, None, "12", True])
@pytest.mark.parametrize(
    "path",
    [
        "edits.index",
        "edits.curated_index",
        "withheld.hidden",
        "withheld.kept",
        "curated.kinds.direct.in_mix.structured",
        "curated.kinds.near_name.in_mix.structured",
    ],
)
def test_counts_of_a_data_set_that_the_files_do_not_bear_out(
    built: Path, path: str, value: Any
) -> None:
    validation = _recount(built, f"datasets.mills.{path}", value)
    assert [(f.check, f.file, f.field) for f in validation.findings if f.check in _COUNTS] == [
        ("count_mismatch", "manifest.json", f"datasets.mills.{path}")
    ]


_COUNTS = {"count_mismatch"}


def test_an_index_that_is_not_there_has_no_count(built: Path, shared_benchmark: Path) -> None:
    assert validate_path(shared_benchmark).number_of("error") == 0
    field = "datasets.towns.edits.withheld_index"
    reduced = read_records(shared_benchmark / "towns_edits/withheld.parquet", Edit)
    found = _recount(shared_benchmark, field, len(reduced) + 1).findings
    assert [f.field for f in found] == [field]
    found = _recount(built, "datasets.mills.edits.withheld_index", 6).findings
    assert [f.reason for f in found if f.check == "count_mismatch"] == ["it says 6, there are none"]


def test_a_missing_card_is_a_warning(built: Path) -> None:
    (built / "README.md").unlink()
    validation = validate_path(built)
    assert _found(validation, "missing_card") == [("missing_card", None, None)]
    assert validation.number_of("warning") == 1
    assert not validation.fails()
