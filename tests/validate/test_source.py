"""Every check of a raw file, on an invented file with that one fault."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, SourceRef
from scopebench.scoring.normalise import fold_words
from scopebench.validate import Validation, validate_path
from scopebench.validate.names import Names
from scopebench.validate.source_edits import contradictions, duplicates

Flat = Callable[..., dict[str, Any]]
Raw = Callable[..., Validation]


def _of(validation: Validation, check: str) -> list[tuple[str | None, str | None, tuple[str, ...]]]:
    return [(f.record, f.field, f.other_records) for f in validation.findings if f.check == check]


def test_nothing_is_found_in_sound_records(raw: Raw, flat: Flat) -> None:
    validation = raw(flat(1), flat(2, "Odo Larch"))
    assert validation.kind == "raw"
    assert validation.findings == ()
    assert not validation.fails(strict=True)


def test_bad_record_names_its_place(raw: Raw, flat: Flat) -> None:
    validation = raw(flat(1), flat(2, target_new=None), 5)
    assert _of(validation, "bad_record") == [("2", "target_new", ()), ("#3", None, ())]
    assert validation.fails()


def test_contradictory_group_is_one_finding(raw: Raw, flat: Flat) -> None:
    group = [flat(n, target_new=new) for n, new in enumerate(["glazier", "potter", "glazier"])]
    validation = raw(*group, flat(9, "Odo Larch"))
    assert _of(validation, "contradictory_edits") == [("0", "target_new", ("1", "2"))]
    assert validation.counts["duplicate_edits"] == 1  # 0 and 2


def test_edits_of_unlike_wording_and_one_old_object_are_a_warning(raw: Raw, flat: Flat) -> None:
    reworded = flat(2, prompt="Wenna Brock earns a living as a", target_new="potter")
    validation = raw(flat(1), reworded)
    assert "contradictory_edits" not in validation.counts
    found = _of(validation, "conflicting_answers") + _of(validation, "contradictory_edits_reworded")
    assert found == [("1", "target_new", ("2",))]


def _group_edit(n: int, prompt: str, relation_id: str | None, new: str, old: str) -> Edit:
    return Edit(
        edit_id=f"t/{n}/0",
        dataset="t",
        subject="Orsk Vale",
        prompt=prompt,
        relation_id=relation_id,
        target_new=FactObject(text=new),
        target_true=FactObject(text=old),
        source=SourceRef(file="t.json", record=str(n), sha256="0" * 64),
    )


def test_one_relation_id_under_two_templates_is_a_contradiction() -> None:
    edits = [
        _group_edit(1, "{} zorks in", "P9001", "Ilm", "Tarn"),
        _group_edit(2, "{}, which zorks in", "P9001", "Wick", "Sedge"),
    ]
    assert [f.check for f in contradictions(edits)] == ["contradictory_edits"]


def test_a_template_with_an_id_elsewhere_is_a_reworded_contradiction() -> None:
    edits = [
        _group_edit(1, "{} zorks in", "P9001", "Ilm", "Tarn"),
        _group_edit(2, "{} zorks in", None, "Wick", "Sedge"),
    ]
    assert [f.check for f in contradictions(edits)] == ["contradictory_edits_reworded"]


def test_known_different_relations_are_no_conflict() -> None:
    edits = [
        _group_edit(1, "{} zorks in", "P9001", "Ilm", "Tarn"),
        _group_edit(2, "{} fleems in", "P9002", "Wick", "Tarn"),
    ]
    assert list(contradictions(edits)) == []


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=12))
def test_groups_are_those_found_by_comparing_all_pairs(pairs: list[tuple[int, int]]) -> None:
    edits = [
        _group_edit(n, f"{{}} has part {slot} as", None, f"object {target}", f"old {n}")
        for n, (slot, target) in enumerate(pairs)
    ]
    at_odds = {s for s, t in pairs for s2, t2 in pairs if s == s2 and t != t2}
    alike = {pair for pair in pairs if pairs.count(pair) > 1}
    assert len([f for f in contradictions(edits) if f.check == "contradictory_edits"]) == len(
        at_odds
    )
    assert len(list(duplicates(edits))) == len(alike)


def test_contaminated_locality_needs_the_name_as_words_and_the_old_answer(
    raw: Raw, flat: Flat
) -> None:
    ask = "locality_prompt"
    validation = raw(
        flat(1, "Odo Larch"),
        flat(2, **{ask: "The trade of Odo Larch is", "locality_ground_truth": "Cooper"}),
        flat(3, "Ib Fen", **{ask: "The trade of Odo Larch, Jr. is"}),  # another answer
        flat(4, "Una Dell", **{ask: "Odo Larchwood's trade is", "locality_ground_truth": "cooper"}),
        flat(5, "Kit Moss", **{ask: "The trade of Kit Moss is", "locality_ground_truth": "cooper"}),
    )
    assert _of(validation, "contaminated_locality") == [("2", "locality_prompt", ("1",))]
    assert [record for record, _, _ in _of(validation, "mentions_edited_subject")] == ["2", "3"]
    assert [record for record, _, _ in _of(validation, "names_own_subject")] == ["5"]


def test_repeated_locality_prompts_with_one_gold_and_with_two(raw: Raw, flat: Flat) -> None:
    same = {"locality_prompt": "The trade of Aldo Finch is"}
    validation = raw(
        flat(1, "Odo Larch", **same),
        flat(2, "Ib Fen", **same),
        flat(3, "Una Dell", locality_ground_truth="sawyer", **same),
    )
    assert _of(validation, "duplicate_probe") == [("2", "locality_prompt", ("1",))]
    assert _of(validation, "contradictory_probe") == [("3", "locality_prompt", ("1",))]


def test_echoes_of_old_and_new_objects_and_of_probes(raw: Raw, flat: Flat) -> None:
    validation = raw(
        flat(1, "Cooper Lane", rephrase_prompt="Cooper Lane works as a"),
        flat(2, "Glazier Pitt", rephrase_prompt="Pitt does"),
        flat(3, "Odo Larch", locality_prompt="The Tanner of Elm is a"),
    )
    assert [(r, f) for r, f, _ in _of(validation, "echo")] == [
        ("1", "target_true"),
        ("1", "rephrase_prompt"),
        ("3", "locality_prompt"),
    ]
    assert [(r, f) for r, f, _ in _of(validation, "echo_new")] == [("2", "target_new")]
    assert _of(validation, "subject_missing") == [("2", "rephrase_prompt", ())]


def test_short_and_refusing_golds(raw: Raw, flat: Flat) -> None:
    validation = raw(flat(1, target_new="Ugg"), flat(2, "Odo Larch", target_new="information"))
    assert _of(validation, "short_alias") == [("1", "rephrase_prompt", ())]
    assert _of(validation, "refusal_alias") == [("2", "rephrase_prompt", ())]


def test_lead_in_is_a_sentence_before_the_subject(raw: Raw, flat: Flat) -> None:
    validation = raw(
        flat(1, rephrase_prompt="The rain stopped at noon. Wenna Brock works as a"),
        flat(2, "Odo St. Larch", rephrase_prompt="Odo St. Larch works as a"),
    )
    assert _of(validation, "lead_in") == [("1", "rephrase_prompt", ())]


def test_objects_that_cannot_be_told_apart(raw: Raw, flat: Flat) -> None:
    validation = raw(
        flat(1, ground_truth="glass glazier"), flat(2, "Odo Larch", ground_truth="glázier")
    )
    assert _of(validation, "objects_alike") == [("1", "target_new", ())]
    assert _of(validation, "no_change") == [("2", "target_new", ())]


def _group(case_id: int, subject: str, place: str, mayor: str) -> dict[str, Any]:
    """Where a bridge stands is edited to `place`, whose mayor is `mayor`, an unedited hop."""
    asked = f"In which town does {subject} stand?"
    triple = [f"Q{subject}", "P131", f"Q{place}"]
    return {
        "case_id": case_id,
        "requested_rewrite": [
            {
                "prompt": "{} stands in",
                "relation_id": "P131",
                "target_new": {"str": place, "id": f"Q{place}"},
                "target_true": {"str": "Orsk Vale", "id": "QOrsk"},
                "subject": subject,
                "question": asked,
            }
        ],
        "questions": [f"Who is the mayor of the town of {subject}?"],
        "answer": "Ilse Marr",
        "answer_alias": [],
        "new_answer": mayor,
        "new_answer_alias": ["", "J. Pike"],
        "single_hops": [
            _hop(asked, "Orsk Vale"),
            _hop("Who is the mayor of Orsk Vale?", "Ilse Marr"),
        ],
        "new_single_hops": [_hop(asked, place), _hop(f"Who is the mayor of {place}?", mayor)],
        "orig": {
            "triples": [[f"Q{subject}", "P131", "QOrsk"], ["QOrsk", "P6", "QIlse"]],
            "triples_labeled": [
                [subject, "located in", "Orsk Vale"],
                ["Orsk Vale", "head of government", "Ilse Marr"],
            ],
            "new_triples": [triple, [f"Q{place}", "P6", f"Q{mayor}"]],
            "new_triples_labeled": [
                [subject, "located in", place],
                [place, "head of government", mayor],
            ],
            "edit_triples": [triple],
        },
    }


def _hop(question: str, answer: str) -> dict[str, Any]:
    return {"question": question, "cloze": "", "answer": answer, "answer_alias": []}


def _mayor_group(case_id: int, town: str, town_id: str) -> dict[str, Any]:
    """A group that edits who the mayor of a town is."""
    group = _group(case_id, "Tolvane Bridge", town, "Joren Pike")
    rewrite = group["requested_rewrite"][0]
    asked = f"Who is the mayor of {town}?"
    new = {"str": "Nell Arbor", "id": "QNell"}
    rewrite.update(
        prompt="The mayor of {} is", relation_id="P6", subject=town, question=asked, target_new=new
    )
    rewrite["target_true"] = {"str": "Joren Pike", "id": "QJoren Pike"}
    group["single_hops"] = [_hop(asked, "Joren Pike")]
    group["new_single_hops"] = [_hop(asked, "Nell Arbor")]
    group["orig"] = {
        "triples": [[town_id, "P6", "QJoren Pike"]],
        "triples_labeled": [[town, "head of government", "Joren Pike"]],
        "new_triples": [[town_id, "P6", "QNell"]],
        "new_triples_labeled": [[town, "head of government", "Nell Arbor"]],
        "edit_triples": [[town_id, "P6", "QNell"]],
    }
    return group


def test_hops_that_another_group_edits_are_found_after_and_before_the_edits(raw: Raw) -> None:
    first = _group(1, "Ash Bridge", "Pell Harbour", "Joren Pike")
    validation = raw(
        first,
        _mayor_group(2, "Pell Harbour", "QPell Harbour"),
        _mayor_group(3, "Orsk Vale", "QOrsk"),
    )
    assert _of(validation, "path_edited_elsewhere") == [("1", "questions[0]", ("2",))]
    assert _of(validation, "path_before_edited_elsewhere") == [("1", "questions[0]", ("3",))]
    assert ("1", "new_answer_alias", ()) in _of(validation, "empty_alias")


def test_a_hop_set_to_the_same_object_elsewhere_is_sound(raw: Raw) -> None:
    first = _group(1, "Ash Bridge", "Pell Harbour", "Nell Arbor")
    first["orig"]["new_triples"][1][2] = "QNell"
    validation = raw(first, _mayor_group(2, "Pell Harbour", "QPell Harbour"))
    assert "path_edited_elsewhere" not in validation.counts


def test_own_edits_in_a_table_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "subject,prompt,new,old\n"
        "Orla Vint,{} works for,Tamsel Ltd,Brask Co\n"
        "Orla Vint,{} works for,Oakrow Ltd,Brask Co\n"
    )
    assert validate_path(path).counts == {"contradictory_edits": 1}


_OWN = (
    "subject,relation,new,old\n"
    "Orla Vint,owner,Tamsel Ltd,Brask Co\n"
    "Orla Vint,owner,Oakrow Ltd,Brask Co\n"
    "Ib Fen,owner,,Brask Co\n"
    "Una Dell,owner,Ugg,Brask Co\n"
)


def _told(validation: Validation) -> list[tuple[str, str | None, str | None, tuple[str, ...]]]:
    return [(f.check, f.record, f.field, f.other_records) for f in validation.findings]


def test_own_edits_are_named_by_their_row_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(_OWN)
    assert _told(validate_path(path)) == [
        ("bad_record", "#3", "new", ()),
        ("contradictory_edits", "#1", "new", ("#2",)),
        ("short_alias", "#4", "new", ()),
    ]


def test_own_edits_are_named_by_their_ids_where_they_have_some(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    edit = {"subject": "Orla Vint", "relation": "owner", "old": "Brask Co"}
    named = {**edit, "id": 7, "new": "Tamsel Ltd", "new_aliases": ["Tamsel", " "]}
    path.write_text(json.dumps([named, {**edit, "new": "Oakrow Ltd"}]))
    assert _told(validate_path(path)) == [
        ("contradictory_edits", "7", "new", ("#2",)),
        ("empty_alias", "7", "new_aliases", ()),
    ]


def test_the_content_of_own_edits_tells_their_form(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(_OWN)
    (tmp_path / "mine.txt").write_text(_OWN)
    as_csv = validate_path(tmp_path / "mine.csv")
    as_text = validate_path(tmp_path / "mine.txt")
    assert _told(as_text) == _told(as_csv)
    with pytest.raises(DataError, match="subject"):
        (tmp_path / "notes.txt").write_text("Nothing but words\n")
        validate_path(tmp_path / "notes.txt")


def test_a_mapping_file_names_the_columns(tmp_path: Path) -> None:
    path, columns = tmp_path / "mine.csv", tmp_path / "columns.toml"
    path.write_text(_OWN.replace("new,old", "Right now,Was"))
    with pytest.raises(DataError, match="no column for new"):
        validate_path(path)
    columns.write_text('new = "Right now"\nold = "Was"\n')
    assert _told(validate_path(path, columns=columns)) == [
        ("bad_record", "#3", "new (column 'Right now')", ()),
        ("contradictory_edits", "#1", "new (column 'Right now')", ("#2",)),
        ("short_alias", "#4", "new (column 'Right now')", ()),
    ]


def test_a_mapping_file_is_for_own_edits(benchmark: Path, tmp_path: Path) -> None:
    (tmp_path / "columns.toml").write_text('new = "Right now"\n')
    with pytest.raises(DataError, match="no file of one's own edits"):
        validate_path(benchmark, columns=tmp_path / "columns.toml")


def test_own_edits_that_cannot_be_used_are_not_an_unknown_schema(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"subject": "Orla Vint", "prompt": "{} is", "new": {"text": 1}}]))
    with pytest.raises(DataError) as error:
        validate_path(path)
    assert (error.value.record, error.value.field) == ("#1", "new")
    assert "schema" not in str(error.value)


def test_own_relations_in_words_that_no_table_knows_may_be_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    header = "subject,relation,new,old\n"
    path.write_text(
        f"{header}Orla Vint,mill keeper,Tamsel Ltd,Brask Co\n"
        "Orla Vint,miller in charge,Oakrow Ltd,Brask Co\n"
    )
    assert _told(validate_path(path)) == [("conflicting_answers", "#1", "new", ("#2",))]
    # The table knows that these two differ.
    path.write_text(
        f"{header}Orla Vint,spouse,Tamsel Orr,Brask Orr\nOrla Vint,father,Oakrow Orr,Brask Orr\n"
    )
    assert validate_path(path).findings == ()


_WORDS = st.text(alphabet="ab cD'é", max_size=6)


@given(st.lists(_WORDS, max_size=6), _WORDS, _WORDS)
def test_names_are_found_just_where_their_words_stand(
    names: list[str], before: str, after: str
) -> None:
    text = f"{before} Moss {after}"
    found = Names((name, name) for name in names).named_in(text)
    words = f" {fold_words(text).cased} "
    expected = {
        name for name in names if fold_words(name).cased and f" {fold_words(name).cased} " in words
    }
    assert set(found) == expected


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"[]", "holds no records"),
        (b'[{"case_id": 1', "cut off"),
        (b"\xff\xfe", "UTF-8"),
        (b'[{"colour": "red"}]', "schema is not known"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_what_is_no_source_is_refused_in_one_line(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "upload.json"
    path.write_bytes(data)
    with pytest.raises(DataError) as error:
        validate_path(path)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_huge_line_is_read(tmp_path: Path, flat: Flat) -> None:
    path = tmp_path / "upload.jsonl"
    record = flat(1, rephrase_prompt="Wenna Brock " + "works " * 400_000)
    path.write_text(json.dumps(record) + "\n" + json.dumps(flat(2, "Odo Larch")))
    assert validate_path(path).findings == ()


def test_json_holds_everything(raw: Raw, flat: Flat) -> None:
    values = copy.deepcopy(raw(flat(1), flat(2, target_new="potter")).as_json())
    assert list(values) == ["path", "kind", "summary", "findings"]
    assert values["summary"]["contradictory_edits"] == {
        "severity": "error",
        "count": 1,
        "meaning": "edits set one fact to different objects",
    }
    assert list(values["findings"][0]) == [
        "check",
        "severity",
        "file",
        "record",
        "field",
        "reason",
        "other_records",
    ]
    assert json.loads(json.dumps(values)) == values
