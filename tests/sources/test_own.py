from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, Interval, SourceRef, Triple
from scopebench.sources.case import Case, Probe, Source
from scopebench.sources.own import (
    OWN_COLUMNS,
    columns_with_values,
    ignored_columns,
    missing_for,
    read_columns,
    read_own,
)
from scopebench.sources.read import OnBadRecord


class Put(Protocol):
    def __call__(self, data: str | bytes, name: str = ...) -> Path: ...


HEADER = "subject,prompt,new\n"
ROW: dict[str, Any] = {"subject": "Brel Mill", "prompt": "Brel Mill is run by", "new": "Ona Tarsk"}

FULL: dict[str, Any] = {
    "id": "k/1",
    "subject": "Brel Mill",
    "prompt": "The owner of {} is",
    "relation": "The  Mill_Owner",
    "new": "Ona Tarsk",
    "old": "Per Lund",
    "question": "Who owns Brel Mill?",
    "new_aliases": ["O. Tarsk", "Ona Tarsk", "Tarsk; Ona"],
    "old_aliases": ["P. Lund"],
    "subject_aliases": ["the Brel works"],
    "paraphrases": ["{} belongs to", "To whom does Brel Mill belong?"],
    "evidence": "Brel Mill, built in 1902,\nbelongs to Ona Tarsk.",
    "triples": [{"subject": "Brel Mill", "prompt": "{} was built in", "target": "1902"}],
    "old_start": "1998",
    "old_end": "2021-03",
    "new_start": "2021-03-04",
    "new_end": None,
    "subject_id": "Q1",
    "new_id": "Q2",
    "old_id": "Q3",
}


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def writer(data: str | bytes, name: str = "edits.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return writer


def as_csv(rows: list[dict[str, Any]], delimiter: str = ",") -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(names)
    for row in rows:
        cells = (row.get(name) for name in names)
        writer.writerow(
            json.dumps(cell) if isinstance(cell, list) else "" if cell is None else cell
            for cell in cells
        )
    return text.getvalue()


def as_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts, triples = pa.list_(pa.string()), [(n, pa.string()) for n in FULL["triples"][0]]
    kinds = {column.name: column.holds for column in OWN_COLUMNS}
    types = {"texts": texts, "triples": pa.list_(pa.struct(triples))}
    schema = pa.schema([(name, types.get(kinds[name], pa.string())) for name in names])
    sink = io.BytesIO()
    # Two groups at least, so that small files span groups too.
    group = max(1, len(rows) // 2)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), sink, row_group_size=group)
    return sink.getvalue()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], str | bytes]] = {
    "e.csv": as_csv,
    "e.jsonl": as_lines,
    "e.parquet": as_parquet,
}


def one(source: Source) -> Edit:
    (case,) = source.cases
    (edit,) = case.edits
    return edit


def edit_of(put: Put, **changes: Any) -> Edit:
    row = {**ROW, **changes}
    return one(read_own("mine", [put(as_lines([row]), "edits.jsonl")]))


