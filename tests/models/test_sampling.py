"""Sampling: the right distribution, and for each sequence the same tokens in any company."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scopebench.models import decode  # noqa: E402
from scopebench.models.decode import Row, Stop, decode_batch  # noqa: E402
from scopebench.models.sampling import Noise, perturb  # noqa: E402

VOCABULARY = 60
ENDLESS = Stop(frozenset(), lambda tokens: False)
ROWS = 20_000


@pytest.fixture(scope="module")
def llama() -> Any:
    """A tiny model; its next-token distributions are neither flat nor certain."""
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
        initializer_range=0.15,
    )
    return transformers.LlamaForCausalLM(config).eval()


def prompts(count: int, temperature: float = 1.0, opening: int = 20) -> list[Row]:
    shared = tuple(1 + n % 7 for n in range(opening))
    return [
        Row((*shared, *range(2, 4 + n % 5), n), 4 + n % 5, (), temperature, seed=1000 + n)
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("temperature", "shares"),
    [
        (1.0, (1 / 8, 2 / 8, 5 / 8)),  # logits ln 1, ln 2, ln 5
        (0.5, (1 / 30, 4 / 30, 25 / 30)),  # twice the logits: 1, 4, 25
        (2.0, tuple(math.sqrt(x) / (1 + math.sqrt(2) + math.sqrt(5)) for x in (1, 2, 5))),
    ],
)
def test_tokens_come_as_often_as_the_softmax_says(
    temperature: float, shares: tuple[float, ...]
) -> None:
    logits = torch.tensor([[0.0, math.log(2), math.log(5), -math.inf]]).repeat(ROWS, 1)
    noises = [Noise(temperature, seed) for seed in range(ROWS)]
    counts = Counter(perturb(logits, noises).argmax(dim=-1).tolist())
    for token, share in enumerate(shares):
        spread = math.sqrt(share * (1 - share) / ROWS)
        assert counts[token] / ROWS == pytest.approx(share, abs=4 * spread)
    assert counts[3] == 0


def test_later_steps_of_one_stream_are_samples_too() -> None:
    noise = Noise(1.0, 7)
    logits = torch.tensor([[0.0, math.log(3)]])
    tokens = [int(perturb(logits, [noise]).argmax()) for _ in range(ROWS)]
    assert sum(tokens) / ROWS == pytest.approx(0.75, abs=4 * math.sqrt(0.75 * 0.25 / ROWS))
    pairs = Counter(itertools.pairwise(tokens))
    assert pairs[1, 1] / ROWS == pytest.approx(0.75**2, abs=0.02)


def test_rows_without_noise_are_bitwise_alone_and_the_logits_unwritten() -> None:
    logits = torch.randn(3, 11)
    before = logits.clone()
    assert perturb(logits, [None, None, None]) is logits
    noisy = perturb(logits, [None, Noise(1.0, 1), None])
    assert torch.equal(logits, before)
    assert torch.equal(noisy[[0, 2]], logits[[0, 2]])
    assert not torch.isclose(noisy[1], logits[1]).any()
    assert torch.equal(noisy, perturb(logits, [None, Noise(1.0, 1), None]))


@pytest.mark.parametrize("shrink", [0.0, 0.25, 1.0])
def test_a_sample_is_the_same_alone_in_a_batch_and_in_any_order(
    llama: Any, shrink: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = prompts(16)
    alone = [decode_batch(llama, [row], ENDLESS)[0] for row in rows]
    monkeypatch.setattr(decode, "SHRINK_AT", shrink)
    assert decode_batch(llama, rows, ENDLESS) == alone
    assert decode_batch(llama, rows[::-1], ENDLESS) == alone[::-1]
    assert len(set(alone)) == len(alone)


def test_greedy_rows_and_playback_beside_samples_stay_as_they_are(llama: Any) -> None:
    greedy = [Row(row.prompt, row.max_new_tokens) for row in prompts(6)]
    played = Row((5, 6, 7), 1, playback=(3, 9, 1), temperature=5.0, seed=1)
    expected = decode_batch(llama, greedy, ENDLESS)
    mixed = decode_batch(llama, [*greedy, *prompts(6), played], ENDLESS)
    assert mixed[:6] == expected
    assert mixed[6:12] != expected
    assert mixed[12] == (3, 9, 1)


def test_near_temperature_zero_a_sample_is_the_greedy_text(llama: Any) -> None:
    rows = prompts(8, temperature=1e-6)
    greedy = [Row(row.prompt, row.max_new_tokens) for row in rows]
    assert decode_batch(llama, rows, ENDLESS) == decode_batch(llama, greedy, ENDLESS)


def test_another_seed_is_another_sample(llama: Any) -> None:
    texts = {
        decode_batch(llama, [Row((1, 2, 3), 12, (), 1.0, seed=seed)], ENDLESS)[0]
        for seed in range(30)
    }
    assert len(texts) == 30
