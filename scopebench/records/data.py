"""Edits, queries, decisions and outcomes: what a benchmark holds and what an editor returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Condition = Literal["structured", "unstructured", "extracted"]
Population = Literal["original", "withheld", "curated"]
Action = Literal["recite", "reason", "abstain"]
Form = Literal["question", "cloze"]
Fold = Literal["dev", "test"]
Matcher = Literal["strict", "paper"]

CONDITIONS: Final[tuple[Condition, ...]] = ("structured", "unstructured", "extracted")
POPULATIONS: Final[tuple[Population, ...]] = ("original", "withheld", "curated")
ACTIONS: Final[tuple[Action, ...]] = ("recite", "reason", "abstain")

LEGAL_ACTIONS: Final[Mapping[Condition, tuple[Action, ...]]] = {
    "structured": ACTIONS,
    "unstructured": ("reason", "abstain"),
    "extracted": ("reason", "abstain"),
}
"""The actions that the protocol allows under each condition (docs/protocol.md, first table)."""


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceRef(Record):
    """Where a record came from."""

    file: str = Field(description="Base name of the source file.")
    record: str = Field(description="The record's own id in that file.")
    sha256: str = Field(description="SHA-256 of the whole source file, in hex.")


class FactObject(Record):
    """One object of a fact, old or new."""

    text: str = Field(min_length=1, description="The object's main label.")
    aliases: tuple[str, ...] = Field(default=(), description="Other accepted labels.")
    entity_id: str | None = Field(default=None, description="Wikidata-style id, where known.")

    @property
    def answers(self) -> tuple[str, ...]:
        """The label and its aliases, label first, without repeats."""
        return tuple(dict.fromkeys((self.text, *self.aliases)))


class Triple(Record):
    """One triple extracted from a paragraph of evidence, with the extractor's noise."""

    subject: str = Field(description="The triple's subject as extracted.")
    prompt: str = Field(description="The relation as a template holding `{}` for the subject.")
    target: str = Field(description="The triple's object as extracted.")


class Interval(Record):
    """A span of validity; dates are ISO 8601 with year, month or day precision."""

    start: str | None = Field(default=None, description="First date, or null when unknown.")
    end: str | None = Field(default=None, description="Last date, or null when open or unknown.")


class Edit(Record):
    """One fact to install."""

    edit_id: str = Field(description="`<dataset>/<case>/<n>`, unique in a benchmark.")
    dataset: str = Field(description="The data set the edit belongs to.")
    subject: str = Field(min_length=1, description="The subject's label.")
    subject_id: str | None = Field(default=None, description="The subject's entity id, if known.")
    relation_id: str | None = Field(default=None, description="Wikidata-style property id.")
    prompt: str = Field(description="Cloze template holding `{}` once for the subject.")
    question: str | None = Field(default=None, description="The fact asked as a question.")
    target_new: FactObject = Field(description="The object to install.")
    target_true: FactObject | None = Field(description="The object before the edit, if known.")
    evidence_unstructured: str | None = Field(
        default=None, description="A paragraph stating the new fact; null: no such condition."
    )
    evidence_triples: tuple[Triple, ...] | None = Field(
        default=None, description="Triples extracted from it; null: no such condition."
    )
    time_true: Interval | None = Field(default=None, description="When the old fact held.")
    time_new: Interval | None = Field(default=None, description="When the new fact holds.")
    path_entities: tuple[str, ...] = Field(
        default=(), description="Entities on the multi-hop path of the edit's case, ids or labels."
    )
    source: SourceRef = Field(description="Where the edit was read.")

    @property
    def case(self) -> str:
        """The case (multi-hop group) the edit belongs to: the middle of its id."""
        return self.edit_id.split("/")[1]

    @property
    def cloze(self) -> str:
        """The prompt with the subject in place."""
        return self.prompt.replace("{}", self.subject)

    @property
    def asked(self) -> str:
        """The fact as it is asked: the question where there is one, else the cloze."""
        return self.question if self.question is not None else self.cloze

    @property
    def form(self) -> Form:
        """Whether `asked` is a question or a cloze."""
        return "cloze" if self.question is None else "question"

    @property
    def statement(self) -> str:
        """The new fact as one sentence: the filled prompt and the new object."""
        return f"{self.cloze} {self.target_new.text}."

    def holds(self, condition: Condition) -> bool:
        """Whether the edit can be presented under a condition."""
        if condition == "structured":
            return True
        if condition == "unstructured":
            return self.evidence_unstructured is not None
        return self.evidence_triples is not None