def refused(put: Put, data: str | bytes, name: str = "edits.csv", **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read_own("mine", [put(data, name)], **options)
    message = str(caught.value)
    assert message.isprintable()
    return message.replace(str(put(data, name).parent) + "/", "")


def fault(put: Put, **changes: Any) -> str:
    row = {key: value for key, value in {**ROW, **changes}.items() if value is not ...}
    return refused(put, as_lines([row]), "edits.jsonl")


# --- one row, every column ---------------------------------------------------------------------


def expected_edit(file: str, sha256: str) -> Case:
    edit = Edit(
        edit_id="mine/k_1/0",
        dataset="mine",
        subject="Brel Mill",
        subject_id="Q1",
        relation_id="own:mill owner",
        prompt="The owner of {} is",
        question="Who owns Brel Mill?",
        target_new=FactObject(text="Ona Tarsk", aliases=("O. Tarsk", "Tarsk; Ona"), entity_id="Q2"),
        target_true=FactObject(text="Per Lund", aliases=("P. Lund",), entity_id="Q3"),
        evidence_unstructured="Brel Mill, built in 1902, belongs to Ona Tarsk.",
        evidence_triples=(Triple(subject="Brel Mill", prompt="{} was built in", target="1902"),),
        time_true=Interval(start="1998", end="2021-03"),
        time_new=Interval(start="2021-03-04", end=None),
        source=SourceRef(file=file, record="k/1", sha256=sha256),
    )
    common: dict[str, Any] = {
        "edit_id": "mine/k_1/0",
        "subject_id": "Q1",
        "relation_id": "own:mill owner",
        "before": ("Per Lund", "P. Lund"),
        "after": ("Ona Tarsk", "O. Tarsk", "Tarsk; Ona"),
    }
    probes = (
        Probe(
            role="alias",
            field="subject_aliases[0]",
            question="Who owns the Brel works?",
            form="question",
            subject="the Brel works",
            **common,
        ),
        Probe(
            role="paraphrase",
            field="paraphrases[0]",
            question="Brel Mill belongs to",
            form="cloze",
            subject="Brel Mill",
            **common,
        ),
        Probe(
            role="paraphrase",
            field="paraphrases[1]",
            question="To whom does Brel Mill belong?",
            form="question",
            subject="Brel Mill",
            **common,
        ),
    )
    return Case("mine", "k_1", (edit,), probes)


@pytest.mark.parametrize(
    ("name", "form", "data"),
    [
        ("e.csv", "own-csv", as_csv([FULL])),
        ("e.csv", "own-csv", "\ufeff" + as_csv([FULL], ";")),
        ("e.tsv", "own-csv", as_csv([FULL], "\t")),
        ("e.txt", "own-csv", "\n\n" + as_csv([FULL]) + ",,,,,,,,,,,,,,,,,,,\n"),
        ("e.csv", "own-csv", as_csv([FULL]).replace("new_aliases", " New Aliases ")),
        ("e.jsonl", "own-jsonl", as_lines([FULL])),
        ("e", "own-jsonl", "\ufeff" + as_lines([FULL])),
        ("e.json", "own-json", json.dumps([FULL], indent=1)),
        ("e.parquet", "own-parquet", as_parquet([FULL])),
    ],
)
def test_every_form_gives_the_same_case(put: Put, name: str, form: str, data: str | bytes) -> None:
    path = put(data, name)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_own("mine", [path]) == Source(
        "mine", {name: form}, {name: sha256}, (expected_edit(name, sha256),), ()
    )


def test_the_least_row(put: Put) -> None:
    source = read_own("mine", [put("subject,relation,new\nBrel Mill,chief executive,Ona Tarsk\n")])
    edit = one(source)
    assert edit.edit_id == "mine/1/0"
    assert edit.prompt == "The chief executive of {} is"
    assert edit.relation_id == "own:chief executive"
    assert edit.asked == "The chief executive of Brel Mill is"
    assert (edit.target_true, edit.time_true, edit.time_new) == (None, None, None)
    assert (edit.evidence_unstructured, edit.evidence_triples) == (None, None)
    assert source.cases[0].probes == ()


# --- columns -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "identifier"),
    [
        ("P169", "P169"),
        ("p169", "P169"),
        ("P", "own:p"),
        ("the Chief  executive", "own:chief executive"),
        ("chief_executive", "own:chief executive"),
        ("ｃｈｉｅｆ executive", "own:chief executive"),
        ("the", "own:the"),
    ],
)
def test_relations(put: Put, relation: str, identifier: str) -> None:
    assert edit_of(put, relation=relation).relation_id == identifier


def test_a_prompt_is_a_template_or_names_the_subject(put: Put) -> None:
    assert edit_of(put).prompt == "{} is run by"
    assert edit_of(put, prompt="{} of Brel Mill is").prompt == "{} of Brel Mill is"
    assert "expected {} once, for the subject, found it 2 times" in fault(put, prompt="{} and {}")
    assert "expected the subject 'Brel Mill' in it" in fault(put, prompt="It is run by")
    assert "a question belongs in the column question" in fault(put, prompt="Who runs {}?")
    assert "a property id holds no words" in fault(put, prompt=..., relation="P169")
    assert "field prompt: expected a prompt or a relation" in fault(put, prompt=None)
    assert "there is no column for prompt or relation" in fault(put, prompt=...)
    assert "expected words without {}" in fault(put, relation="owner of {}")
    assert "expected words, found '_'" in fault(put, relation="_")


