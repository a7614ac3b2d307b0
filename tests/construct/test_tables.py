from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.construct.tables import EDIT_SCHEMA, QUERY_SCHEMA, read_records, write_records
from scopebench.errors import DataError
from scopebench.records import Edit, FactObject, Interval, Query, SourceRef, Triple
from scopebench.scoring.tables import write_table

label = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
maybe = st.none() | label
labels = st.lists(label, max_size=3).map(tuple)
sources = st.builds(SourceRef, file=label, record=label, sha256=label)
objects = st.builds(FactObject, text=label, aliases=labels, entity_id=maybe)
triples = st.builds(Triple, subject=label, prompt=label, target=label)
intervals = st.builds(Interval, start=maybe, end=maybe)
edits = st.builds(
    Edit,
    edit_id=label,
    dataset=label,
    subject=label,
    subject_id=maybe,
    relation_id=maybe,
    prompt=label,
    question=maybe,
    target_new=objects,
    target_true=st.none() | objects,
    evidence_unstructured=maybe,
    evidence_triples=st.none() | st.lists(triples, max_size=2).map(tuple),
    time_true=st.none() | intervals,
    time_new=st.none() | intervals,
    path_entities=labels,
    source=sources,
)
queries = st.builds(
    Query,
    query_id=label,
    dataset=label,
    kind=label,
    question=label,
    answers=st.none() | labels,
    pre_edit_answers=st.none() | labels,
    governing_edit_ids=labels,
    hidden_edit_ids=labels,
    twin_id=maybe,
    cluster=label,
    source=sources,
)

one_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)


def test_columns_are_the_records_fields():
    assert EDIT_SCHEMA.names == list(Edit.model_fields)
    assert QUERY_SCHEMA.names == list(Query.model_fields)
    for name, record in (("target_new", FactObject), ("time_new", Interval), ("source", SourceRef)):
        nested = EDIT_SCHEMA.field(name).type
        assert [nested.field(at).name for at in range(nested.num_fields)] == list(
            record.model_fields
        )
    triple = EDIT_SCHEMA.field("evidence_triples").type.value_type
    assert [triple.field(at).name for at in range(triple.num_fields)] == list(Triple.model_fields)


@one_folder
@given(records=st.lists(edits, max_size=4).map(tuple))
def test_edits_come_back_as_they_were(tmp_path, records):
    write_records(records, Edit, tmp_path / "edits.parquet")
    assert read_records(tmp_path / "edits.parquet", Edit) == records
    assert pq.read_schema(tmp_path / "edits.parquet").equals(EDIT_SCHEMA)


@one_folder
@given(records=st.lists(queries, max_size=4).map(tuple))
def test_queries_come_back_as_they_were(tmp_path, records):
    write_records(records, Query, tmp_path / "queries.parquet")
    assert read_records(tmp_path / "queries.parquet", Query) == records


def test_a_row_that_is_no_record_is_named(tmp_path, make_edit):
    row = make_edit("1").model_dump(mode="json") | {"subject": ""}
    write_table([row], EDIT_SCHEMA, tmp_path / "edits.parquet")
    with pytest.raises(DataError, match=r"edits\.parquet, field subject: a row is no Edit"):
        read_records(tmp_path / "edits.parquet", Edit)
