from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.records import Edit, Interval
from scopebench.sources import read_source

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]


def only_edit(path: Path) -> Edit:
    (case,) = read_source("wikiupdate", [path]).cases
    (edit,) = case.edits
    return edit


def fault(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_source("wikiupdate", [path])
    return caught.value


def test_a_record_with_times_and_evidence(write: Write, samples: Samples) -> None:
    path = write([samples["akew-wikiupdate"][1](7)])
    assert read_source("wikiupdate", [path]).schemas == {"upload.json": "akew-wikiupdate"}
    edit = only_edit(path)
    assert edit.edit_id == "wikiupdate/7/0"
    assert edit.time_true == Interval(start="2015-04", end="2021-09-30")
    assert edit.time_new == Interval(start="2021-10-01", end=None)
    assert edit.question == "What is the trade of Wenna Brock? It is what?"
    assert edit.target_new.aliases == ("glass fitter",)
    assert edit.evidence_triples is not None
    assert edit.evidence_triples[0].target == "iron"


def test_a_tab_between_passages_becomes_a_space(write: Write, samples: Samples) -> None:
    record = samples["akew-wikiupdate"][1](7)
    record["requested_rewrite"]["fact_new_uns"] = "Glaziers fit glass. \tWenna Brock is one.\t"
    assert (
        only_edit(write([record])).evidence_unstructured
        == "Glaziers fit glass. Wenna Brock is one."
    )
    record["requested_rewrite"]["fact_new_uns"] = "\t"
    assert fault(write([record])).field == "requested_rewrite.fact_new_uns"


def test_a_paragraph_flagged_as_not_stating_the_fact_is_kept(
    write: Write, samples: Samples
) -> None:
    record = samples["akew-wikiupdate"][1](7)
    record["requested_rewrite"]["verify_unsfact_GPT"] = False
    assert only_edit(write([record])).holds("unstructured")


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2021", "2021"),
        ("2021-03", "2021-03"),
        ("2020-02-29", "2020-02-29"),
        ("+2021-03-07T00:00:00Z", "2021-03-07"),
        ("2021-03-00", "2021-03"),
        ("+2021-00-00T00:00:00Z", "2021"),
        (None, None),
    ],
)
def test_dates_become_iso_8601(
    write: Write, samples: Samples, written: str | None, date: str | None
) -> None:
    record = samples["akew-wikiupdate"][1](7)
    record["requested_rewrite"]["time_true"] = {"start_time": written, "end_time": None}
    assert only_edit(write([record])).time_true == Interval(start=date, end=None)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("spring 2021", "expected YYYY, YYYY-MM or YYYY-MM-DD, found 'spring 2021'"),
        ("2021-13", "expected a date, found '2021-13'"),
        ("2021-02-29", "expected a date, found '2021-02-29'"),
        ("٢٠٢١", "expected YYYY"),
        ("0000", "expected a date"),
        (2021, "expected a string, found a number"),
        (" ", "expected a non-empty string"),
    ],
)
def test_what_is_not_a_date_is_refused(
    write: Write, samples: Samples, written: object, what: str
) -> None:
    record = samples["akew-wikiupdate"][1](7)
    record["requested_rewrite"]["time_new"]["start_time"] = written
    error = fault(write([record]))
    assert error.field == "requested_rewrite.time_new.start_time"
    assert what in error.what


def test_times_may_be_null_but_not_missing(write: Write, samples: Samples) -> None:
    record = samples["akew-wikiupdate"][1](7)
    record["requested_rewrite"]["time_true"] = None
    assert only_edit(write([record])).time_true is None
    del record["requested_rewrite"]["time_true"]
    error = fault(write([record]))
    assert error.field == "requested_rewrite.time_true"
    assert error.what == "the field is missing; expected an object or null"
    record["requested_rewrite"]["time_true"] = {"start_time": None}
    assert fault(write([record])).field == "requested_rewrite.time_true.end_time"


def test_without_times_the_data_set_asked_for_decides(write: Write, samples: Samples) -> None:
    record = samples["akew-wikiupdate"][1](7)
    del record["requested_rewrite"]["time_true"], record["requested_rewrite"]["time_new"]
    path = write([record])
    assert fault(path).field == "requested_rewrite.time_true"
    assert read_source("counterfact", [path]).schemas == {"upload.json": "akew-counterfact"}