def test_white_space_and_numbers(put: Put) -> None:
    edit = edit_of(put, subject=" Brel\n Mill ", new=1902, id=7.0, question="When was {} built?")
    assert (edit.subject, edit.target_new.text) == ("Brel Mill", "1902")
    assert edit.edit_id == "mine/7/0"
    assert edit.question == "When was Brel Mill built?"
    assert "field new: expected a string, found a boolean" in fault(put, new=True)
    assert "field new: the field is missing" in fault(put, new="  ")


def test_what_looks_like_something_else_is_text(put: Put) -> None:
    rows = "Brel Mill,Brel Mill is,=HYPERLINK(1)\nNull,Null is,NaN\nNone,None is,-3\n"
    source = read_own("mine", [put(HEADER + rows)])
    assert [case.edits[0].target_new.text for case in source.cases] == [
        "=HYPERLINK(1)",
        "NaN",
        "-3",
    ]


def test_lists_in_cells(put: Put) -> None:
    text = HEADER[:-1] + ",new_aliases\nBrel Mill,{} is,X,a; b c ;;a\n"
    assert one(read_own("mine", [put(text)])).target_new.aliases == ("a", "b c")
    text = HEADER[:-1] + ',new_aliases\nBrel Mill,{} is,X,"[""a; b"", 3]"\n'
    assert one(read_own("mine", [put(text)])).target_new.aliases == ("a; b", "3")
    assert "it begins with [ but is no JSON list" in fault(put, new_aliases="[sic]")
    assert "field new_aliases[1]: expected a string, found null" in fault(
        put, new_aliases=["a", None]
    )
    assert "field new_aliases: expected a list of strings, found an object" in fault(
        put, new_aliases={}
    )
    assert edit_of(put, new_aliases=[], triples=[]).evidence_triples is None


def test_triples(put: Put) -> None:
    assert "expected a JSON list of objects" in fault(put, triples="Brel Mill; was built; 1902")
    assert "field triples[0].target: the field is missing" in fault(
        put, triples=[{"subject": "a", "prompt": "{} b"}]
    )
    assert "field triples[0].prompt: expected {} once" in fault(
        put, triples=[{"subject": "a", "prompt": "b", "target": "c"}]
    )
    assert "field triples[0]: expected an object" in fault(put, triples=["x"])


@pytest.mark.parametrize(
    ("given", "stored"),
    [("2021", "2021"), ("2020-02-29", "2020-02-29"), (2021, "2021"), (2021.0, "2021")],
)
def test_dates(put: Put, given: object, stored: str) -> None:
    assert edit_of(put, new_start=given).time_new == Interval(start=stored, end=None)


@pytest.mark.parametrize(
    "given",
    [
        "2021-13",
        "2021-02-30",
        "21",
        "2021-1-1",
        "1/2/2021",
        "0000",
        "2021-01-01 00:00",
        "today",
        2.5,
    ],
)
def test_dates_are_strict(put: Put, given: object) -> None:
    assert "record #1, field new_start: expected" in fault(put, new_start=given)


def test_an_interval_ends_after_it_starts(put: Put) -> None:
    assert "field old_end: expected a date after 2019-05, found 2019-04-30" in fault(
        put, old="X", old_start="2019-05", old_end="2019-04-30"
    )
    edit = edit_of(put, old="X", old_start="2019-05", old_end="2019")
    assert edit.time_true == Interval(start="2019-05", end="2019")


