"""What an editor is shown of a query, and its decisions mapped back to the queries themselves.

A query's id, kind, population, cluster and source tell its decision label to whoever can read them.
An editor is shown the question, its form, the data set and an id made of these three alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from scopebench.records import Decision, Query, SourceRef

_NOWHERE: Final = SourceRef(file="", record="", sha256="")


def blind(queries: Sequence[Query]) -> tuple[Query, ...]:
    """Return the queries as an editor may see them, in the same order.

    A field that cannot be null holds the same value for every query: `population` is `original`,
    `fold` is `test`, texts are empty. The id is a hash of what is shown, with a number for each
    repetition, so it is unique among the queries given and says nothing that they do not.
    """
    seen: Counter[str] = Counter()
    shown = []
    for query in queries:
        digest = hashlib.sha256(
            "\0".join((query.dataset, query.form, query.question)).encode()
        ).hexdigest()[:16]
        shown.append(
            Query(
                query_id=f"{digest}-{seen[digest]}",
                dataset=query.dataset,
                population="original",
                kind="",
                question=query.question,
                form=query.form,
                answers=None,
                pre_edit_answers=None,
                governing_edit_ids=(),
                cluster="",
                fold="test",
                source=_NOWHERE,
            )
        )
        seen[digest] += 1
    return tuple(shown)


def unblind(decisions: Sequence[Decision], queries: Sequence[Query]) -> list[Decision]:
    """Return the decisions under the ids of the queries they were made for, in the same order."""
    return [
        decision.model_copy(update={"query_id": query.query_id})
        for decision, query in zip(decisions, queries, strict=True)
    ]
