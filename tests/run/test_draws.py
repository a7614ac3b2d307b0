"""Stochastic decoding: what is refused, what an editor's model does, and what a run writes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scopebench.cli import main
from scopebench.construct import read_benchmark
from scopebench.errors import ModelError
from scopebench.protocols import GenerationRequest, LanguageModel, Sampling
from scopebench.records import ACTIONS, Condition, Decision, Query
from scopebench.run import engine
from scopebench.run.draws import Decoding, DrawingModel
from scopebench.run.engine import Job, protocol_of, run_job
from scopebench.run.journal import JOURNAL_FILE
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE
from scopebench.testing import ToyModel, toy_context
from scopebench_editors.inlay.editor import InlayEditor
from scopebench_editors.inlay.info import INFO

WARM = Decoding(0.7, 3)


@pytest.mark.parametrize(
    ("temperature", "draws", "said"),
    [
        (-0.1, 1, "must be 0 or above and finite, not -0.1"),
        (math.inf, 1, "finite, not inf"),
        (math.nan, 1, "finite, not nan"),
        (0.7, 0, "at least 1 draw, not 0"),
        (0.0, 3, "3 draws at temperature 0 would all be the same"),
    ],
)
def test_what_makes_no_sense_is_refused(temperature: float, draws: int, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        Decoding(temperature, draws)


def test_decoding_in_words_is_part_of_the_protocol() -> None:
    assert Decoding().in_words(16) == "greedy, at most 16 new tokens, first line"
    assert WARM.in_words(16) == (
        "sampled at temperature 0.7, 3 draws, at most 16 new tokens, first line"
    )
    assert Decoding(1, 1).in_words(8) == Decoding(1.0, 1).in_words(8)
    assert Decoding(1, 1).in_words(8).startswith("sampled at temperature 1.0, 1 draw, at most 8")
    context = toy_context()
    ids = {
        protocol_of(context, decoding).protocol_id
        for decoding in (Decoding(), WARM, Decoding(0.7, 4), Decoding(0.8, 3))
    }
    assert len(ids) == 4
    assert protocol_of(context) == protocol_of(context, Decoding())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--temperature", "-0.5"), "must be 0 or above and finite, not -0.5"),
        (("--temperature", "nan"), "must be 0 or above and finite, not nan"),
        (("--draws", "3"), "3 draws at temperature 0 would all be the same"),
        (("--temperature", "1", "--draws", "0"), "at least 1 draw, not 0"),
    ],
)
def test_the_verb_refuses_in_one_line(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["score", "--editor", "inlay", "--out", str(tmp_path / "run"), *options])
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert said in told.err
    assert len(told.err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_the_verb_warns_of_a_single_draw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere, out = str(tmp_path / "nowhere"), str(tmp_path / "run")
    for options, warned in (
        (("--temperature", "1"), True),
        (("--temperature", "1", "--draws", "2"), False),
        ((), False),
    ):
        with pytest.raises(SystemExit):
            main(["score", "--editor", "base", "--benchmark", nowhere, "--out", out, *options])
        assert ("noise of sampling cannot be measured" in capsys.readouterr().err) is warned


class Recording(ToyModel):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[GenerationRequest] = []

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        self.heard.extend(requests)
        return super().generate(requests)


def test_generations_are_sampled_while_a_draw_is_in_force_and_playback_never_is() -> None:
    inner = Recording()
    model = DrawingModel(inner, 0.7, seed=5)
    as_promised: LanguageModel = model
    asked, played = GenerationRequest("Q", 8), GenerationRequest("Q", 2, playback=(65, 66))
    [greedy] = as_promised.generate([asked])
    with model.draw(2):
        drawn, recited = model.generate([asked, played])
    [after] = model.generate([asked])
    assert greedy == after != drawn
    assert recited == "AB"
    sampled = replace(asked, sampling=Sampling(0.7, 5, 2))
    assert inner.heard == [asked, sampled, played, asked]
    assert (model.ref, model.prompts, model.max_new_tokens) == (inner.ref, inner.prompts, 8)
    assert model.answer_tokens("AB") == (65, 66)


def test_without_a_temperature_a_draw_changes_nothing() -> None:
    inner = Recording()
    model = DrawingModel(inner, 0.0, seed=5)
    with model.draw(0):
        model.generate([GenerationRequest("Q", 8)])
    assert inner.heard == [GenerationRequest("Q", 8)]


def test_a_draw_ends_where_its_action_fails() -> None:
    model = DrawingModel(ToyModel(), 0.7, seed=5)
    [greedy] = model.generate([GenerationRequest("Q", 8)])
    with pytest.raises(KeyboardInterrupt), model.draw(1):
        raise KeyboardInterrupt
    assert model.generate([GenerationRequest("Q", 8)]) == [greedy]


class Musing(InlayEditor):
    """Has the model say something before it decides, and remembers what it heard."""

    mused: tuple[str, ...] = ()

    def route(
        self, queries: Sequence[Query], *, condition: Condition, hidden: Sequence[frozenset[str]]
    ) -> list[Decision]:
        asked = [GenerationRequest(query.question, 8) for query in queries]
        type(self).mused += tuple(self._context.model.generate(asked))
        return super().route(queries, condition=condition, hidden=hidden)


class Run:
    """A run of the toy benchmark, as its tables."""

    def __init__(self, out: Path) -> None:
        self.outcomes = pq.read_table(out / OUTCOMES_FILE).to_pylist()
        self.decisions = pq.read_table(out / DECISIONS_FILE).to_pylist()
        self.bytes = [(out / name).read_bytes() for name in (OUTCOMES_FILE, DECISIONS_FILE)]


@pytest.fixture
def run(
    toy_folder: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    benchmark = read_benchmark(toy_folder())
    monkeypatch.setattr(engine, "load_factory", lambda info: Musing)

    def make(name: str, decoding: Decoding = WARM, seed: int = 0) -> Run:
        Musing.mused = ()
        context = toy_context(seed)
        run_job(Job(benchmark, INFO, context, tmp_path / name, None, decoding))
        return Run(tmp_path / name)

    return make


def test_a_run_holds_every_action_and_draw_of_every_query(run: Callable[..., Run]) -> None:
    found = run("warm")
    executed = Counter((row["query_id"], row["action"], row["draw"]) for row in found.outcomes)
    assert set(executed.values()) == {1}
    assert set(executed) == {
        (row["query_id"], action, draw)
        for row in found.decisions
        for action in ACTIONS
        for draw in range(3)
    }
    texts: dict[tuple[str, str], list[str]] = {}
    for row in found.outcomes:
        texts.setdefault((row["query_id"], row["action"]), []).append(row["text"])
    for (_, action), drawn in texts.items():
        assert len(set(drawn)) == (1 if action == "recite" else 3)


def test_decisions_do_not_depend_on_draws(run: Callable[..., Run]) -> None:
    warm, heard = run("warm"), Musing.mused
    greedy = run("greedy", Decoding())
    assert heard == Musing.mused != ()
    assert warm.decisions == greedy.decisions
    assert {row["draw"] for row in greedy.outcomes} == {0}
    one = run("one", Decoding(0.7, 1))
    assert one.outcomes == [row for row in warm.outcomes if row["draw"] == 0]


def test_the_seed_seeds_the_draws(run: Callable[..., Run]) -> None:
    first, again, other = run("first"), run("again"), run("other", seed=1)
    assert first.bytes == again.bytes
    reasons = [
        [row["text"] for row in found.outcomes if row["action"] == "reason"]
        for found in (first, other)
    ]
    assert not set(reasons[0]) & set(reasons[1])


def test_a_stopped_run_goes_on_between_two_draws(run: Callable[..., Run], tmp_path: Path) -> None:
    whole = run("whole")
    lines = (tmp_path / "whole" / JOURNAL_FILE).read_bytes().splitlines(keepends=True)
    units = [n for n, line in enumerate(lines) if b'"unit"' in line]
    assert len(units) == 18  # two populations, three actions, three draws
    for kept in (0, 1, 4, 11):
        stopped = tmp_path / f"stopped-{kept}"
        stopped.mkdir()
        (stopped / JOURNAL_FILE).write_bytes(b"".join(lines[: units[kept]]) + b'{"unit": "to')
        assert run(f"stopped-{kept}").bytes == whole.bytes


def test_the_surface_and_the_card_of_each_decision(run: Callable[..., Run]) -> None:
    rows = {row["query_id"]: row for row in run("greedy", Decoding()).decisions}
    told = {
        query_id: (row["subject_match"], row["template_match"])
        for query_id, row in rows.items()
        if row["population"] == "curated"
    }
    assert told == {
        "toy/0/0/direct/curated": (True, True),
        "toy/1/0/same_subject/curated": (True, False),
        "toy/2/0/refilled/curated": (False, True),  # its edit was deleted, its form is asked still
    }
    for row in rows.values():
        town = ("Ardenbrook", "Corriston", "Quellmouth", "Pellworth")[int(row["edit_id"][4])]
        assert row["card_question"] == f"Where does {town} lie?"
        assert row["card_answer"] == "Vell"


def test_without_a_card_there_is_none_to_show(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(self: Any, queries: Sequence[Query], **given: Any) -> list[Decision]:
        return [Decision(query_id=query.query_id, action="abstain") for query in queries]

    monkeypatch.setattr(Musing, "route", silent)
    rows = run("silent", Decoding()).decisions
    assert {(row["card_question"], row["card_answer"]) for row in rows} == {(None, None)}
