"""Reproduces one verified run: a sample of its answers, generated again and compared."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from scopebench.construct.reader import Benchmark
from scopebench.errors import EditorError, MissingDependency, ModelError
from scopebench.hub.identity import draws_of, temperature_of
from scopebench.hub.marks import state_of
from scopebench.models.generation_cache import GenerationCache
from scopebench.protocols import LanguageModel
from scopebench.records import Action, RunResult
from scopebench.reproduce.generate import Reasoner, generate, installed_editor
from scopebench.reproduce.local import Weights
from scopebench.reproduce.outcome import Mismatch, Reproduction, not_tried
from scopebench.reproduce.sample import Sample, draw_sample
from scopebench.run.draws import Decoding
from scopebench.run.provenance import environment

SILENT: Final[tuple[Action, ...]] = ("abstain",)
BOTH: Final[tuple[Action, ...]] = ("abstain", "reason")


def reproduce_run(
    folder: Path,
    result: RunResult,
    benchmark: Benchmark,
    weights: Weights,
    *,
    n: int,
    seed: int,
    salt: str,
    cache: GenerationCache | None = None,
) -> Reproduction:
    """Generate a sample of a run's answers again and compare their texts.

    Args:
        folder: The run's folder; it must have verified.
        result: Its `run.json`.
        benchmark: The benchmark it was made on.
        weights: Where the model and the encoder come from.
        n: At most so many outcomes.
        seed: Draws the sample.
        salt: The submission's id, which is told with the seed.
        cache: Where generations are kept until the sample is whole; None: nowhere.
    """
    try:
        model = weights.model(result.model, cache)
        _refuse_other_protocol(result, model)
    except (ModelError, MissingDependency) as error:
        return not_tried(str(error), seed=seed, asked=n)
    reasoner, lacking = _reasoner(result, weights)
    try:
        sample = draw_sample(
            folder, SILENT if reasoner is None else BOTH, n=n, seed=seed, salt=salt
        )
        texts = generate(sample.drawn, result, benchmark, model, reasoner)
    except EditorError as error:
        lacking = str(error)
        sample = draw_sample(folder, SILENT, n=n, seed=seed, salt=salt)
        texts = generate(sample.drawn, result, benchmark, model, None)
    left_out = {} if lacking is None else {"reason": lacking}
    said = Reproduction("not tried", "", seed, n, left_out=left_out)
    return _compared(sample, texts, model, said)


def _refuse_other_protocol(result: RunResult, model: LanguageModel) -> None:
    """Refuse prompts and decoding that are not those this scopebench has for the model.

    Raises:
        ModelError: Naming the first that differs.
    """
    prompts = model.prompts
    decoding = Decoding(temperature_of(result.protocol) or 0.0, draws_of(result.protocol) or 1)
    ours = {
        "prompts": f"{prompts.family}/{prompts.version}/{prompts.fingerprint()}",
        "decoding": decoding.in_words(model.max_new_tokens),
    }
    for name, value in ours.items():
        stored = getattr(result.protocol, name)
        if stored != value:
            raise ModelError(
                f"the {name} of the run are {stored!r}, and this scopebench has {value!r} for "
                f"{result.model.id}; use the scopebench that it was made with"
            )


def _reasoner(result: RunResult, weights: Weights) -> tuple[Reasoner | None, str | None]:
    """Return what executes `reason`, or why nothing here does."""
    if result.encoder is None:
        return None, "the run names no encoder"
    try:
        return Reasoner(installed_editor(result), weights.encoder(result.encoder)), None
    except (EditorError, ModelError, MissingDependency) as error:
        return None, str(error)


def _compared(
    sample: Sample, texts: list[str], model: LanguageModel, said: Reproduction
) -> Reproduction:
    pairs = list(zip(sample.drawn, texts, strict=True))
    if not pairs:
        return not_tried(
            "the run has no answer that could be generated again", seed=said.seed, asked=said.asked
        )
    equal = Counter(drawn.action for drawn, text in pairs if drawn.text == text)
    n = Counter(drawn.action for drawn, _ in pairs)
    return Reproduction(
        state=state_of(equal.total(), n.total()),
        reason="",
        seed=said.seed,
        asked=said.asked,
        rows=sample.rows,
        equal={action: equal[action] for action in sorted(n)},
        n=dict(sorted(n.items())),
        left_out=said.left_out,
        mismatches=tuple(
            Mismatch(d.query_id, d.condition, d.action, d.draw, d.text, text)
            for d, text in pairs
            if d.text != text
        ),
        machine={"device": model.ref.device, "dtype": model.ref.dtype, **environment()},
    )
