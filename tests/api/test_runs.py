"""Scoring from Python: every form of an editor, what `run.json` says, and where a run lies."""

from __future__ import annotations

import gc
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from subject_editor import SubjectEditor

import scopebench as sb
from scopebench.errors import DataError, EditorError, UsageError
from scopebench.run.provenance import digest, file_digest
from scopebench.testing import toy_context

FILE = Path(__file__).with_name("subject_editor.py")


def test_a_run_says_where_its_editor_is_from(runs: dict[str, sb.Run]) -> None:
    stored = json.loads((runs["subject"].path / "run.json").read_text("utf-8"))["editor"]
    named = {"name": "SubjectEditor", "version": "1.5", "params": {"floor": 1}}
    source = file_digest(FILE)
    assert stored == {
        **named,
        "sha256": digest(named | {"source_sha256": source}),
        "needs_gradients": False,
        "origin": "subject_editor:SubjectEditor",
        "source_sha256": source,
    }
    registered = runs["base"].result.editor
    assert (registered.origin, registered.source_sha256) == (None, None)
    without = {"name": "base", "version": registered.version, "params": registered.params}
    assert registered.sha256 == digest(without)


def test_the_tables_are_those_of_every_action(runs: dict[str, sb.Run]) -> None:
    run = runs["subject"]
    decisions = run.decisions.to_pandas()
    assert decisions.population.value_counts()["original"] == 12
    # Every question of `original` holds the subject of its own edit.
    assert set(decisions[decisions.population == "original"].action) == {"recite"}
    outcomes = run.outcomes.to_pandas()
    assert len(outcomes) == 3 * len(decisions)
    assert str(run) == f"SubjectEditor beside toy-model: run {run.result.run_id} at {run.path}"


def test_a_whole_run_verifies_and_is_submitted(
    runs: dict[str, sb.Run], bench: sb.BuiltBenchmark, tmp_path: Path
) -> None:
    run = runs["subject"]
    found = sb.verify(run, benchmark=bench)
    assert [str(fault) for fault in found.faults] == []
    assert sb.validate(run, benchmark=bench).counts == {}
    planned = sb.submit(run, tmp_path, benchmark=bench, dry_run=True)
    assert planned.sent is None
    assert list(tmp_path.iterdir()) == []
    sent = sb.submit(run, tmp_path, benchmark=bench).sent
    assert sent is not None
    assert sent.state == "sent"
    for path, size in planned.files.items():
        assert (tmp_path / path).stat().st_size == size
    again = sb.submit(run.path, str(tmp_path), benchmark=bench.path).sent
    assert again is not None
    assert again.state == "in the repository"


@pytest.mark.parametrize("field", ["origin", "source_sha256"])
def test_a_run_that_lies_about_its_source_does_not_verify(
    runs: dict[str, sb.Run], bench: sb.BuiltBenchmark, tmp_path: Path, field: str
) -> None:
    shutil.copytree(runs["subject"].path, tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    stored = json.loads(file.read_text("utf-8"))
    for value, check in ((None, "bad_value"), ("<b>", "bad_text")):
        stored["editor"][field] = value
        file.write_text(json.dumps(stored), encoding="utf-8")
        faults = sb.verify(tmp_path / "run", benchmark=bench).faults
        if field == "source_sha256":
            assert {"bad_value", "hash_mismatch"} <= {fault.check for fault in faults}
        else:
            assert check in {fault.check for fault in faults}


@pytest.mark.parametrize(
    "editor",
    [
        "subject_editor:SubjectEditor",
        f"{FILE}:SubjectEditor",
        SubjectEditor(toy_context()),
    ],
    ids=["module", "file", "object"],
)
def test_every_form_gives_the_same_run(
    editor: Any, runs: dict[str, sb.Run], bench: sb.BuiltBenchmark, toys: dict[str, Any]
) -> None:
    run = sb.score(editor, bench.path, **toys)
    assert run.result.run_id == runs["subject"].result.run_id
    for name in ("outcomes.parquet", "decisions.parquet"):
        assert (run.path / name).read_bytes() == (runs["subject"].path / name).read_bytes()


def test_draws_reach_an_object_through_its_context(
    bench: sb.BuiltBenchmark, toys: dict[str, Any]
) -> None:
    drawn = sb.score(SubjectEditor(toy_context()), bench, temperature=0.7, draws=2, limit=4, **toys)
    outcomes = drawn.outcomes.to_pandas()
    texts = outcomes[outcomes.action == "abstain"].groupby("query_id").text.nunique()
    assert set(texts) == {2}, "the toy model gives every draw its own text"


def test_changed_code_does_not_go_on_with_a_run(
    bench: sb.BuiltBenchmark, toys: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    text = "from subject_editor import SubjectEditor\nclass Mine(SubjectEditor):\n    a = 1\n"
    file.write_text(text, encoding="utf-8")
    options = {"limit": 2, "out": tmp_path / "run", **toys}
    first = sb.score(f"{file}:Mine", bench, **options)
    written = (first.path / "run.json").stat().st_mtime_ns
    same = sb.score(f"{file}:Mine", bench, **options)
    assert (same.path / "run.json").stat().st_mtime_ns == written
    file.write_text(text.replace("1", "2"), encoding="utf-8")
    with pytest.raises(DataError, match="another run"):
        sb.score(f"{file}:Mine", bench, **options)


def test_without_out_a_run_lives_as_long_as_its_object(
    bench: sb.BuiltBenchmark, toys: dict[str, Any], tmp_path: Path
) -> None:
    run = sb.score("base", bench, limit=2, **toys)
    folder = run.path
    assert (folder / "run.json").is_file()
    kept = run.save(tmp_path / "kept")
    with pytest.raises(DataError, match="is there already"):
        run.save(tmp_path / "kept")
    decisions = run.decisions
    del run
    gc.collect()
    assert not folder.exists()
    assert kept.decisions == decisions
    assert sb.open_run(tmp_path / "kept").result == kept.result


def test_an_editor_that_is_none_leaves_nothing_behind(
    bench: sb.BuiltBenchmark, toys: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(EditorError, match="is no editor"):
        sb.score(f"{FILE}:NoEditor", bench, out=tmp_path / "run", **toys)
    assert not (tmp_path / "run").exists()


def test_a_changed_run_is_not_opened(runs: dict[str, sb.Run], tmp_path: Path) -> None:
    shutil.copytree(runs["base"].path, tmp_path / "run")
    table = tmp_path / "run" / "decisions.parquet"
    table.write_bytes(table.read_bytes() + b"\0")
    with pytest.raises(DataError, match=r"not the one that run\.json was made with"):
        sb.open_run(tmp_path / "run")
    with pytest.raises(DataError, match=r"run\.json"):
        sb.open_run(tmp_path / "nowhere")


def test_a_benchmark_tells_what_it_holds(bench: sb.BuiltBenchmark) -> None:
    assert str(bench).startswith("scopebench-mine ")
    queries = bench.queries("mine", "structured", "original")
    assert len(queries) == 12
    shown = bench.show(queries[0].query_id)
    assert shown["query"]["question"] == queries[0].question
    with pytest.raises(UsageError, match="holds no data set 'yours'; it holds mine"):
        bench.queries("yours", "structured", "original")
    with pytest.raises(UsageError, match="mine has no extracted/original; it has structured/"):
        bench.queries("mine", "extracted", "original")