def test_parquet_dates_and_pandas_gaps(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "id": [4, None],
            "subject": ["Brel Mill", "Tor Mill"],
            "relation": pd.Categorical(["owner", "owner"]),
            "new": ["Ona Tarsk", "Per Lund"],
            "old": ["Per Lund", None],
            "old_end": [datetime.date(2021, 3, 4), None],
            "new_start": [pd.Timestamp("2021-03-04"), pd.NaT],
            "new_end": [2024.0, float("nan")],
            "note": [1, 2],
        }
    )
    path = tmp_path / "edits.parquet"
    frame.to_parquet(path)
    first, second = (case.edits[0] for case in read_own("mine", [path]).cases)
    assert (first.edit_id, second.edit_id) == ("mine/4/0", "mine/2/0")
    assert first.time_true == Interval(start=None, end="2021-03-04")
    assert first.time_new == Interval(start="2021-03-04", end="2024")
    assert (second.time_true, second.time_new, second.target_true) == (None, None, None)
    assert ignored_columns([path]) == {"edits.parquet": ("note",)}

    frame.assign(new_start=pd.to_datetime(pd.Series(["2021-03-04 10:00", ""]))).to_parquet(path)
    with pytest.raises(DataError, match="expected a date without time of day"):
        read_own("mine", [path])
    frame.assign(new_start=None, new=[b"x", b"y"]).to_parquet(path)
    with pytest.raises(DataError, match="field new: expected text, found a value of type bytes"):
        read_own("mine", [path])


def test_an_edit_must_change_something(put: Put) -> None:
    assert "field new: expected an object other than the old one" in fault(put, old="ona tarsk")
    assert "field new: expected an object other" in fault(put, old="X", old_id="Q1", new_id="Q1")
    assert "field old_aliases: expected the column old beside it" in fault(put, old_aliases=["x"])
    assert "field old_id: expected the column old beside it" in fault(put, old_id="Q1")


def test_alias_questions(put: Put) -> None:
    def asked(**changes: Any) -> list[str]:
        row = {**ROW, "subject_aliases": ["Brel", "Brel Mill", r"B\1"], **changes}
        source = read_own("mine", [put(as_lines([row]), "e.jsonl")])
        return [probe.question for probe in source.cases[0].probes]

    assert asked() == ["Brel is run by", r"B\1 is run by"]
    assert asked(question="Who runs Brel Mill?") == ["Who runs Brel?", r"Who runs B\1?"]
    assert asked(question="Who runs Brel Mills?") == []
    assert asked(question="Brel Mill or aBrel Mill, Brel Mill?")[0] == "Brel or aBrel Mill, Brel?"


def test_ids(put: Put) -> None:
    rows = [{**ROW, "id": "a/b"}, {**ROW, "id": None}, {**ROW, "id": "ü"}]
    source = read_own("mine", [put(as_lines(rows), "e.jsonl")])
    assert [case.edits[0].edit_id for case in source.cases] == [
        "mine/a_b/0", "mine/2/0", "mine/ü/0",
    ]  # fmt: skip
    assert [case.edits[0].source.record for case in source.cases] == ["a/b", "2", "ü"]
    twice = as_lines([{**ROW, "id": "2"}, ROW])
    assert "record #2, field id: expected an id used once, found that of record #1" in refused(
        put, twice, "e.jsonl"
    )
    assert "expected an id that can be printed" in fault(put, id="a\x07")


def test_several_files(put: Put) -> None:
    first, second = put(as_lines([ROW]), "a.jsonl"), put(as_csv([ROW]), "b.csv")
    source = read_own("mine", [first, second])
    assert [case.case_id for case in source.cases] == ["1", "2.1"]
    assert source.schemas == {"a.jsonl": "own-jsonl", "b.csv": "own-csv"}
    with pytest.raises(DataError, match="another file of mine has the same name"):
        read_own("mine", [first, first])
    with pytest.raises(DataError, match="no file of mine is named"):
        read_own("mine", [])


@pytest.mark.parametrize("name", ["Mine", "a b", "", "a/b", "x" * 65, "m\n"])
def test_the_name_is_a_slug(put: Put, name: str) -> None:
    with pytest.raises(DataError, match="expected a name of 1 to 64 lower-case letters"):
        read_own(name, [put(as_csv([ROW]), "e.csv")])


@pytest.mark.parametrize("name", ["counterfact", "wikiupdate", "mquake_cf", "rippleedits", "all"])
def test_published_names_are_taken(put: Put, name: str) -> None:
    with pytest.raises(DataError, match="is not free for one's own edits"):
        read_own(name, [put(as_csv([ROW]), "e.csv")])


