"""A population whose edits were partly deleted: what is read, written, deleted and told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.parquet as pq
import pytest

from scopebench.construct.reader import benchmark_files, read_benchmark
from scopebench.errors import DataError, EditorError
from scopebench.protocols import EditorInfo
from scopebench.records import SCHEMA_VERSION, Edit, RunResult
from scopebench.run import engine
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import RESULT_FILE, read_result, refuse_other_benchmark
from scopebench.run.journal import JOURNAL_FILE
from scopebench.scoring.tables import DECISIONS_FILE
from scopebench.testing import toy_context
from scopebench_editors.static.editor import StaticEditor
from scopebench_editors.static.info import INFO

STRUCTURED: EditorInfo = replace(INFO, conditions=("structured",))


class Recording(StaticEditor):
    """Tells what was done to it, one list of calls per editor that was built."""

    calls: ClassVar[list[list[tuple[str, list[str]]]]] = []

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self.mine: list[tuple[str, list[str]]] = []
        self.calls.append(self.mine)

    def write(self, edits: Iterable[Edit]) -> None:
        batch = list(edits)
        self.mine.append(("write", [edit.edit_id for edit in batch]))
        super().write(batch)

    def delete(self, edit_ids: Iterable[str]) -> None:
        ids = list(edit_ids)
        self.mine.append(("delete", ids))
        super().delete(ids)


Score = Callable[..., RunResult]


@pytest.fixture
def score(monkeypatch: pytest.MonkeyPatch) -> Score:
    def make(
        folder: Path, out: Path, editor: type = StaticEditor, info: EditorInfo = STRUCTURED
    ) -> RunResult:
        monkeypatch.setattr(engine, "load_factory", lambda asked: editor)
        return run_job(Job(read_benchmark(folder), info, toy_context(), out))

    return make


def ids(edits: Iterable[Edit]) -> list[str]:
    return [edit.edit_id for edit in edits]


def test_the_reader_tells_what_was_deleted(toy_folder: Callable[..., Path]) -> None:
    splits = read_benchmark(toy_folder()).datasets["toy"]
    assert ids(splits.index["curated"]) == ["toy/0/0", "toy/1/0", "toy/3/0"]
    assert ids(splits.deleted["curated"]) == ["toy/2/0"]
    assert len(splits.written["curated"]) == len(splits.index["original"]) == 4
    assert splits.deleted["original"] == ()
    intact = read_benchmark(toy_folder("intact", curated=None)).datasets["toy"]
    assert intact.index["curated"] == intact.index["original"]
    assert intact.deleted["curated"] == ()


def test_an_edit_that_was_never_written_is_refused(toy_folder: Callable[..., Path]) -> None:
    folder = toy_folder(index=(0, 1, 2), curated=(0, 3))
    with pytest.raises(DataError, match=r"record toy/3/0: the edit is not in index.parquet"):
        read_benchmark(folder)


def test_deleted_edits_are_written_in_order_and_deleted(
    toy_folder: Callable[..., Path], tmp_path: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recording, "calls", [])
    folder = toy_folder()
    deleting = score(folder, tmp_path / "deleting", Recording)
    whole = ["toy/0/0", "toy/1/0", "toy/2/0", "toy/3/0"]
    calls = [mine for mine in Recording.calls if mine]  # the run's identity needs an empty editor
    assert calls == [[("write", whole)], [("write", whole), ("delete", ["toy/2/0"])]]
    assert "delete" in deleting.timings

    monkeypatch.setattr(Recording, "calls", [])
    careless = replace(STRUCTURED, can_delete=False)
    never = score(folder, tmp_path / "never", Recording, careless)
    calls = [mine for mine in Recording.calls if mine]
    assert calls == [[("write", whole)], [("write", ["toy/0/0", "toy/1/0", "toy/3/0"])]]
    assert never.tables == deleting.tables  # this editor's deletion is exact

    rows = pq.read_table(tmp_path / "deleting" / DECISIONS_FILE).to_pylist()
    near = {row["query_id"]: row["near_edit_id"] for row in rows if row["population"] == "curated"}
    assert near == {
        "toy/0/0/direct/curated": None,
        "toy/1/0/same_subject/curated": "toy/1/0",
        "toy/2/0/refilled/curated": None,
    }
    assert "toy/2/0" not in {row["edit_id"] for row in rows if row["population"] == "curated"}
    # `static` fires on everything: both kinds out of scope are false fires, the direct one is right
    kinds = {
        row.kind: row
        for row in deleting.router
        if (row.population, row.stratum) == ("curated", "all") and row.kind != "all"
    }
    assert {kind: row.false_fire.value for kind, row in kinds.items()} == {
        "direct": None,
        "same_subject": 1.0,
        "refilled": 1.0,
    }
    assert kinds["same_subject"].undefined["accuracy"] == "no query has outcome gold"


def test_an_editor_that_keeps_what_was_deleted_is_named(
    toy_folder: Callable[..., Path], tmp_path: Path, score: Score
) -> None:
    class Hoarder(StaticEditor):
        def delete(self, edit_ids: Iterable[str]) -> None:
            pass

    with pytest.raises(EditorError, match=r"static used toy/2/0, hidden for toy/2/0/refilled"):
        score(toy_folder(), tmp_path / "run", Hoarder)


def test_a_run_is_tied_to_the_files_it_was_made_on(
    toy_folder: Callable[..., Path], tmp_path: Path, score: Score
) -> None:
    folder, out = toy_folder(), tmp_path / "run"
    result = score(folder, out)
    assert benchmark_files(folder) == result.benchmark.files
    refuse_other_benchmark(out, folder)

    other = toy_folder("other", curated=(0, 1))
    with pytest.raises(DataError) as caught:
        refuse_other_benchmark(out, other)
    said = str(caught.value)
    assert f"file {out}: the run was made on another benchmark than {other}" in said
    assert "toy_edits/curated.parquet has SHA-256" in said
    assert "score again with this one" in said and "\n" not in said
    with pytest.raises(DataError, match=r"differs in benchmark: toy_edits/curated.parquet has SHA"):
        score(other, out)

    victim = folder / "toy_structured" / "curated.parquet"
    victim.write_bytes((folder / "toy_structured" / "original.parquet").read_bytes())
    with pytest.raises(DataError, match=r"toy_structured/curated.parquet: the SHA-256 is not"):
        refuse_other_benchmark(out, folder)


def test_headroom_refuses_in_one_line(
    toy_folder: Callable[..., Path], tmp_path: Path, score: Score
) -> None:
    folder, out = toy_folder(), tmp_path / "run"
    result = score(folder, out)
    headroom = [str(Path(sys.executable).with_name("scopebench")), "headroom", str(out), "--json"]
    told = json.loads(subprocess.check_output([*headroom, "--benchmark", str(folder)]))
    assert told["kinds"] == [row.model_dump(mode="json") for row in result.kinds]

    def refusal(*more: object) -> str:
        done = subprocess.run(
            [*headroom, *map(str, more)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.strip().splitlines()
        return line

    other = toy_folder("other", curated=None)
    assert "toy_edits/curated.parquet is in the run's benchmark and not in the one given" in (
        refusal("--benchmark", other)
    )
    stored = json.loads((out / RESULT_FILE).read_text("utf-8"))
    (out / RESULT_FILE).write_text(json.dumps(stored | {"schema_version": 1}), encoding="utf-8")
    versions = f"a result of schema version 1; this scopebench reads version {SCHEMA_VERSION}; run"
    assert versions in refusal()
    (out / RESULT_FILE).unlink()
    assert "run `scopebench score` to the end" in refusal("--benchmark", folder)


@pytest.mark.parametrize("with_journal", [True, False])
def test_an_old_result_is_refused_and_left_alone(
    toy_folder: Callable[..., Path], tmp_path: Path, score: Score, with_journal: bool
) -> None:
    folder, out = toy_folder(), tmp_path / "run"
    score(folder, out)
    stored = json.loads((out / RESULT_FILE).read_text("utf-8"))
    assert stored["schema_version"] == SCHEMA_VERSION
    del stored["kinds"]  # which version 1 did not have
    old = json.dumps(stored | {"schema_version": 1})
    (out / RESULT_FILE).write_text(old, encoding="utf-8")
    if not with_journal:
        (out / JOURNAL_FILE).unlink()
    for attempt in (lambda: read_result(out), lambda: score(folder, out)):
        with pytest.raises(DataError, match=r"result of schema version 1; .*score` again"):
            attempt()
    assert (out / RESULT_FILE).read_text("utf-8") == old
