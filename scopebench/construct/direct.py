"""Direct queries: each edit asked as its data set asks it, with and without the edit in the index.

`original` is what the public benchmarks hold: every query's edit is in the index. `withheld` asks
the same queries again and hides the fact of some of them, so that the unedited model's answer
becomes the right one (paper section 7; kind N1 of the taxonomy in field.md section 3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.drops import Drop
from scopebench.construct.identity import answers_collide, asked_key, same_object
from scopebench.construct.true_values import TrueValues, Value
from scopebench.records import Condition, Edit, Fold, Hop, Population, Query

KIND = "direct"
MANY_VALUED: Final = "many_valued"
"""The flag of rows that ask a fact with several true objects."""


@dataclass(frozen=True)
class Direct:
    """An edit whose direct query is asked.

    Attributes:
        edit: The edit.
        governing: The edits of the index that answer the query, itself included.
        tells_objects_apart: Whether no answer to the old object could be credited to the new one,
            or the reverse. Otherwise outcomes say nothing and the query is decision-only.
        other_values: The true objects of its fact beside the old one.
        hidden_has_gold: Whether no edit of any source writes one of them, so that all are right
            where the fact is hidden.
    """

    edit: Edit
    governing: tuple[Edit, ...]
    tells_objects_apart: bool = True
    other_values: tuple[Value, ...] = ()
    hidden_has_gold: bool = True

    @property
    def before(self) -> tuple[str, ...] | None:
        """The accepted answers before any edit, the old object's first; None: unknown."""
        old = self.edit.target_true
        if old is None:
            return None
        others = (answer for value in self.other_values for answer in value.answers)
        return tuple(dict.fromkeys((*old.answers, *others)))


@dataclass(frozen=True)
class Layout:
    """Where the edits of a data set lie.

    Attributes:
        clusters: Cluster of each edit.
        links: What edits of one cluster are linked by, see `cluster_edits`.
        folds: Fold of each cluster.
        units: All edits that could assert the same fact as an edit, itself included.
        hidden: Edits whose direct query hides its fact in `withheld`.
    """

    clusters: Mapping[str, str]
    links: tuple[str, ...]
    folds: Mapping[str, Fold]
    units: Mapping[str, tuple[str, ...]]
    hidden: frozenset[str]


def direct_queries(
    index: Sequence[Edit], truths: TrueValues
) -> tuple[tuple[Direct, ...], tuple[Drop, ...]]:
    """Return the edits that can be asked about directly, and why the others cannot.

    Edits asked in the same words govern each other's query if they install one object; otherwise
    none of these queries has one right answer.

    Args:
        index: The edits of an index.
        truths: The true objects of each fact of the build.
    """
    alike: defaultdict[str, list[Edit]] = defaultdict(list)
    for edit in index:
        alike[asked_key(edit)].append(edit)
    asked: list[Direct] = []
    drops: list[Drop] = []
    for edit in index:
        same = tuple(alike[asked_key(edit)])
        if not all(same_object(edit.target_new, other.target_new) for other in same):
            drops.append(Drop("ambiguous_question", edit.edit_id))
            continue
        old = edit.target_true
        others = tuple(other for other in same if other.edit_id != edit.edit_id)
        slot = truths.slot(edit)
        values = () if old is None else tuple(truths.others(slot, old.answers))
        olds = [] if old is None else [old.answers, *(tuple(value.answers) for value in values)]
        apart = not any(answers_collide(edit.target_new.answers, one) for one in olds)
        unwritten = not any(truths.is_new(slot, value) for value in values)
        asked.append(Direct(edit, (edit, *others), apart, values, unwritten))
    return tuple(asked), tuple(drops)


def without_gold(directs: Sequence[Direct]) -> tuple[Drop, ...]:
    """Return the edits whose direct query is decision-only because its objects are not apart."""
    return tuple(
        Drop("gold_equals_target", direct.edit.edit_id)
        for direct in directs
        if not direct.tells_objects_apart
    )


def query_of(direct: Direct, condition: Condition, population: Population, layout: Layout) -> Query:
    """Return one direct query under a condition, in `original` or `withheld`."""
    edit = direct.edit
    hidden = population == "withheld" and edit.edit_id in layout.hidden
    pre_edit = direct.before
    governing = () if hidden else direct.governing
    cluster = layout.clusters[edit.edit_id]
    gold = pre_edit if hidden else edit.target_new.answers
    has_gold = direct.tells_objects_apart and (direct.hidden_has_gold or not hidden)
    return Query(
        query_id=query_id(edit, population),
        dataset=edit.dataset,
        population=population,
        kind=KIND,
        question=edit.asked,
        form=edit.form,
        answers=gold if has_gold else None,
        pre_edit_answers=pre_edit,
        governing_edit_ids=tuple(other.edit_id for other in governing if other.holds(condition)),
        hidden_edit_ids=layout.units[edit.edit_id] if hidden else (),
        twin_id=query_id(edit, "original") if population == "withheld" else None,
        hops=(_hop(edit, hidden, [other.edit_id for other in governing]),),
        flags=(MANY_VALUED,) if direct.other_values else (),
        cluster=cluster,
        fold=layout.folds[cluster],
        source=edit.source,
    )


def _hop(edit: Edit, hidden: bool, governing: Sequence[str]) -> Hop:
    """Return the fact of an edit as the effective index has it."""
    told = edit.target_true if hidden else edit.target_new
    return Hop(
        subject=edit.subject,
        subject_id=edit.subject_id,
        relation=edit.relation_id or edit.prompt,
        object=None if told is None else told.text,
        edit_ids=tuple(governing),
    )


def query_id(edit: Edit, population: Population) -> str:
    """Return the id of an edit's direct query in a population."""
    return f"{edit.edit_id}/{KIND}/{population}"
