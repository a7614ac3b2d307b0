"""The language model, on a tiny one and on the real default."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.errors import ModelError
from scopebench.models import GenerationCache, load_language_model
from scopebench.models.causal_lm import MAX_NEW_TOKENS, CausalLM, first_line
from scopebench.protocols import GenerationRequest, LanguageModel, Sampling

ANSWERS = [
    "Croatia",
    "Kolinda Grabar-Kitarović",
    "東京都",
    "김연아",
    "São Tomé and Príncipe",
    "O'Brien & Sons (Dublin), 1st ed.",
    "7",
    "The Lord of the Rings: The Fellowship of the Ring, extended edition, disc one of two",
    "naïve 🎻",
    "  Paris ",
]


@pytest.fixture
def tiny(tiny_dir: Path) -> CausalLM:
    return load_language_model(str(tiny_dir), device="cpu")


def requests(count: int = 10) -> list[GenerationRequest]:
    return [
        GenerationRequest(f"Invented question number {n * n * 7}: {'why ' * (n % 4)}", 3 + n % 5)
        for n in range(count)
    ]


def weights_loaded(model: CausalLM) -> bool:
    return "_model" in vars(model)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        (" \n\n Paris \nFrance", "Paris"),
        ("Paris\r\nFrance", "Paris"),
        ("one two\u2028three", "one two\u2028three"),
    ],
)
def test_first_line(text: str, line: str) -> None:
    assert first_line(text) == line


def test_it_is_a_language_model(tiny: CausalLM) -> None:
    as_promised: LanguageModel = tiny
    assert as_promised.max_new_tokens == MAX_NEW_TOKENS == 16
    assert as_promised.prompts.family == "generic"
    assert (tiny.ref.id, tiny.ref.dtype, tiny.ref.device) == ("tiny", "float32", "cpu")
    assert len(tiny.ref.revision) == 64


def test_the_reference_needs_no_weights_and_counts_them_right(tiny: CausalLM) -> None:
    parameters = tiny.ref.parameters
    assert not weights_loaded(tiny)
    assert parameters == sum(p.numel() for p in tiny._model.parameters())


def test_order_and_batching_make_no_difference(tiny_dir: Path, tiny: CausalLM) -> None:
    asked = requests(20)
    texts = tiny.generate(asked)
    assert tiny.generate(asked[::-1]) == texts[::-1]
    assert tiny.generate([asked[3], asked[3]]) == [texts[3]] * 2
    alone = load_language_model(str(tiny_dir), device="cpu", batch_size=1)
    assert alone.generate(asked) == texts
    assert tiny.generate([]) == []


def test_a_full_cache_needs_no_weights(tiny_dir: Path, tmp_path: Path) -> None:
    asked = requests()
    with GenerationCache(tmp_path / "c") as cache:
        texts = load_language_model(str(tiny_dir), device="cpu", cache=cache).generate(asked)
        done: list[int] = []
        again = load_language_model(str(tiny_dir), device="cpu", cache=cache, progress=done.append)
        assert again.generate([*asked, asked[0]]) == [*texts, texts[0]]
        assert not weights_loaded(again)
        assert done == [11]


def test_equal_requests_are_generated_once(tiny_dir: Path, tmp_path: Path) -> None:
    with GenerationCache(tmp_path / "c") as cache:
        model = load_language_model(str(tiny_dir), device="cpu", cache=cache)
        model.generate([*requests(3), *requests(3)])
        assert len(cache) == 3


def test_an_interrupted_call_goes_on_with_the_same_batches(
    tiny_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scopebench.models import causal_lm

    batches: list[list[Any]] = []

    def recording(model: Any, rows: Any, stop: Any) -> Any:
        batches.append(list(rows))
        return decode(model, rows, stop)

    decode = causal_lm.decode_batch
    monkeypatch.setattr(causal_lm, "decode_batch", recording)

    def load(cache: GenerationCache, progress: Callable[[int], None] | None = None) -> CausalLM:
        return load_language_model(
            str(tiny_dir), device="cpu", batch_size=4, cache=cache, progress=progress
        )

    asked = requests(18)
    with GenerationCache(tmp_path / "whole") as cache:
        expected = load(cache).generate(asked)
    whole, batches[:] = list(batches), []
    assert len(whole) >= 5

    def interrupt(done: int) -> None:
        if len(batches) == 2:
            raise KeyboardInterrupt

    with GenerationCache(tmp_path / "cut") as cache:
        with pytest.raises(KeyboardInterrupt):
            load(cache, interrupt).generate(asked)
        assert len(cache) == len(whole[0]) + len(whole[1])
        assert load(cache).generate(asked[::-1]) == expected[::-1]
    assert batches == whole


@given(st.text(max_size=30))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_playback_is_the_text(tiny_dir: Path, text: str) -> None:
    model = _tiny_once(tiny_dir)
    try:
        tokens = model.answer_tokens(text)
    except ModelError:
        assert not text.strip() or "\n" in text.strip()
        return
    request = GenerationRequest("Q: what?\nA:", max_new_tokens=1, playback=tokens)
    assert model.generate([request]) == [text.strip()]


_MODELS: dict[Path, CausalLM] = {}


def _tiny_once(folder: Path) -> CausalLM:
    if folder not in _MODELS:
        _MODELS[folder] = load_language_model(str(folder), device="cpu")
    return _MODELS[folder]


@pytest.mark.parametrize("text", ["two\nlines", "", "  ", "an <end> inside"])
def test_an_answer_that_cannot_be_played_is_noticed(tiny: CausalLM, text: str) -> None:
    with pytest.raises(ModelError, match=r"answer .*cannot be played|cannot play back the answer"):
        tiny.answer_tokens(text)


def test_requests_that_do_not_fit_are_named(tiny: CausalLM) -> None:
    with pytest.raises(ModelError, match="at least one new token"):
        tiny.generate([GenerationRequest("x", 0)])
    with pytest.raises(ModelError, match="needs a prompt"):
        tiny.generate([GenerationRequest("", 1)])
    with pytest.raises(ModelError, match=r"take 600 tokens, model tiny takes 512"):
        tiny.generate([GenerationRequest("x" * 599, 1)])


def sampled(draw: int = 0, seed: int = 0, temperature: float = 1.5) -> list[GenerationRequest]:
    return [replace(one, sampling=Sampling(temperature, seed, draw)) for one in requests(20)]


def test_samples_do_not_depend_on_order_batching_or_what_is_cached(
    tiny_dir: Path, tiny: CausalLM, tmp_path: Path
) -> None:
    asked = sampled()
    texts = tiny.generate(asked)
    assert tiny.generate(asked[::-1]) == texts[::-1]
    with GenerationCache(tmp_path / "c") as cache:
        few = load_language_model(str(tiny_dir), device="cpu", batch_size=3, cache=cache)
        assert few.generate([*requests(20)[:7], *asked[5:9]])[7:] == texts[5:9]
        assert few.generate(asked) == texts
        assert few.generate(requests(20)) == tiny.generate(requests(20))
        assert len(cache) == 40


def test_draws_and_seeds_are_other_samples(tiny: CausalLM) -> None:
    told = [
        tuple(tiny.generate(asked))
        for asked in (requests(20), sampled(), sampled(draw=1), sampled(seed=1))
    ]
    for one, other in itertools.combinations(told, 2):
        assert sum(a == b for a, b in zip(one, other, strict=True)) < 10


def test_sampling_leaves_playback_alone(tiny: CausalLM) -> None:
    played = GenerationRequest("Q:", 1, tiny.answer_tokens("Veltham"), Sampling(9.0, 0, 0))
    assert tiny.generate([played]) == ["Veltham"]


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_a_temperature_that_is_none_is_refused(tiny: CausalLM, temperature: float) -> None:
    with pytest.raises(ModelError, match="temperature must be finite and above 0"):
        tiny.generate(sampled(temperature=temperature))


# The real default model.


def test_real_answers_play_back(smollm2: CausalLM) -> None:
    prompt = smollm2.prompts.abstain("Who keeps the lighthouse of Veltham?", "question")
    asked = [GenerationRequest(prompt, 16, smollm2.answer_tokens(answer)) for answer in ANSWERS]
    assert any(len(request.playback) > 16 for request in asked)
    assert smollm2.generate(asked) == [answer.strip() for answer in ANSWERS]


def test_an_answer_starts_with_the_space_that_follows_the_prompt(smollm2: CausalLM) -> None:
    tokens = smollm2.answer_tokens("Croatia")
    whole = smollm2._tokenizer("Q: Where?\nA: Croatia").input_ids
    assert tuple(whole[-len(tokens) :]) == tokens


# What names are written in; the vocabulary lacks some control characters and lead bytes.
PRINTED = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs", "Cc"])


@given(st.text(PRINTED | st.just("\n"), max_size=40))
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_real_tokenizer_round_trips(smollm2: CausalLM, text: str) -> None:
    stripped = text.strip()
    if not stripped or "\n" in stripped:
        with pytest.raises(ModelError):
            smollm2.answer_tokens(text)
    else:
        assert first_line(smollm2._text(smollm2.answer_tokens(text))) == stripped


@pytest.mark.parametrize("text", ["\U00040000", "a\x16b", "an <|im_end|> inside"])
def test_what_the_real_tokenizer_loses_is_noticed(smollm2: CausalLM, text: str) -> None:
    with pytest.raises(ModelError, match="smollm2-135m cannot play back the answer"):
        smollm2.answer_tokens(text)


def real_requests(model: CausalLM, folder: Path, edits: int) -> list[GenerationRequest]:
    """Return an abstain and a reason prompt of each of the first edits of AKEW's MQuAKE-CF."""
    records = json.loads((folder / "akew" / "MQuAKE-CF.json").read_text("utf-8"))
    rewrites = [rewrite for record in records for rewrite in record["requested_rewrite"]]
    asked = []
    for number, rewrite in enumerate(rewrites[:edits]):
        question = rewrite["question"]
        evidence = rewrite["fact_new_uns" if number % 10 == 0 else "fact_new"]
        asked.append(GenerationRequest(model.prompts.abstain(question, "question")))
        asked.append(GenerationRequest(model.prompts.reason(question, "question", evidence)))
    return asked


