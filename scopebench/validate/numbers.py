"""Whether the numbers stored in a result are those of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scopebench.records import Report, RunResult
from scopebench.scoring.reading.stored_verdicts import CURRENT

EQUAL: Final = 1e-9
"""Numbers nearer than this are equal: sums may be taken in another order on another machine."""


class Difference(NamedTuple):
    """A stored number that is not that of the tables.

    Attributes:
        path: The field, dotted.
        stored: What is stored, shortened.
        computed: What the tables give, shortened.
    """

    path: str
    stored: str
    computed: str


def same_computation(result: RunResult, strict: Report) -> bool:
    """Return whether a result was computed as numbers are today, so that they must be equal.

    Its verdicts must be today's matcher's, and its intervals made as those of `strict`.
    """
    return result.protocol.matcher == CURRENT and result.inference == strict.inference


def differences(result: RunResult, strict: Report, paper: Report) -> Iterator[Difference]:
    """Yield every stored number that differs from the one computed of the tables."""
    stored = result.model_dump(include=set(Report.model_fields))
    yield from _compare("", stored, strict.model_dump())
    yield from _compare("paper_matcher", result.paper_matcher.model_dump(), paper.model_dump())


def _compare(path: str, stored: Any, computed: Any) -> Iterator[Difference]:
    if isinstance(stored, Mapping) and isinstance(computed, Mapping):
        for key in dict.fromkeys((*computed, *stored)):
            inner = f"{path}.{key}" if path else str(key)
            yield from _compare(inner, stored.get(key), computed.get(key))
    elif _is_list(stored) and _is_list(computed):
        if len(stored) != len(computed):
            yield Difference(path, f"{len(stored):,} rows", f"{len(computed):,} rows")
        for n, pair in enumerate(zip(stored, computed, strict=False)):
            yield from _compare(f"{path}[{n}]", *pair)
    elif not _same(stored, computed):
        yield Difference(path, _short(stored), _short(computed))


def _same(stored: Any, computed: Any) -> bool:
    if isinstance(stored, float) and isinstance(computed, float):
        return abs(stored - computed) <= EQUAL
    return type(stored) is type(computed) and bool(stored == computed)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