# --- names of columns --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "meant"),
    [
        ("aliasses", "new_aliases or old_aliases or subject_aliases"),
        ("new_alias", "new_aliases"),
        ("Quesion", "question"),
        ("ground_truth", "old"),
        ("gold", "old"),
    ],
)
def test_a_misspelt_column_is_refused(put: Put, theirs: str, meant: str) -> None:
    text = f"subject,prompt,new,{theirs}\nBrel Mill,Brel Mill is,x,y\n"
    message = refused(put, text)
    assert message.startswith(f"file edits.csv, record header, field {theirs}: ")
    assert f"did you mean {meant}?" in message
    assert f'"{theirs}" = "-"' in message
    source = read_own("mine", [put(text, "edits.csv")], columns={theirs: "-"})
    assert one(source).target_true is None
    assert "record #1" in fault(put, **{theirs: "y"})


def test_other_columns_are_ignored_and_named(put: Put) -> None:
    rows = [{**ROW, "ticket": 1}, {**ROW, "reviewer": "x", "old": "y"}]
    text = as_csv(rows)
    paths = [put(text, "a.csv"), put(as_lines(rows), "b.jsonl")]
    assert ignored_columns(paths) == {
        "a.csv": ("ticket", "reviewer"),
        "b.jsonl": ("ticket", "reviewer"),
    }
    assert ignored_columns(paths, columns={"old": "-"})["a.csv"] == ("ticket", "reviewer", "old")
    assert len(read_own("mine", paths).cases) == 4


def test_a_mapping(put: Put) -> None:
    text = "Entity;Correct answer;subject;old\nBrel Mill;Ona Tarsk;mills;Per Lund\n"
    mapping = {"subject": "Entity", "new": "correct answer", "relation": "subject", "old": "-"}
    edit = one(read_own("mine", [put(text, "edits.csv")], columns=mapping))
    assert (edit.subject, edit.target_new.text) == ("Brel Mill", "Ona Tarsk")
    assert (edit.relation_id, edit.target_true) == ("own:mills", None)

    swapped = "subject,prompt,old,new\nBrel Mill,{} is,a,b\n"
    edit = one(read_own("mine", [put(swapped, "s.csv")], columns={"new": "old", "old": "new"}))
    assert (edit.target_new.text, edit.target_true and edit.target_true.text) == ("a", "b")


def test_faults_name_both_columns(put: Put) -> None:
    text = "Entity,prompt,Right\nBrel Mill,It is,x\nBrel Mill,{} is,\n"
    mapping = {"subject": "Entity", "new": "Right"}
    source = read_own("mine", [put(text + "A,{} is,b\n", "e.csv")], columns=mapping,
                      on_bad_record="skip")  # fmt: skip
    assert [(bad.record, bad.field) for bad in source.bad_records] == [
        ("#1", "prompt"),
        ("#2", "new (column 'Right')"),
    ]
    assert [case.case_id for case in source.cases] == ["3"]


def test_wrong_mappings(put: Put) -> None:
    text = as_csv([ROW])
    assert "there is no column for subject ('Entity'); found 'subject', 'prompt', 'new'" in refused(
        put, text, columns={"subject": "Entity"}
    )
    assert "the mapping names the column 'Was', which is in no file" in refused(
        put, text, columns={"old": "Was"}
    )
    assert "none of our columns is called 'nwe'; known: id, subject" in refused(
        put, text, columns={"nwe": "x"}
    ).replace("field 'nwe': ", "")
    assert "the column 'New' is mapped to new already" in refused(
        put, text, columns={"new": "new", "old": "New"}
    )
    assert 'write it the other way round: subject = "Entity"' in refused(
        put, text, columns={"Entity": "subject"}
    )
    assert "did you mean new_aliases?" in refused(put, text, columns={"new_alias": "x"})