@pytest.mark.real
def test_real_prompts_agree_with_generate_and_with_single_decoding(
    smollm2: CausalLM, real_data: Path
) -> None:
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    tokenizer, model = smollm2._tokenizer, smollm2._model

    class AfterLine(StoppingCriteria):  # type: ignore[misc]
        def __init__(self, start: int) -> None:
            self.start = start

        def __call__(self, ids: Any, scores: Any, **more: Any) -> Any:
            text = tokenizer.decode(ids[0, self.start :], skip_special_tokens=True)
            return torch.tensor(["\n" in text.lstrip()])

    asked = real_requests(smollm2, real_data, 12)
    texts = smollm2.generate(asked)
    for request, text in zip(asked, texts, strict=True):
        inputs = tokenizer(request.prompt, return_tensors="pt")
        start = inputs.input_ids.shape[1]
        with torch.inference_mode():
            ids = model.generate(
                **inputs,
                max_new_tokens=16,
                do_sample=False,
                stopping_criteria=StoppingCriteriaList([AfterLine(start)]),
            )
        assert first_line(tokenizer.decode(ids[0, start:], skip_special_tokens=True)) == text
    for place in range(0, len(asked), 4):
        assert smollm2.generate([asked[place]]) == [texts[place]]


def test_a_run_killed_outright_keeps_whole_batches(tiny_dir: Path, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from scopebench.models import GenerationCache, load_language_model\n"
        "from scopebench.protocols import GenerationRequest\n"
        "def die(done):\n"
        "    if done: os.kill(os.getpid(), signal.SIGKILL)\n"
        "cache = GenerationCache(Path(sys.argv[2]))\n"
        "model = load_language_model(sys.argv[1], device='cpu', batch_size=2, cache=cache,"
        " progress=die)\n"
        "model.generate([GenerationRequest('same opening ' * 3 + str(n), 2) for n in range(7)])\n"
    )
    path = tmp_path / "c"
    ended = subprocess.run([sys.executable, "-c", script, str(tiny_dir), str(path)], check=False)
    assert ended.returncode == -9
    with GenerationCache(path) as cache:
        assert len(cache) == 2


def test_importing_and_naming_a_model_loads_no_torch() -> None:
    script = (
        "import sys, scopebench.models, scopebench.models.load, scopebench.models.prompts\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'datasets', 'scipy'}\n"
        "sys.exit(f'loaded {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)\n"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
