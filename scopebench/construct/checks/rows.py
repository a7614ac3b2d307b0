"""The checks of one row: each looks at a query and the edits around it and says what is wrong.

field.md section 3 lists the validity checks that every row must pass; section 2.3 counts how often
published rows fail them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from scopebench.construct.checks.world import World, touch
from scopebench.construct.identity import answers_collide, same_object
from scopebench.construct.relations import may_change
from scopebench.construct.text import holds_phrase, normalise
from scopebench.records import Edit, Hop
from scopebench.scoring.match import credits_refusal

CheckId = Literal[
    "contamination",
    "contradictory_edit",
    "entailment",
    "gold_equals_target",
    "answer_collision",
    "echo",
    "subject_missing",
    "short_alias",
    "refusal_alias",
    "unknown_date",
    "duplicate",
    "split_subject",
    "many_valued",
]
Effect = Literal["drop", "decision_only", "strip_alias", "multi_gold", "flag"]

SHORT_ALIAS: Final = 3
"""Characters up to which an alias is short: matched case-sensitively by the strict matcher, and
found by chance inside words by the paper's (field.md section 2.3: 59% of MQuAKE-CF's cases)."""

TEXT_ONLY_KINDS: Final = frozenset({"mention"})
"""Kinds whose text names an edit without asking for it; only their hops say what is asked."""


class Row(Protocol):
    """What a check sees of a query: a `Query`, or a draft of one."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def question(self) -> str:
        """What is asked."""

    @property
    def answers(self) -> tuple[str, ...] | None:
        """Outcome gold, if known."""

    @property
    def pre_edit_answers(self) -> tuple[str, ...] | None:
        """Accepted answers before any edit, if known."""

    @property
    def governing_edit_ids(self) -> tuple[str, ...]:
        """The edits in force that govern it."""

    @property
    def hidden_edit_ids(self) -> tuple[str, ...]:
        """Edits hidden from the index for it."""

    @property
    def near_edit_id(self) -> str | None:
        """The edit it may be confused with."""

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The facts it goes through."""

    @property
    def date(self) -> str | None:
        """The date it asks about, if it names one."""


@dataclass(frozen=True)
class Finding:
    """What a check found wrong with one row.

    Attributes:
        check: The check.
        reason: What is wrong, with the edits or answers at fault.
        edit_ids: Those edits.
    """

    check: CheckId
    reason: str
    edit_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        id: Its id.
        meaning: What failing it means, in one clause.
        curated: What happens to a failing row of `curated`.
        direct: What happens to a failing row of `original` and `withheld`, whose rows are those of
            the public benchmarks: they are flagged where `curated` drops, unless no right answer
            can be told.
        find: Yields the findings of a row; None for checks over many rows.
    """

    id: CheckId
    meaning: str
    curated: Effect
    direct: Effect
    find: Callable[[Row, World], Iterator[Finding]] | None


def contamination(row: Row, world: World) -> Iterator[Finding]:
    """Find edits, in force or hidden, that set a fact the row asks and are not in its labels."""
    known = {*row.governing_edit_ids, *row.hidden_edit_ids, *_outdated(row)}
    for hop in row.hops:
        for edit in world.of_fact(hop):
            if edit.edit_id not in known:
                yield _named("contamination", edit, f"{_told(edit)} sets a fact it asks")
                return
    if row.kind in TEXT_ONLY_KINDS:
        return
    yield from _contamination_by_text(row, world, known)


def _contamination_by_text(row: Row, world: World, known: Collection[str]) -> Iterator[Finding]:
    """Find an edited subject named in the question whose old or new object is the gold.

    Flat files tell no relation of a locality prompt; that the old object of an edit about a named
    subject is the answer means that the edited fact is asked (field.md section 2.3: 648 of 10,000).
    """
    asked = {world.relation_key(hop) for hop in row.hops if hop.relation is not None}
    gold = {normalise(answer) for answer in (*(row.answers or ()), *(row.pre_edit_answers or ()))}
    for edit in world.named_in(row.question):
        if edit.edit_id in known:
            continue
        old = edit.target_true
        same_answer = old is not None and any(normalise(a) in gold for a in old.answers)
        same_relation = any(touch(world.relation_of(edit), relation) for relation in asked)
        if same_relation or (same_answer and not asked):
            yield _named("contamination", edit, f"{_told(edit)} is about a subject it names")
            return
        if not asked and not row.hops:
            yield _named("contamination", edit, f"{_told(edit)} may set what it asks")
            return