def test_mapping_files(put: Put) -> None:
    wanted = {"subject": "Entity", "new": "Correct answer", "ticket": "-"}
    toml = 'subject = "Entity"  # whom\nnew = "Correct answer"\nticket = "-"\n'
    assert read_columns(put(toml, "c.toml")) == wanted
    assert read_columns(put("\ufeff" + json.dumps(wanted), "c.json")) == wanted


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("subject = Entity", "it is not TOML"),
        ('{"subject": }', "it is not JSON"),
        ('subject = ["a"]', "field 'subject': expected the name of a column, found a list"),
        ("[columns]\nsubject = 'x'", "found an object"),
        (b"\xe9 = 'x'", "byte 0 is not UTF-8 text"),
        ('Entity = "subject"', 'write it the other way round: subject = "Entity"'),
    ],
)
def test_broken_mapping_files(put: Put, data: str | bytes, what: str) -> None:
    path = put(data, "c.toml")
    with pytest.raises(DataError) as caught:
        read_columns(path)
    assert str(caught.value).startswith(f"file {path}")
    assert what in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_missing_mapping_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it cannot be read"):
        read_columns(tmp_path / "none.toml")


# --- hostile files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("e.csv", "", "the file is empty"),
        ("e.csv", " \n\n", "the file is empty"),
        ("e.csv", HEADER, "the file holds no records"),
        ("e.json", "[]", "the file holds no records"),
        ("e.csv", "Brel Mill,{} is,x\n", "there is no column for subject, new, prompt or relation"),
        ("e.csv", "<!DOCTYPE html>\n<p>", "found '<!DOCTYPE html>'"),
        ("e.csv", "subject,new,new,prompt\na,b,c,{}", "two columns are new: 'new' and 'new'"),
        ("e.csv", "subject,new,New,prompt\na,b,c,{}", "two columns are new: 'new' and 'New'"),
        ("e.jsonl", '{"new":"a","New":"b"}', "record #1: two columns are new"),
        ("e.csv", HEADER + "a,{} is,b,c\n", "record #1: expected 3 cells, as in the header"),
        ("e.csv", HEADER + "a,{} is\n", "record #1: expected 3 cells, as in the header, found 2"),
        ("e.csv", HEADER + 'a,{} is,"b\n', "record #1: it cannot be read as CSV near line 2"),
        ("e.csv", HEADER + 'a,{} is,"b"c\n', "record #1: it cannot be read as CSV near line 2"),
        ("e.csv", HEADER + "a,{} is,b\nc,{} is," + "x" * 200_000, "record #2: it cannot be"),
        ("e.csv", HEADER + "a,{} is,b\x00\n", "record #1, field new: expected text, found a NUL"),
        (
            "e.csv",
            HEADER.encode() + b"a,{} is,b\nCaf\xe9,{} is,b\n",
            "record #2, field subject: byte 0xe9 is not UTF-8 text; save the file as CSV UTF-8",
        ),
        ("e.csv", b"subject,pr\xe9mpt,new\n", "expected a line of column names in UTF-8"),
        ("e.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "expected a line of column names in UTF-8"),
        ("e.csv", HEADER.encode("utf-16"), "found UTF-16 text; save the file as UTF-8"),
        ("e.xlsx", b"PK\x03\x04xx", "the workbook cannot be unpacked: "),
        ("e.csv.gz", b"\x1f\x8b\x08", "found a compressed file"),
        ("e.parquet", b"PAR1xxxxPAR1", "the parquet file cannot be read"),
        ("e.parquet", HEADER, "its name says parquet, but it begins like csv"),
        ("e.csv", '[{"new": 1}]', "its name says csv, but it begins like json"),
        ("e.json", "[1]", "record #1: expected an object, found a number"),
        ("e.json", '[{"subject": "a"', "the JSON is cut off or damaged"),
        ("e.json", b'[{"subject": "\xe9"}]', "is not UTF-8 text; save the file as UTF-8"),
        (
            "e.jsonl",
            r'{"subject": "a\ud800", "new": "b", "prompt": "{} is"}',
            "record #1, field subject: expected Unicode text, found an unpaired surrogate",
        ),
        ("e.jsonl", r'{"\ud800": 1}', r"found '\ud800'"),
        ("e.jsonl", '{"subject": "a{}", "new": "b", "prompt": "{} is"}', "expected a name, found"),
    ],
)  # fmt: skip
def test_hostile_files(put: Put, name: str, data: str | bytes, what: str) -> None:
    message = refused(put, data, name)
    assert message.startswith(f"file {name}")
    assert what in message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(DataError, match=r"no such file|found a folder"):
            read_own("mine", [path])


