"""The engine over a toy model: what an editor may see, and what it may not do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scopebench.build import Benchmark, BuildOptions, build_benchmark, read_benchmark
from scopebench.errors import EditorError
from scopebench.protocols import EditorInfo
from scopebench.records import Answer, Condition, Decision, Query
from scopebench.run import engine
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import read_result
from scopebench.testing import toy_context
from scopebench_editors.static.editor import StaticEditor
from scopebench_editors.static.info import INFO

LIMIT = 6


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Benchmark]:
    def build(**options: Any) -> Benchmark:
        folder = tmp_path_factory.mktemp("built") / "out"
        build_benchmark(None, folder, BuildOptions(limit=LIMIT, **options))
        return read_benchmark(folder)

    return build


def run(
    benchmark: Benchmark,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    editor: type = StaticEditor,
    info: EditorInfo = INFO,
) -> Any:
    monkeypatch.setattr(engine, "load_factory", lambda asked: editor)
    return run_job(Job(benchmark, info, toy_context(), out))


class Curious(StaticEditor):
    """Fails if any gold or label is shown to it."""

    def route(
        self, queries: Sequence[Query], *, condition: Condition, hidden: Sequence[frozenset[str]]
    ) -> list[Decision]:
        for query in queries:
            assert query.answers is None
            assert query.pre_edit_answers is None
            assert query.governing_edit_ids == query.hidden_edit_ids == ()
            assert query.twin_id is None
        return super().route(queries, condition=condition, hidden=hidden)


def test_gold_and_labels_are_never_shown_to_an_editor(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curious = run(built(), tmp_path / "curious", monkeypatch, Curious)
    plain = run(built(), tmp_path / "plain", monkeypatch)
    assert curious.tables == plain.tables
    assert {row.population for row in plain.router} == {"original", "withheld"}


def test_an_editor_that_cannot_mask_needs_a_shared_index(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maskless = replace(INFO, can_mask=False)
    with pytest.raises(EditorError, match="--withhold shared"):
        run(built(), tmp_path / "own", monkeypatch, info=maskless)

    seen: list[frozenset[str]] = []

    class Maskless(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            seen.extend(hidden)
            return super().route(queries, condition=condition, hidden=hidden)

    result = run(built(withhold="shared"), tmp_path / "shared", monkeypatch, Maskless, maskless)
    assert not any(seen)
    withheld = next(row for row in result.router if row.population == "withheld")
    # `static` fires on everything, and the half whose edits are not in the index is out of scope.
    assert (withheld.false_fire, withheld.miss) == (1, 0)


def test_wrong_editors_are_named(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Short(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            return super().route(queries, condition=condition, hidden=hidden)[1:]

    class Cheat(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            nothing = [frozenset[str]()] * len(queries)
            return super().route(queries, condition=condition, hidden=nothing)

    class Outlaw(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            decided = super().route(queries, condition=condition, hidden=hidden)
            return [decision.model_copy(update={"action": "recite"}) for decision in decided]

    class Mute(StaticEditor):
        def act(self, queries: Any, action: Any, decisions: Any, *, condition: Any) -> list[Answer]:
            return []

    for editor, said in (
        (Short, "static made 5 decisions for 6 queries"),
        (Cheat, "hidden for counterfact/"),
        (Outlaw, r"\(unstructured\) with 'recite'"),
        (Mute, "0 answers for 6 queries"),
    ):
        with pytest.raises(EditorError, match=said):
            run(built(), tmp_path / editor.__name__, monkeypatch, editor)


def test_an_editor_that_only_abstains_has_an_oracle_and_no_headroom(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            return [Decision(query_id=query.query_id, action="abstain") for query in queries]

    only: dict[Condition, tuple[Any, ...]] = {
        "structured": ("abstain",),
        "unstructured": ("abstain",),
        "extracted": ("abstain",),
    }
    result = run(built(), tmp_path / "x", monkeypatch, Silent, replace(INFO, actions=only))
    cell = result.cells[0]
    assert cell.accuracy.recite is None
    assert cell.headroom.value is None
    assert cell.undefined["headroom.value"] == cell.undefined["static_fixed"]
    assert cell.oracle == cell.accuracy.abstain


def test_what_is_derived_is_healed_from_the_journal(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, out = built(), tmp_path / "run"
    run(benchmark, out, monkeypatch)
    names = ("outcomes.parquet", "decisions.parquet")
    before = [(out / name).read_bytes() for name in names]
    for broken, damage in (
        ("run.json", b"{"),
        ("run.json", b""),
        (names[0], b"PAR1"),
        (names[1], b""),
    ):
        (out / broken).write_bytes(damage)
        result = run(benchmark, out, monkeypatch)
        assert [(out / name).read_bytes() for name in names] == before
        assert read_result(out) == result
