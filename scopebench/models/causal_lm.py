"""A frozen causal language model: requests in, first lines of continuations out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from scopebench.errors import ModelError
from scopebench.models.batches import MAX_TOKENS, MAX_TOKENS_ON_CPU, plan_batches
from scopebench.models.decode import Row, Stop, decode_batch
from scopebench.models.generation_cache import Generation, GenerationCache, generation_key
from scopebench.models.loading import load_causal_lm, load_tokenizer
from scopebench.models.prompts import Prompts, prompt_set_for
from scopebench.records import ModelRef

if TYPE_CHECKING:
    from scopebench.models.locate import ModelFiles
    from scopebench.protocols import GenerationRequest

DECODING: Final = "greedy-first-line-1"
"""Name of the decoding rule, part of every cache key: greedy unless the request says how to sample,
ended at the first line break after text, at an end-of-sequence token or at the length limit; the
answer is the first line, stripped."""

MAX_NEW_TOKENS: Final = 16
"""Answer length of the protocol, in tokens."""


def first_line(text: str) -> str:
    """Return the first line that holds anything, without the space around it."""
    return text.strip().partition("\n")[0].strip()


class CausalLM:
    """A language model as `protocols.LanguageModel` promises it.

    The weights are loaded at the first request that the cache does not hold.

    Args:
        files: The model on disk.
        device: Device to compute on, resolved.
        dtype: Floating-point type to compute in, resolved.
        batch_size: At most so many sequences are decoded at a time.
        cache: Where results are kept; None to keep none.
        progress: Told, each time, how many more of the requests are done.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        device: str,
        dtype: str,
        batch_size: int,
        cache: GenerationCache | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._files = files
        self._batch_size = batch_size
        self._cache = cache
        self._report = progress or (lambda done: None)
        self._ref = ModelRef(
            id=files.id,
            revision=files.revision,
            dtype=dtype,
            device=device,
            parameters=files.parameters(),
        )
        settings = files.settings()
        self._longest = settings.get("max_position_embeddings")
        model_type = str(settings.get("model_type", ""))
        self._prompts = prompt_set_for(model_type, files.chat_template())

    @property
    def ref(self) -> ModelRef:
        """The model's identity."""
        return self._ref

    @property
    def prompts(self) -> Prompts:
        """The prompt templates of its family."""
        return self._prompts

    @property
    def max_new_tokens(self) -> int:
        """The answer length of the protocol, in tokens."""
        return MAX_NEW_TOKENS

    def answer_tokens(self, text: str) -> tuple[int, ...]:
        """Return the token ids of an answer as it follows a prompt that ends in `A:`.

        Playing the tokens back yields the text without the space around it.

        Raises:
            ModelError: If the text is blank or holds a line break, or the tokenizer loses some of
                it (a vocabulary may lack a byte).
        """
        answer = text.strip()
        if not answer:
            raise ModelError("an empty answer cannot be played back; correct the edit's target")
        head = self._ids("A:", special=False)
        whole = self._ids(f"A: {answer}", special=False)
        apart = whole[: len(head)] == head
        tokens = whole[len(head) :] if apart else self._ids(f" {answer}", special=False)
        played = first_line(self._text(tokens))
        if played != answer:
            raise ModelError(
                f"the tokenizer of {self._ref.id} cannot play back the answer {answer!r}: it gives "
                f"{played!r}; correct the edit's target or use another model"
            )
        return tokens

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        """Return the first line of each continuation, stripped, in the order asked.

        Equal requests are generated once. Each finished batch is committed to the cache before the
        next one starts. Batches depend on the set of requests alone, not on what is cached or on
        their order, so that an interrupted call, repeated, goes on with the very same batches.

        Raises:
            ModelError: If the model cannot be loaded, or a request does not fit it.
        """
        keys = [generation_key(self._ref, DECODING, request) for request in requests]
        pending = dict(zip(keys, requests, strict=True))
        times_asked = Counter(keys)
        texts = self._recall(list(pending))
        self._report(sum(times_asked[key] for key in texts))
        if len(texts) < len(pending):
            rows = {key: self._row(request, key) for key, request in pending.items()}
            on_cpu = self._ref.device == "cpu"
            max_tokens = MAX_TOKENS_ON_CPU if on_cpu else MAX_TOKENS
            for batch in plan_batches(rows, self._batch_size, max_tokens):
                missing = {key: rows[key] for key in batch if key not in texts}
                if missing:
                    texts.update(self._decode(missing))
                    self._report(sum(times_asked[key] for key in missing))
        return [texts[key] for key in keys]

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer(self._files)

    @cached_property
    def _model(self) -> Any:
        return load_causal_lm(self._files, self._ref.device, self._ref.dtype)

    @cached_property
    def _stop(self) -> Stop:
        ends = self._model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        eos = {token for token in (*ends, self._tokenizer.eos_token_id) if token is not None}
        return Stop(frozenset(eos), lambda tokens: "\n" in self._text(tokens).lstrip())

    def _recall(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the texts that the cache holds."""
        found = self._cache.get_many(keys) if self._cache is not None else {}
        return {key: entry.text for key, entry in found.items()}

    def _decode(self, rows: Mapping[bytes, Row]) -> dict[bytes, str]:
        """Generate one batch and commit it."""
        generated = decode_batch(self._model, list(rows.values()), self._stop)
        entries = {
            key: Generation(first_line(self._text(tokens)), len(tokens))
            for key, tokens in zip(rows, generated, strict=True)
        }
        if self._cache is not None:
            self._cache.put_many(entries)
        return {key: entry.text for key, entry in entries.items()}

    def _row(self, request: GenerationRequest, key: bytes) -> Row:
        """Return a request as token ids, checked against the model's limits.

        The key, a hash over all that determines the text, seeds the noise where it is sampled.
        """
        prompt = self._ids(request.prompt, special=True)
        if not prompt or request.max_new_tokens < 1:
            raise ModelError(
                f"a request needs a prompt and at least one new token, not {request.prompt!r} and "
                f"{request.max_new_tokens}"
            )
        length = len(prompt) + (len(request.playback) or request.max_new_tokens)
        if isinstance(self._longest, int) and length > self._longest:
            raise ModelError(
                f"a prompt and its answer take {length} tokens, model {self._ref.id} takes "
                f"{self._longest}; shorten the prompt that starts {request.prompt[:50]!r}"
            )
        if request.sampling is None:
            return Row(prompt, request.max_new_tokens, request.playback)
        temperature = request.sampling.temperature
        if not 0 < temperature < math.inf:
            raise ModelError(f"a temperature must be finite and above 0, not {temperature}")
        seed = int.from_bytes(key)
        return Row(prompt, request.max_new_tokens, request.playback, temperature, seed)

    def _ids(self, text: str, *, special: bool) -> tuple[int, ...]:
        """Return a text's token ids, with the tokenizer's own opening token where `special`."""
        opening = self._tokenizer.bos_token
        doubled = opening is not None and text.startswith(opening)
        ids = self._tokenizer(text, add_special_tokens=special and not doubled).input_ids
        return tuple(ids)

    def _text(self, tokens: Sequence[int]) -> str:
        """Return the text of generated tokens, without special tokens."""
        text: str = self._tokenizer.decode(
            list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text