def test_bad_rows_are_skipped_and_listed(put: Put) -> None:
    data = HEADER.encode() + b"a,{} is,b\nCaf\xe9,{} is,b\nshort\nc,{} is,d\n"
    source = read_own("mine", [put(data, "e.csv")], on_bad_record="skip")
    assert [case.edits[0].edit_id for case in source.cases] == ["mine/1/0", "mine/4/0"]
    assert [(bad.file, bad.record, bad.field) for bad in source.bad_records] == [
        ("e.csv", "#2", "subject"),
        ("e.csv", "#3", None),
    ]
    message = refused(put, HEADER + "a,b,c\n", on_bad_record="skip")
    assert "none of its 1 records can be used; the first: expected the subject 'a'" in message


# --- which kinds -------------------------------------------------------------------------------


def test_missing_columns_by_kind() -> None:
    assert missing_for({column.name for column in OWN_COLUMNS}) == {}
    assert missing_for({"subject", "prompt", "new"}) == {
        "paraphrase": ("paraphrases",),
        "subject_alias": ("subject_aliases",),
        "same_subject": ("relation", "old"),
        "near_name": ("old",),
        "temporal": ("old", "old_start", "old_end", "new_start"),
        "side_fact": ("evidence", "triples"),
        "mention": ("old",),
        "relation_swap": ("relation",),
        "refilled": ("old",),
    }
    assert missing_for({"subject"})["direct"] == ("new", "prompt")
    assert "paraphrase" not in missing_for({"question"})
    assert "temporal" not in missing_for({"old", "old_start", "old_end", "new_start"})


def test_columns_with_values(put: Put) -> None:
    full = read_own("mine", [put(as_lines([FULL]), "e.jsonl")])
    names = {column.name for column in OWN_COLUMNS if column.holds != "id"}
    assert columns_with_values(full) == names - {"new_end"}
    assert missing_for(columns_with_values(full)) == {}
    least = read_own("mine", [put("subject,prompt,new,old\na,{} is,b,\n", "e.csv")])
    assert columns_with_values(least) == {"subject", "prompt", "new"}


# --- the page of docs --------------------------------------------------------------------------


def test_the_example_of_the_docs(put: Put) -> None:
    page = Path(__file__).parents[2] / "docs" / "own_edits.md"
    text = page.read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(csv|toml)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    columns = read_columns(put(blocks["toml"], "columns.toml"))
    path = put(blocks["csv"], "edits.csv")
    source = read_own("mine", [path], columns=columns)
    edits = [case.edits[0] for case in source.cases]
    assert [edit.subject for edit in edits] == [
        "Brel Mill", "Brel Mill", "Brel Hill", "Tarsk Ferries", "Orsk Bridge",
    ]  # fmt: skip
    assert edits[0].edit_id == "mine/c-101/0"
    assert edits[0].prompt == "The owner of {} is"
    assert edits[0].time_true == Interval(start="1998", end="2021-03")
    assert edits[4].evidence_unstructured is not None
    assert ignored_columns([path], columns=columns) == {"edits.csv": ("Ticket",)}
    assert missing_for(columns_with_values(source)) == {"side_fact": ("triples",)}
    for column in OWN_COLUMNS:
        assert f"| `{column.name}` |" in text


# --- any values --------------------------------------------------------------------------------

WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="{}[?"), max_size=8
).map(lambda text: " ".join(text.split()))
NAMES = WORDS.filter(bool)
LISTS = st.none() | st.lists(NAMES, max_size=3)
DATES = st.none() | st.dates(datetime.date(1000, 1, 1)).map(str)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "subject": NAMES,
            "relation": NAMES.map(lambda text: f"r {text}"),
            "new": NAMES.map(lambda text: f"n {text}"),
            "old": st.none() | NAMES.map(lambda text: f"o {text}"),
            "question": st.none() | NAMES.map(lambda text: f"Who is {text}?"),
            "new_aliases": LISTS,
            "subject_aliases": LISTS,
            "paraphrases": LISTS,
            "evidence": st.none() | WORDS,
            "triples": st.none()
            | st.lists(
                st.fixed_dictionaries(
                    {"subject": NAMES, "prompt": st.just("{} is"), "target": NAMES}
                ),
                max_size=2,
            ),
            "new_start": DATES,
        }
    ),
    min_size=1,
    max_size=4,
)
QUICK = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@QUICK
@given(rows=ROWS, delimiter=st.sampled_from(",;\t"))
def test_all_forms_of_any_rows_give_equal_edits(
    put: Put, rows: list[dict[str, Any]], delimiter: str
) -> None:
    written: dict[str, str | bytes] = {
        "e.csv": as_csv(rows, delimiter),
        "e.jsonl": as_lines(rows),
        "e.json": json.dumps(rows, ensure_ascii=False),
        "e.parquet": as_parquet(rows),
    }
    results = []
    for name, data in written.items():
        cases = read_own("mine", [put(data, name)]).cases
        blank = SourceRef(file="", record="", sha256="")
        edits = [case.edits[0].model_copy(update={"source": blank}) for case in cases]
        results.append((edits, [case.probes for case in cases]))
    assert len(results[0][0]) == len(rows)
    assert all(result == results[0] for result in results)
    for edit, row in zip(results[0][0], rows, strict=True):
        assert edit.subject == row["subject"]
        assert edit.target_new.text == row["new"]
        assert Edit.model_validate_json(edit.model_dump_json()) == edit


TEXT = st.text(st.characters(exclude_categories=[]), max_size=6) | st.sampled_from(
    ["", "{}", "a", "a; b", "[", "[1]", "2021", "P3", "\x00", "a/b"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
COLUMNS = st.sampled_from([column.name for column in OWN_COLUMNS]) | TEXT


def read_or_refuse(path: Path) -> None:
    modes: tuple[OnBadRecord, ...] = ("fail", "skip")
    for mode in modes:
        try:
            source = read_own("mine", [path], on_bad_record=mode)
        except DataError as error:
            assert "\n" not in str(error)
            str(error).encode()
            continue
        for case in source.cases:
            assert case.edits[0].prompt.count("{}") == 1
            assert case.edits[0].edit_id.count("/") == 2
        for bad in source.bad_records:
            assert bad.reason.isprintable()


@QUICK
@given(changes=st.dictionaries(COLUMNS, JSON, max_size=4))
@example(changes={"triples": [{"subject": 1}]})
@example(changes={"new_aliases": "[" * 100_000})
def test_any_value_in_any_column_is_read_or_refused(put: Put, changes: dict[str, Any]) -> None:
    read_or_refuse(put(json.dumps([ROW, {**ROW, **changes}]), "any.json"))


@QUICK
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_any_bytes_are_read_or_refused(put: Put, data: bytes) -> None:
    for start in (b"", b"subject,prompt,new\na,{} is,b\n", b"PAR1", b'{"subject":'):
        read_or_refuse(put(start + data, "any"))


# --- size --------------------------------------------------------------------------------------

MEASURE = """
import sys
from pathlib import Path
from scopebench.sources.own import read_own

source = read_own("mine", [Path(sys.argv[1])])
status = Path("/proc/self/status").read_text()
(peak,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
print(len(source.cases), int(peak) * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["e.csv", "e.jsonl", "e.parquet"])
def test_200_000_rows_fit_in_memory(put: Put, name: str) -> None:
    # getrusage would report the peak of this process, which holds the rows, before the exec.
    if not Path("/proc/self/status").is_file():
        pytest.skip("NO /proc: the peak memory of a process is read from it")
    rows = [
        {**FULL, "id": str(n), "subject": f"Mill {n}", "question": f"Who owns Mill {n}?"}
        for n in range(200_000)
    ]
    path = put(WRITERS[name](rows), name)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    count, peak = map(int, done.stdout.split())
    assert count == 200_000
    assert peak < 1.5e9