def contradictory_edit(row: Row, world: World) -> Iterator[Finding]:
    """Find governing edits that set one fact to different objects."""
    for hop in row.hops:
        edits = [world.edits[key] for key in hop.edit_ids if key in world.edits]
        for edit in edits[1:]:
            if not same_object(edits[0].target_new, edit.target_new):
                yield _named("contradictory_edit", edit, f"{_told(edit)} contradicts another")
                return


def entailment(row: Row, world: World) -> Iterator[Finding]:
    """Find edits in force of an asked subject whose relation can change the asked one.

    Stricter than RippleEdits' two lists: a pair of relations that the table does not know is not
    trusted either (see `docs/relations.md`).
    """
    if row.governing_edit_ids:
        return
    spared = _outdated(row).union(row.hidden_edit_ids)
    for hop in row.hops:
        if hop.subject is None:
            continue
        asked = world.relation_key(hop) if hop.relation is not None else None
        for edit in world.of_subject(hop.subject, hop.subject_id):
            if edit.edit_id not in world.in_force or edit.edit_id in spared:
                continue
            verdict = may_change(_id(world.relation_of(edit)), _id(asked))
            old = edit.target_true
            if old is not None and row.answers and answers_collide(old.answers, row.answers):
                yield _named("entailment", edit, f"{_told(edit)} had its gold as old object")
                return
            if verdict is not False:
                why = "can change what it asks" if verdict else "has a relation not in the table"
                yield _named("entailment", edit, f"{_told(edit)} {why}")
                return


def _outdated(row: Row) -> set[str]:
    """Return the edit that sets the asked fact, but not at the date that is asked about."""
    return {row.near_edit_id} if row.date is not None and row.near_edit_id is not None else set()


def _id(key: str | None) -> str | None:
    return key.removeprefix("id:") if key is not None and key.startswith("id:") else None


def gold_equals_target(row: Row, world: World) -> Iterator[Finding]:
    """Find an edit whose new object passes for the gold of a row that it must not answer."""
    if row.answers is None:
        return
    governing = set(row.governing_edit_ids)
    near = () if row.near_edit_id is None else (row.near_edit_id,)
    for edit_id in dict.fromkeys((*row.hidden_edit_ids, *near)):
        edit = world.edits.get(edit_id)
        if edit is None or edit_id in governing:
            continue
        if answers_collide(edit.target_new.answers, row.answers):
            yield _named("gold_equals_target", edit, f"{_told(edit)} would play the gold")
            return
    if governing and row.pre_edit_answers and answers_collide(row.answers, row.pre_edit_answers):
        shown = row.pre_edit_answers[0]
        yield Finding("gold_equals_target", f"the answer before the edit, {shown!r}, passes too")


def answer_collision(row: Row, world: World) -> Iterator[Finding]:
    """Find an edit in force that a router could plausibly fire by mistake and that plays the gold.

    Plausible are edits about a subject that the question names and about subjects of near names.
    """
    if row.answers is None:
        return
    spared = {*row.governing_edit_ids, *row.hidden_edit_ids, row.near_edit_id}
    subjects = [hop.subject for hop in row.hops if hop.subject is not None]
    plausible = [*world.named_in(row.question)]
    for subject in subjects:
        plausible.extend(world.near_named(subject))
    for edit in plausible:
        if edit.edit_id in spared or edit.edit_id not in world.in_force:
            continue
        if answers_collide(edit.target_new.answers, row.answers):
            yield _named("answer_collision", edit, f"{_told(edit)} fired by mistake plays the gold")
            return


def echo(row: Row, world: World) -> Iterator[Finding]:
    """Find a gold answer in the question itself (8.4% of CounterFact's locality prompts).

    The new object of a deleted edit in the question gives away what was deleted.
    """
    asked = normalise(row.question)
    for answer in row.answers or ():
        if holds_phrase(asked, normalise(answer)):
            yield Finding("echo", f"the question holds its answer {answer!r}")
            return
    if row.kind in TEXT_ONLY_KINDS:
        return
    for edit_id in row.hidden_edit_ids:
        edit = world.edits.get(edit_id)
        if edit is not None and holds_phrase(asked, normalise(edit.target_new.text)):
            yield _named("echo", edit, f"the question holds the new object of {_told(edit)}")
            return


