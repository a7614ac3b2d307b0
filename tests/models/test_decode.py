"""Greedy decoding against `transformers.generate`, on tiny models of several architectures."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scopebench.models import decode  # noqa: E402
from scopebench.models.decode import Row, Stop, decode_batch, shared_prefix_length  # noqa: E402

VOCABULARY = 60
EOS = frozenset(range(7, 15))
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "bos_token_id": None,
    "eos_token_id": sorted(EOS),
    "pad_token_id": 0,
}
ENDLESS = Stop(EOS, lambda tokens: False)


def build(kind: str) -> Any:
    """Return a tiny model with weights large enough for its argmax to be no near-tie."""
    torch.manual_seed(3)
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=VOCABULARY, n_embd=32, n_layer=3, n_head=4, n_positions=256,
            bos_token_id=None, eos_token_id=sorted(EOS), pad_token_id=0, initializer_range=0.3,
        )  # fmt: skip
        return transformers.GPT2LMHeadModel(config).eval()
    if kind == "llama":
        config = transformers.LlamaConfig(**SIZES, initializer_range=0.3)
        return transformers.LlamaForCausalLM(config).eval()
    if kind == "gemma3":
        config = transformers.Gemma3TextConfig(
            **SIZES, sliding_window=64, initializer_range=0.3, tie_word_embeddings=False,
            layer_types=["sliding_attention", "full_attention", "sliding_attention"],
        )  # fmt: skip
        return transformers.Gemma3ForCausalLM(config).eval()
    config = transformers.MistralConfig(**SIZES, sliding_window=12, initializer_range=0.3)
    return transformers.MistralForCausalLM(config).eval()


def reference(model: Any, row: Row) -> tuple[int, ...]:
    """Continue one sequence with the library's own greedy search."""
    prompt = torch.tensor([row.prompt])
    with torch.inference_mode():
        whole = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=row.max_new_tokens,
            do_sample=False,
        )
    tokens = whole[0, len(row.prompt) :].tolist()
    return tuple(itertools.takewhile(lambda token: token not in EOS, tokens))


def sample_rows(prefix: int, count: int = 12) -> list[Row]:
    draw = random.Random(5)
    opening = [draw.randrange(15, VOCABULARY) for _ in range(prefix)]
    return [
        Row(
            (*opening, *(draw.randrange(15, VOCABULARY) for _ in range(draw.randint(1, 30)))),
            max_new_tokens=draw.randint(1, 12),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("prefix", [0, 25])
@pytest.mark.parametrize("kind", ["llama", "gpt2", "gemma3", "mistral"])
def test_batches_agree_with_generate(kind: str, prefix: int) -> None:
    model, rows = build(kind), sample_rows(prefix)
    expected = [reference(model, row) for row in rows]
    assert decode_batch(model, rows, ENDLESS) == expected
    assert [decode_batch(model, [row], ENDLESS)[0] for row in rows] == expected
    assert any(len(tokens) < row.max_new_tokens for row, tokens in zip(rows, expected, strict=True))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_when_ended_rows_leave_makes_no_difference(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, rows = build("llama"), sample_rows(25)
    expected = [reference(model, row) for row in rows]
    monkeypatch.setattr(decode, "SHRINK_AT", share)
    assert decode_batch(model, rows, ENDLESS) == expected


def test_a_complete_answer_ends_its_row_only() -> None:
    model, rows = build("llama"), sample_rows(0, count=2)
    free = decode_batch(model, [Row(row.prompt, 6) for row in rows], Stop(frozenset(), bool))
    assert [len(tokens) for tokens in free] == [1, 1]
    mark = free[0][0]
    held = decode_batch(
        model,
        [Row(row.prompt, 6) for row in rows],
        Stop(frozenset(), lambda tokens: tokens[-1] == mark),
    )
    assert held[0] == (mark,)
    assert len(held[1]) == 6 or held[1][-1] == mark


def test_playback_ends_after_its_last_token_whatever_the_limit() -> None:
    model = build("llama")
    played = (8, 3, 3, 9, 50)
    rows = [Row((11, 12, 13), max_new_tokens=2, playback=played), Row((14,), max_new_tokens=9)]
    result = decode_batch(model, rows, ENDLESS)
    assert result[0] == played
    assert result[1] == reference(model, rows[1])


def test_a_neighbours_playback_leaves_a_silent_row_bitwise_alone() -> None:
    model = build("llama")
    seen: list[Any] = []
    model.register_forward_hook(lambda *call: seen.append(call[2].logits[:, -1].clone()))
    silent = Row((21, 22, 23, 24), 5)
    decode_batch(model, [silent, Row((31, 32), 5)], Stop(frozenset(), lambda tokens: False))
    without, seen[:] = list(seen), []
    decode_batch(
        model,
        [silent, Row((31, 32), 5, playback=(4, 4, 4, 4, 4))],
        Stop(frozenset(), lambda tokens: False),
    )
    assert len(without) == len(seen) == 5
    for before, after in zip(without, seen, strict=True):
        assert torch.equal(before[0], after[0])
    assert not torch.equal(without[2][1], seen[2][1])


def test_an_ended_row_may_wait_beyond_the_last_position() -> None:
    model = build("gpt2")
    full = Row(tuple(20 + n % 40 for n in range(254)), max_new_tokens=2)
    rows = [full, *(Row((30 + n,), 1, playback=(4,) * 12) for n in range(6))]
    assert decode_batch(model, rows, ENDLESS) == [reference(model, full), *[(4,) * 12] * 6]


def test_shared_prefix_leaves_every_prompt_a_token() -> None:
    assert shared_prefix_length([(1, 2, 3), (1, 2, 4)]) == 2
    assert shared_prefix_length([(1, 2, 3), (1, 2, 3)]) == 2
    assert shared_prefix_length([(1, 2), (1, 2, 3)]) == 1
    assert shared_prefix_length([(1,), (2,)]) == 0
    assert shared_prefix_length([(5, 6)]) == 1
