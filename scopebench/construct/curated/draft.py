"""A query that a family of `curated` proposes, before checks and before it is balanced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scopebench.construct.text import normalise
from scopebench.records import CONDITIONS, Condition, Edit, Form, Hop, SourceRef
from scopebench.sources.case import Case, Probe


@dataclass(frozen=True)
class Draft:
    """A proposed query.

    Attributes:
        kind: Its kind.
        name: What makes its id unique among the drafts of its kind: `<case>/<n>`, or more parts.
        question: What is asked.
        form: Whether it is a question or a cloze.
        answers: Outcome gold, main label first; None: decision-only.
        pre_edit_answers: Accepted answers before any edit; None: unknown.
        hops: The facts asked for, each with the edits in force that set it.
        near_edit_id: For a positive, the edit it was drawn from; for a negative, the edit it was
            made to be confused with, if there is one.
        anchor: An edit or cluster-bearing id: the draft lies in the cluster of this edit.
        wording: The question without its subject: what a text-only classifier could learn.
        source: Where the question was read.
        hidden_edit_ids: Edits written and deleted before the query is asked that would govern it.
        date: The date asked about, ISO 8601; None: the present.
        conditions: Conditions under which it is asked.
        exact: Whether only a row of its own wording may balance it.
    """

    kind: str
    name: str
    question: str
    form: Form
    answers: tuple[str, ...] | None
    pre_edit_answers: tuple[str, ...] | None
    hops: tuple[Hop, ...]
    near_edit_id: str | None
    anchor: str
    wording: str
    source: SourceRef
    hidden_edit_ids: tuple[str, ...] = ()
    date: str | None = None
    conditions: frozenset[Condition] = frozenset(CONDITIONS)
    exact: bool = False

    @property
    def governing_edit_ids(self) -> tuple[str, ...]:
        """The edits in force that govern it where the card's evidence adds nothing."""
        return tuple(dict.fromkeys(edit_id for hop in self.hops for edit_id in hop.edit_ids))

    @property
    def in_scope(self) -> bool:
        """Whether some edit governs it."""
        return bool(self.governing_edit_ids)

    @property
    def key(self) -> str:
        """Its id without data set and population, unique among all drafts."""
        return f"{self.name}/{self.kind}"


def unedited(
    kind: str, name: str, probe: Probe, hop: Hop, *, case: Case, near: str | None, anchor: Edit
) -> Draft:
    """Return a probe whose one fact no edit sets, as an out-of-scope draft.

    Args:
        kind: Its kind.
        name: See `Draft.name`.
        probe: The probe; its answers before and after the edits are the same.
        hop: The fact it asks, with its subject.
        case: The case it was read in.
        near: The edit it is made to be confused with, if there is one.
        anchor: The edit in whose cluster it lies.
    """
    return Draft(
        kind=kind,
        name=name,
        question=probe.question,
        form=probe.form,
        answers=probe.before,
        pre_edit_answers=probe.before,
        hops=(hop,),
        near_edit_id=near,
        anchor=anchor.edit_id,
        wording=wording_of(probe.question, [hop.subject or ""]),
        source=case.edits[0].source,
    )


def wording_of(question: str, subjects: Sequence[str]) -> str:
    """Return a question with its subjects taken out, normalised."""
    text = normalise(question)
    for subject in subjects:
        plain = normalise(subject)
        if plain:
            text = text.replace(plain, "{}")
    return text
