"""`unedited_hop`: a link of a multi-hop path that no edit touches, asked alone."""

from __future__ import annotations

from collections.abc import Iterator

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.curated.same_subject import hops_without_edit


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield hops of subjects without an edit in force."""
    yield from hops_without_edit(pool, KIND.name, edited_subject=False)


KIND = Kind(
    name="unedited_hop",
    scope="out",
    tests="facts near the edits that are as they were",
    gold="the hop's answer and aliases",
    pitfalls="office holders change: any accepted alias counts; a hop that any edit of the pool "
    "sets is dropped",
    needs="single hops",
    share=1.0,
    propose=propose,
)