def subject_missing(row: Row, world: World) -> Iterator[Finding]:
    """Find a row whose question does not name its first subject."""
    del world
    if row.hops and row.hops[0].subject is not None and row.kind != "subject_alias":
        subject = row.hops[0].subject
        if normalise(subject) not in normalise(row.question):
            yield Finding("subject_missing", f"the question does not name {subject!r}")


def short_alias(row: Row, world: World) -> Iterator[Finding]:
    """Find gold answers so short that chance finds them."""
    del world
    short = [answer for answer in row.answers or () if len(answer) <= SHORT_ALIAS]
    if short:
        yield Finding("short_alias", f"accepted answers of few characters: {', '.join(short)}")


def refusal_alias(row: Row, world: World) -> Iterator[Finding]:
    """Find gold answers that an ordinary refusal holds, so that refusing would be paid."""
    del world
    paid = [answer for answer in row.answers or () if credits_refusal(answer)]
    if paid:
        yield Finding("refusal_alias", f"an ordinary refusal holds {', '.join(map(repr, paid))}")


def unknown_date(row: Row, world: World) -> Iterator[Finding]:
    """Find a dated row whose edit does not tell when its objects held."""
    if row.kind != "temporal" or row.near_edit_id is None:
        return
    edit = world.edits.get(row.near_edit_id)
    if edit is None:
        return
    spans = (edit.time_true, edit.time_new)
    if any(span is None or span.start is None for span in spans):
        yield _named("unknown_date", edit, f"{_told(edit)} does not say when its objects held")


CHECKS: Final[tuple[Check, ...]] = (
    Check(
        "contamination",
        "an edit that is not in its labels sets a fact it asks",
        "drop",
        "flag",
        contamination,
    ),
    Check(
        "contradictory_edit",
        "its governing edits set one fact to different objects",
        "drop",
        "flag",
        contradictory_edit,
    ),
    Check(
        "entailment",
        "an edit of its subject can change what it asks, had its gold as old object, or has a "
        "relation that is not in the table",
        "drop",
        "flag",
        entailment,
    ),
    Check(
        "gold_equals_target",
        "an edit that must not answer it has an object that passes for its gold",
        "decision_only",
        "decision_only",
        gold_equals_target,
    ),
    Check(
        "answer_collision",
        "an edit that could plausibly be fired by mistake plays its gold",
        "flag",
        "flag",
        answer_collision,
    ),
    Check("echo", "its question holds its answer, or a deleted object", "drop", "flag", echo),
    Check(
        "subject_missing", "its question does not name its subject", "drop", "flag", subject_missing
    ),
    Check(
        "short_alias",
        f"an accepted answer has {SHORT_ALIAS} characters or fewer",
        "flag",
        "flag",
        short_alias,
    ),
    Check(
        "refusal_alias",
        "an ordinary refusal holds an accepted answer",
        "strip_alias",
        "flag",
        refusal_alias,
    ),
    Check(
        "unknown_date", "the dates its label rests on are not known", "drop", "flag", unknown_date
    ),
    Check("duplicate", "an earlier row asks the same words", "drop", "flag", None),
    Check(
        "split_subject",
        "its subject is asked about in another cluster already",
        "drop",
        "flag",
        None,
    ),
    Check(
        "many_valued",
        "a fact its gold rests on has several true objects in the sources: all are accepted, or, "
        "where an edit writes one of them or the question goes on from it, none",
        "multi_gold",
        "multi_gold",
        None,
    ),
)
"""Every check, in the order in which they are run: the first that drops a row is its reason."""


def findings(row: Row, world: World) -> list[Finding]:
    """Return all findings of the checks on one row, in the order of `CHECKS`."""
    return [
        finding for check in CHECKS if check.find is not None for finding in check.find(row, world)
    ]


def without_paid_aliases(answers: Sequence[str]) -> tuple[str, ...] | None:
    """Return answers without those that a refusal holds; None where the label is one of them."""
    if not answers or credits_refusal(answers[0]):
        return None
    return tuple(answer for answer in answers if not credits_refusal(answer))


def _named(check: CheckId, edit: Edit, reason: str) -> Finding:
    return Finding(check, reason, (edit.edit_id,))


def _told(edit: Edit) -> str:
    return f"{edit.edit_id} ({edit.cloze} {edit.target_new.text})"
