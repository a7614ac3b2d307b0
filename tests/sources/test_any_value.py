from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Edit
from scopebench.sources import SOURCES, Source, read_source

Make = Callable[..., dict[str, Any]]

TEXT = st.text(st.characters(exclude_categories=[]), max_size=8) | st.sampled_from(
    ["", " ", "{}", "{} x {}", "\t", "\x00", "Wenna Brock", "cooper", "a/b", "2021-00-00"]
)
KEYS = TEXT | st.sampled_from(["case_id", "requested_rewrite", "en", "src", "alt", "prompt", "str"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
QUICK = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def check(source: Source) -> None:
    for case in source.cases:
        assert case.edits
        for edit in case.edits:
            assert Edit.model_validate_json(edit.model_dump_json()) == edit
            assert edit.prompt.count("{}") == 1
            assert edit.edit_id.count("/") == 2
            assert edit.target_true is None or edit.target_true.text != edit.target_new.text
        edit_ids = {edit.edit_id for edit in case.edits}
        for probe in case.probes:
            assert probe.question.strip() == probe.question != ""
            assert probe.edit_id in edit_ids or probe.role in ("hop", "chain")
            for answers in (probe.before, probe.after):
                assert answers is None or (answers and all(answers))
    for bad in source.bad_records:
        assert bad.reason
        assert bad.reason.isprintable()


def read_both_ways(dataset: str, path: Path) -> None:
    for mode in ("fail", "skip"):
        try:
            check(read_source(dataset, [path], on_bad_record=mode))  # type: ignore[arg-type]
        except DataError as error:
            assert "\n" not in str(error)
            str(error).encode()


@QUICK
@given(value=JSON, dataset=st.sampled_from(sorted(SOURCES)))
def test_any_file_is_read_or_refused(tmp_path: Path, value: object, dataset: str) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps(value))
    read_both_ways(dataset, path)


@QUICK
@given(value=JSON)
@example(value={"requested_rewrite": [{"fact_new_uns": 1}]})
@example(value={"requested_rewrite": {"question": 1}})
@example(value={"en": {"src": 1, "alt": 2}})
@example(value={"case_id": 1, "prompt": 1, "target_new": 1})
def test_any_value_as_a_record_is_read_or_refused(
    tmp_path: Path, sample: tuple[str, str, Make], value: object
) -> None:
    _, dataset, make = sample
    path = tmp_path / "any.json"
    path.write_text(json.dumps([make(1), value]))
    read_both_ways(dataset, path)


@QUICK
@given(data=st.data())
def test_any_value_in_any_place_of_a_record_is_read_or_refused(
    tmp_path: Path, sample: tuple[str, str, Make], data: st.DataObject
) -> None:
    _, dataset, make = sample
    record = copy.deepcopy(make(2))
    path = data.draw(st.sampled_from(list(places(record))))
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    if data.draw(st.booleans()):
        place[path[-1]] = data.draw(JSON)
    else:
        del place[path[-1]]
    file = tmp_path / "any.json"
    file.write_text(json.dumps([make(1), record]))
    read_both_ways(dataset, file)


@pytest.mark.parametrize("size", [1, 10, 100])
@given(data=st.binary(max_size=200))
@settings(parent=QUICK, max_examples=30)
def test_any_bytes_are_read_or_refused(tmp_path: Path, size: int, data: bytes) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(b"[" * size + data)
    read_both_ways("counterfact", path)
