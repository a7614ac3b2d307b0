"""Every check of a built benchmark, on a sound one that is broken by hand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct.tables import read_records, write_records
from scopebench.errors import DataError
from scopebench.records import Edit, Query
from scopebench.validate import Validation, validate_path

ORIGINAL = "towns_structured/original.parquet"
WITHHELD = "towns_structured/withheld.parquet"
UNSTRUCTURED = "towns_unstructured/original.parquet"


def _rewrite(folder: Path, path: str, change: Callable[[list[Query]], list[Query]]) -> Validation:
    """Change the rows of a file, bring its hash up to date, and validate."""
    rows = change(list(read_records(folder / path, Query)))
    write_records(tuple(rows), Query, folder / path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][path] = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return validate_path(folder)


def _update(folder: Path, path: str, at: int = 0, **fields: Any) -> Validation:
    def change(rows: list[Query]) -> list[Query]:
        rows[at] = rows[at].model_copy(update=fields)
        return rows

    return _rewrite(folder, path, change)


def _rows(folder: Path, path: str) -> tuple[Query, ...]:
    return read_records(folder / path, Query)


def _errors(validation: Validation) -> set[str]:
    return {f.check for f in validation.findings if validation.checks[f.check].severity == "error"}


def test_a_sound_benchmark_has_no_error(benchmark: Path, shared_benchmark: Path) -> None:
    for folder in (benchmark, shared_benchmark):
        validation = validate_path(folder)
        assert validation.kind == "benchmark"
        assert not validation.fails(strict=True), validation.findings


def test_changed_missing_and_unlisted_files(benchmark: Path) -> None:
    (benchmark / "towns_structured" / "extra.parquet").write_bytes(b"x")
    (benchmark / UNSTRUCTURED).unlink()
    write_records(_rows(benchmark, ORIGINAL)[:3], Query, benchmark / ORIGINAL)
    validation = validate_path(benchmark)
    by_check = {f.check: f.file for f in validation.findings}
    assert by_check["missing_file"] == UNSTRUCTURED
    assert by_check["hash_mismatch"] == ORIGINAL
    assert by_check["unlisted_file"] == "towns_structured/extra.parquet"
    counts = [f.field for f in validation.findings if f.check == "count_mismatch"]
    assert "configs.towns_structured.splits.original.queries" in counts


def test_a_damaged_table_hides_nothing_about_the_others(benchmark: Path) -> None:
    (benchmark / ORIGINAL).write_bytes(b"not parquet")
    _update(benchmark, WITHHELD, answers=())
    found = {(f.check, f.file) for f in validate_path(benchmark).findings}
    assert {("bad_table", ORIGINAL), ("hash_mismatch", ORIGINAL), ("empty_answers", WITHHELD)} <= (
        found
    )


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"dataset": "villages"}, "misplaced_row"),
        ({"population": "withheld"}, "misplaced_row"),
        ({"twin_id": "towns/99/0/direct/original"}, "unknown_twin"),
        ({"answers": ()}, "empty_answers"),
        ({"governing_edit_ids": ("towns/99/0",)}, "unknown_governing"),
        ({"hidden_edit_ids": ("towns/99/0",)}, "unknown_hidden"),
        ({"hidden_edit_ids": ("towns/1/0",)}, "hidden_governs"),
        ({"governing_edit_ids": ("towns/1/0", "towns/2/0")}, "label_not_by_hops"),
        ({"governing_edit_ids": ()}, "label_not_by_hops"),
        ({"cluster": "elsewhere"}, "moving_cluster"),
        ({"question": "Vellmark, that is where Ardenbrook lies in"}, "unflagged_echo"),
        ({"question": "That place lies in"}, "unflagged_subject_missing"),
        ({"answers": ("Vellmark", "Ve")}, "unflagged_short_alias"),
        ({"pre_edit_answers": ("Vellmark",)}, "scored_gold_equals_target"),
    ],
)
def test_a_broken_row_is_told(benchmark: Path, fields: dict[str, Any], check: str) -> None:
    assert _rows(benchmark, ORIGINAL)[0].governing_edit_ids == ("towns/1/0",)
    validation = _update(benchmark, ORIGINAL, **fields)
    assert check in _errors(validation)
    assert validation.fails()
    finding = next(f for f in validation.findings if f.check == check)
    assert finding.record == "towns/1/0/direct/original"


def test_a_flag_makes_an_error_a_note_and_needs_a_finding(benchmark: Path) -> None:
    short = _update(benchmark, ORIGINAL, answers=("Vellmark", "Ve"), flags=("short_alias",))
    assert "flagged_short_alias" in short.counts
    assert _errors(short) == {"gold_not_of_edit"}  # and not for its length
    unfounded = _update(benchmark, ORIGINAL, answers=("Vellmark",), flags=("echo", "made_up"))
    assert unfounded.counts["unfounded_flag"] == 2
    # Once its gold was taken away, what was flagged of the gold is rightly gone.
    flags = ("gold_equals_target", "short_alias", "made_up")
    mended = _update(benchmark, ORIGINAL, answers=None, flags=flags)
    assert [f.reason for f in mended.findings if f.check == "unfounded_flag"] == [
        "flagged as made_up, which is no check"
    ]


def test_a_hidden_edit_in_a_reduced_index(shared_benchmark: Path) -> None:
    kept = {
        edit.edit_id
        for edit in read_records(shared_benchmark / "towns_edits/withheld.parquet", Edit)
    }
    rows = _rows(shared_benchmark, WITHHELD)
    at = next(n for n, row in enumerate(rows) if row.hidden_edit_ids)
    still_there = sorted(kept)[0]
    hidden = (*rows[at].hidden_edit_ids, still_there)
    validation = _update(shared_benchmark, WITHHELD, at, hidden_edit_ids=hidden)
    finding = next(f for f in validation.findings if f.check == "hidden_in_force")
    assert finding.other_records == (still_there,)


def test_an_edit_that_was_deleted_cannot_govern(shared_benchmark: Path) -> None:
    rows = _rows(shared_benchmark, WITHHELD)
    at = next(n for n, row in enumerate(rows) if row.hidden_edit_ids)
    gone = rows[at].hidden_edit_ids
    validation = _update(
        shared_benchmark, WITHHELD, at, governing_edit_ids=gone, hidden_edit_ids=()
    )
    assert "unknown_governing" in _errors(validation)


def test_repeated_ids_and_opposite_labels(benchmark: Path) -> None:
    def change(rows: list[Query]) -> list[Query]:
        out = {"query_id": "towns/1/1/direct/original", "governing_edit_ids": (), "hops": ()}
        return [*rows, rows[0], rows[0].model_copy(update=out)]

    errors = _errors(_rewrite(benchmark, ORIGINAL, change))
    assert {"duplicate_id", "opposite_labels", "count_mismatch"} <= errors


def test_a_cluster_in_both_folds(benchmark: Path) -> None:
    first, second = _rows(benchmark, ORIGINAL)[:2]
    fold = "dev" if second.fold == "test" else "test"
    validation = _update(benchmark, ORIGINAL, cluster=second.cluster, fold=fold)
    split = [f for f in validation.findings if f.check == "split_cluster"]
    assert second.cluster in {f.reason.removeprefix("cluster ") for f in split}
    assert first.query_id in {f.record for f in validation.findings if f.check == "moving_cluster"}


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        (b"", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[]", "not the manifest"),
        (b'{"format": "scopebench-benchmark", "format_version": 99}', "format version 99"),
        (
            b'{"format": "scopebench-benchmark", "format_version": 2, "name": "n", '
            b'"version": "1", "files": []}',
            "files",
        ),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, manifest: bytes, told: str) -> None:
    (tmp_path / "manifest.json").write_bytes(manifest)
    with pytest.raises(DataError) as error:
        validate_path(tmp_path)
    assert told in str(error.value)


def test_a_listed_path_outside_the_folder_is_not_read(benchmark: Path) -> None:
    outside = benchmark.parent / "outside.parquet"
    outside.write_bytes(b"x")
    manifest = json.loads((benchmark / "manifest.json").read_text())
    manifest["files"]["../outside.parquet"] = hashlib.sha256(b"x").hexdigest()
    (benchmark / "manifest.json").write_text(json.dumps(manifest))
    missing = [f.file for f in validate_path(benchmark).findings if f.check == "missing_file"]
    assert missing == ["../outside.parquet"]