class Hop(Record):
    """One fact that a question goes through."""

    subject: str | None = Field(description="The subject's label; null: not told by the source.")
    subject_id: str | None = Field(default=None, description="The subject's entity id, if known.")
    relation: str | None = Field(
        description="Property id where known, else the cloze template; null: neither is known."
    )
    object: str | None = Field(
        default=None, description="The object in the world of the effective index, if known."
    )
    edit_ids: tuple[str, ...] = Field(
        default=(), description="Edits of the effective index that set this fact."
    )


class Query(Record):
    """One question, its accepted answers and its decision label."""

    query_id: str = Field(description="`<dataset>/<case>/<n>/<kind>/<population>`, unique.")
    dataset: str = Field(description="The data set the query belongs to.")
    population: Population = Field(description="The population the query belongs to.")
    kind: str = Field(description="Why it is in or out of scope: `direct`, ...")
    question: str = Field(min_length=1, description="What is asked.")
    form: Form = Field(description="Whether it is a question or a cloze to complete.")
    answers: tuple[str, ...] | None = Field(
        description="Outcome gold, main label first; null: decision-only."
    )
    pre_edit_answers: tuple[str, ...] | None = Field(
        description="Accepted answers before any edit; null: unknown. Tells what the model knows."
    )
    governing_edit_ids: tuple[str, ...] = Field(
        description="Decision label: edits of the effective index that govern it; none: out."
    )
    hidden_edit_ids: tuple[str, ...] = Field(
        default=(), description="Edits hidden from the index for this query."
    )
    twin_id: str | None = Field(
        default=None, description="The positive drawn from the same subject or relation."
    )
    near_edit_id: str | None = Field(
        default=None, description="The edit an out-of-scope query was made to be confused with."
    )
    hops: tuple[Hop, ...] = Field(
        default=(), description="The facts asked for, in order; several for a multi-hop question."
    )
    date: str | None = Field(
        default=None, description="The date the question asks about, ISO 8601; null: the present."
    )
    flags: tuple[str, ...] = Field(
        default=(), description="Ids of the checks that flagged the query and did not drop it."
    )
    cluster: str = Field(description="Subject component: the unit of resampling and of folds.")
    fold: Fold = Field(description="`dev` to choose thresholds on, `test` to report.")
    source: SourceRef = Field(description="Where the query was read.")

    @property
    def in_scope(self) -> bool:
        """Whether some edit of the effective index governs the query."""
        return bool(self.governing_edit_ids)


class Candidate(Record):
    """One card a router looked at."""

    edit_id: str = Field(description="The card's edit.")
    score: float = Field(description="Its score; larger is nearer.")


class Decision(Record):
    """What an editor decided for one query under one condition."""

    query_id: str = Field(description="The query decided on.")
    action: Action = Field(description="The action chosen.")
    edit_id: str | None = Field(
        default=None, description="The nearest card, whether or not it fired; null: empty index."
    )
    scope_score: float | None = Field(
        default=None, description="How strongly the editor holds that an edit applies."
    )
    runner_up_score: float | None = Field(default=None, description="The second card's score.")
    candidates: tuple[Candidate, ...] = Field(default=(), description="Best cards, best first.")


class Answer(Record):
    """The text an action produced."""

    text: str = Field(description="The answer, without prompt or trailing lines.")
    edit_id: str | None = Field(default=None, description="The card the answer came from, if any.")


class Outcome(Record):
    """One executed action on one query under one condition."""

    query_id: str = Field(description="The query.")
    condition: Condition = Field(description="How edits were presented.")
    action: Action = Field(description="The action executed.")
    draw: int = Field(default=0, description="Which draw of stochastic decoding; 0 under greedy.")
    legal: bool = Field(description="Whether the action exists for this query.")
    text: str | None = Field(description="The answer; null where the action is not legal.")
    correct: bool | None = Field(description="Right under the strict matcher; null: not scorable.")
    correct_paper: bool | None = Field(description="Right under the paper's matcher.")
    refused: bool | None = Field(description="Whether the answer is a refusal.")
    edit_id: str | None = Field(default=None, description="The card the answer came from.")
