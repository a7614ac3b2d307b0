"""What a kind of query is: said once, for the docs, the cards and the build's own report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.pool import Pool

Scope = Literal["in", "out", "both"]


@dataclass(frozen=True)
class Kind:
    """One kind of query in `curated`.

    Attributes:
        name: Its name.
        scope: Whether its queries are in scope, out of scope, or of both labels.
        tests: What it tests.
        gold: How its gold is known.
        pitfalls: What can be wrong with such rows, and what guards against it.
        needs: What a source must hold for it to be made.
        share: At most this share of the rows of a cell.
        propose: Yields its drafts.
    """

    name: str
    scope: Scope
    tests: str
    gold: str
    pitfalls: str
    needs: str
    share: float
    propose: Callable[[Pool], Iterator[Draft]]
