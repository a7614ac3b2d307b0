"""Which sequences are decoded together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scopebench.models.decode import Row

HEAD: Final = 32
"""Prompts that share so many leading tokens are of one template, and are batched together."""

MAX_TOKENS: Final = 32_768
"""At most so many tokens, padding and answers included, are held in one batch's cache."""

MAX_TOKENS_ON_CPU: Final = 8_192
"""The same on a CPU, where reading prompts is bound by arithmetic: more rows of long prompts only
add padding (measured on two cores: 5.0 paragraphs a second in batches of 24, 4.4 in 64)."""


def plan_batches(
    rows: Mapping[bytes, Row], batch_size: int, max_tokens: int = MAX_TOKENS
) -> Iterator[tuple[bytes, ...]]:
    """Yield the keys of each batch.

    Prompts of one template come together, so that its examples are computed once a batch; templates
    that do not fill a quarter of a batch are pooled. In a group the longest prompts come first: the
    padding is small, and a batch too large for memory fails at once. The plan is a function of the
    set of rows, whatever their order.

    Args:
        rows: The sequences by key.
        batch_size: At most so many rows are in a batch.
        max_tokens: At most so many tokens are in a batch, unless one row alone has more.
    """
    by_head: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
    for key in sorted(rows, key=lambda key: (_longest_first(rows[key]), key)):
        by_head[rows[key].prompt[:HEAD]].append(key)
    groups, pool = [], []
    for keys in by_head.values():
        if len(keys) * 4 >= batch_size:
            groups.append(keys)
        else:
            pool.extend(keys)
    pool.sort(key=lambda key: (_longest_first(rows[key]), key))
    for keys in (*groups, pool):
        yield from _cut(keys, rows, batch_size, max_tokens)


def _longest_first(row: Row) -> tuple[int, tuple[int, ...]]:
    return -len(row.prompt), row.prompt


def _cut(
    keys: Iterable[bytes], rows: Mapping[bytes, Row], size: int, max_tokens: int
) -> Iterator[tuple[bytes, ...]]:
    """Cut a group into batches, by rows and by tokens."""
    batch: list[bytes] = []
    width = 0
    for key in keys:
        row = rows[key]
        wider = max(width, len(row.prompt) + (len(row.playback) or row.max_new_tokens))
        if batch and (len(batch) == size or wider * (len(batch) + 1) > max_tokens):
            yield tuple(batch)
            batch, wider = [], len(row.prompt) + (len(row.playback) or row.max_new_tokens)
        batch.append(key)
        width = wider
    if batch:
        yield tuple(batch)
