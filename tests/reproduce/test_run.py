"""Generating a sample of a run again: what is equal, what is not, and what cannot be tried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import beta

from scopebench.construct import read_benchmark
from scopebench.protocols import GenerationRequest
from scopebench.reproduce.outcome import Reproduction
from scopebench.reproduce.run import BOTH, SILENT, reproduce_run
from scopebench.reproduce.sample import draw_sample
from scopebench.run.folder import read_result, write_result
from scopebench.testing import ToyModel


def reproduced(folder: Path, bench: Path, weights: Any, n: int = 40, seed: int = 0) -> Reproduction:
    return reproduce_run(
        folder, read_result(folder), read_benchmark(bench), weights, n=n, seed=seed, salt="id"
    )


@pytest.mark.parametrize("name", ["inlay", "drawn"])
def test_every_answer_of_a_real_run_comes_out_again(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any], name: str
) -> None:
    found = reproduced(toy_runs[name], toy_runs["bench"], handed_out(), n=10**6)
    assert (found.state, found.mismatches, dict(found.left_out)) == ("reproduced", (), {})
    assert found.total == found.total_equal == found.rows == sum(found.n.values())
    assert set(found.n) == {"abstain", "reason"} and min(found.n.values()) > 20


def test_an_invented_run_does_not(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any], fake: Callable[..., Path]
) -> None:
    found = reproduced(fake(), toy_runs["bench"], handed_out())
    assert (found.state, found.total_equal, found.total) == ("not reproduced", 0, 40)
    assert found.low == 0.0
    first = found.mismatches[0]
    assert first.generated.startswith("toy-") and not first.stored.startswith("toy-")
    assert {each.action for each in found.mismatches} == {"abstain", "reason"}


@pytest.mark.parametrize("action", ["abstain", "reason"])
def test_each_of_both_actions_is_looked_at(
    toy_runs: dict[str, Path],
    handed_out: Callable[..., Any],
    fake: Callable[..., Path],
    action: str,
) -> None:
    found = reproduced(fake(actions=(action,)), toy_runs["bench"], handed_out())
    other = "reason" if action == "abstain" else "abstain"
    assert found.equal == {action: 0, other: found.n[other]}
    assert found.state == "not reproduced"


def test_a_tenth_may_differ_and_the_bound_is_the_exact_one(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any]
) -> None:
    class Flips(ToyModel):
        """Says something else in four of forty answers, as another machine may."""

        left = 4

        def answer(self, prompt: str, sampling: Any = None) -> str:
            text = super().answer(prompt, sampling)
            self.left -= 1
            return text if self.left < 0 else text.upper()

    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(model_=Flips()))
    assert (found.state, found.total_equal, found.total) == ("reproduced", 36, 40)
    # Clopper and Pearson: the p at which 36 or more of 40 has probability 0.05.
    assert found.low == pytest.approx(beta.ppf(0.05, 36, 5), abs=1e-9)

    Flips.left = 5
    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(model_=Flips()))
    assert (found.state, found.total_equal) == ("not reproduced", 35)


def test_all_of_fifty_is_at_least_0_94(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any]
) -> None:
    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(), n=50)
    assert found.low == pytest.approx(0.05 ** (1 / 50), abs=1e-9)  # 0.9418


def test_a_model_that_is_not_here_is_told(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any]
) -> None:
    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(lacking="model"))
    assert (found.state, found.low, found.total) == ("not tried", None, 0)
    assert found.reason == "model toy-model is not here; run: scopebench fetch toy-model"


def test_without_the_editor_only_abstain_is_tried(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any], tmp_path: Path
) -> None:
    result = read_result(toy_runs["inlay"])
    for changed, told in (
        ({"name": "unheard-of"}, "the editor 'unheard-of' is not installed"),
        ({"version": "0.0.0"}, "is installed in version"),
        ({"origin": "mine.py:Mine"}, "the editor is a file of the submitter's, mine.py:Mine"),
    ):
        other = result.model_copy(update={"editor": result.editor.model_copy(update=changed)})
        found = reproduce_run(
            toy_runs["inlay"],
            other,
            read_benchmark(toy_runs["bench"]),
            handed_out(),
            n=20,
            seed=0,
            salt="id",
        )
        assert (found.state, list(found.n)) == ("reproduced", ["abstain"])
        assert told in found.left_out["reason"]
    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(lacking="encoder"))
    assert list(found.n) == ["abstain"] and "toy-encoder is not here" in found.left_out["reason"]


def test_prompts_and_decoding_of_another_version_are_not_tried(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any], tmp_path: Path
) -> None:
    model = ToyModel()
    model.max_new_tokens = 9
    found = reproduced(toy_runs["inlay"], toy_runs["bench"], handed_out(model_=model))
    assert found.state == "not tried"
    assert "the decoding of the run are 'greedy, at most 8 new tokens" in found.reason
    result = read_result(toy_runs["inlay"])
    protocol = result.protocol.model_copy(update={"prompts": "toy/2/toy"})
    (tmp_path / "other").mkdir()
    write_result(tmp_path / "other", result.model_copy(update={"protocol": protocol}))
    found = reproduced(tmp_path / "other", toy_runs["bench"], handed_out())
    assert "the prompts of the run are 'toy/2/toy', and this scopebench has" in found.reason


def test_the_prompts_are_those_of_the_protocol(
    toy_runs: dict[str, Path], handed_out: Callable[..., Any]
) -> None:
    class Listens(ToyModel):
        heard: list[GenerationRequest]

        def generate(self, requests: Any) -> list[str]:
            self.heard = [*getattr(self, "heard", []), *requests]
            return super().generate(requests)

    model = Listens()
    reproduced(toy_runs["drawn"], toy_runs["bench"], handed_out(model_=model))
    assert {request.max_new_tokens for request in model.heard} == {8}
    drawn = {request.sampling for request in model.heard}
    assert {(s.temperature, s.seed, s.draw) for s in drawn if s} == {(0.7, 3, 0), (0.7, 3, 1)}
    assert None not in drawn
    assert any(request.prompt.startswith("evidence: ") for request in model.heard)


def test_a_sample_is_a_matter_of_seed_and_run_alone(toy_runs: dict[str, Path]) -> None:
    folder = toy_runs["inlay"]

    def sample(seed: int, salt: str, n: int = 30) -> list[Any]:
        return list(draw_sample(folder, BOTH, n=n, seed=seed, salt=salt).drawn)

    assert sample(0, "a") == sample(0, "a")
    assert sample(0, "a", 10) == sample(0, "a")[:10]
    assert sample(0, "a") != sample(1, "a") and sample(0, "a") != sample(0, "b")
    every = draw_sample(folder, SILENT, n=10**6, seed=0, salt="a")
    assert len(every.drawn) == every.rows
    keys = {(d.query_id, d.condition, d.action, d.draw) for d in every.drawn}
    assert len(keys) == every.rows and {d.action for d in every.drawn} == {"abstain"}
