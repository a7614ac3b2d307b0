"""The engine over a toy model: what an editor may see, and what it may not do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from scopebench.construct import Benchmark, BuildOptions, build_benchmark, read_benchmark
from scopebench.errors import EditorError
from scopebench.protocols import EditorInfo
from scopebench.records import Answer, Condition, Decision, Query
from scopebench.run import engine
from scopebench.run.blind import blind, unblind
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
        build_benchmark(
            None, folder, BuildOptions(**{"limit": LIMIT, "curated_size": 0, **options})
        )
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


def clues(query: Query) -> set[tuple[str, str]]:
    """Return every field that says something, but what must be shown."""
    told = query.model_dump(mode="json", exclude={"dataset", "question", "form"})
    return {(name, json.dumps(value)) for name, value in told.items() if value}


class Peeking(StaticEditor):
    """Abstains where any field but the question tells of an out-of-scope query."""

    telling: ClassVar[set[tuple[str, str]]] = set()
    shown: ClassVar[list[Query]] = []

    def route(
        self, queries: Sequence[Query], *, condition: Condition, hidden: Sequence[frozenset[str]]
    ) -> list[Decision]:
        self.shown.extend(queries)
        decisions = super().route(queries, condition=condition, hidden=hidden)
        return [
            decision.model_copy(update={"action": "abstain"})
            if clues(query) & self.telling
            else decision
            for query, decision in zip(queries, decisions, strict=True)
        ]

    def act(
        self, queries: Any, action: Any, decisions: Any, *, condition: Condition
    ) -> list[Answer]:
        self.shown.extend(queries)
        return super().act(queries, action, decisions, condition=condition)


def test_an_editor_that_reads_every_field_learns_only_the_question(
    toy_folder: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = read_benchmark(toy_folder())
    every = [q for d in benchmark.datasets.values() for qs in d.queries.values() for q in qs]
    outside = [clues(query) for query in every if not query.in_scope]
    inside = [clues(query) for query in every if query.in_scope]
    telling = set().union(*outside) - set().union(*inside)
    assert all(told & telling for told in outside)  # the unblinded fields give every label away
    monkeypatch.setattr(Peeking, "telling", telling)
    monkeypatch.setattr(Peeking, "shown", [])
    peeking = run(benchmark, tmp_path / "peeking", monkeypatch, Peeking)
    plain = run(benchmark, tmp_path / "plain", monkeypatch)
    assert peeking.tables == plain.tables
    assert {row.population for row in plain.router} == {"original", "curated"}
    # Whatever the condition, population and label: equal questions are shown as equal records.
    asked = {(query.dataset, query.form, query.question) for query in every}
    by_question = {(q.dataset, q.form, q.question, q.query_id[-2:]): q for q in Peeking.shown}
    assert {key[:3] for key in by_question} == asked
    for query in Peeking.shown:
        assert query == by_question[query.dataset, query.form, query.question, query.query_id[-2:]]
    blank = dict.fromkeys(("query_id", "question"), "")
    alike = {query.model_copy(update=blank) for query in Peeking.shown}
    assert len(alike) == len({(query.dataset, query.form) for query in every})


def test_nothing_depends_on_the_opaque_ids(
    built: Callable[..., Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = built()
    plain = run(benchmark, tmp_path / "plain", monkeypatch)

    def numbered(queries: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(
            query.model_copy(update={"query_id": f"{len(queries) - number}"})
            for number, query in enumerate(blind(queries))
        )

    monkeypatch.setattr(engine, "blind", numbered)
    assert run(benchmark, tmp_path / "numbered", monkeypatch).tables == plain.tables


def test_equal_questions_get_ids_of_their_own(built: Callable[..., Benchmark]) -> None:
    query = built().datasets["counterfact"].queries["structured", "original"][0]
    twice = [query, query.model_copy(update={"query_id": "another"})]
    first, second = (shown.query_id for shown in blind(twice))
    assert first.partition("-")[0] == second.partition("-")[0]
    assert (first[-2:], second[-2:]) == ("-0", "-1")
    named = unblind([Decision(query_id=i, action="abstain") for i in (first, second)], twice)
    assert [decision.query_id for decision in named] == [query.query_id, "another"]


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
    assert (withheld.false_fire.value, withheld.miss.value) == (1, 0)


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

    class Stranger(StaticEditor):
        def route(self, queries: Any, *, condition: Any, hidden: Any) -> list[Decision]:
            decided = super().route(queries, condition=condition, hidden=hidden)
            return [decision.model_copy(update={"query_id": "x"}) for decision in decided]

    for editor, said in (
        (Stranger, r"static answered query counterfact/\S+ \(structured\), asked as .* for x"),
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
    assert cell.accuracy["recite"] is None
    assert cell.headroom.value is None
    assert cell.undefined["headroom"] == cell.undefined["static_fixed"]
    assert cell.oracle == cell.accuracy["abstain"]


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
