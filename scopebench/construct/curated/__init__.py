"""The `curated` population: what a deployment would be asked, governed by an edit or by none."""

from __future__ import annotations

from typing import Final

from scopebench.construct.curated import (
    direct,
    entailed,
    mention,
    multi_hop,
    near_name,
    paraphrase,
    refilled,
    relation_swap,
    same_relation,
    same_subject,
    side_fact,
    subject_alias,
    temporal,
    unedited_chain,
    unedited_hop,
    unrelated,
)
from scopebench.construct.curated.kind import Kind

KINDS: Final[tuple[Kind, ...]] = (
    direct.KIND,
    paraphrase.KIND,
    subject_alias.KIND,
    entailed.KIND,
    multi_hop.KIND,
    same_subject.KIND,
    near_name.KIND,
    same_relation.KIND,
    unedited_hop.KIND,
    unedited_chain.KIND,
    temporal.KIND,
    side_fact.KIND,
    mention.KIND,
    relation_swap.KIND,
    refilled.KIND,
    unrelated.KIND,
)
"""Every kind, in the order in which they claim a question that several would make."""
