"""The records that every part of ScopeBench reads and writes: frozen, closed, versioned.

Words mean what `docs/architecture.md` says they mean. Nothing here imports torch, datasets or
pandas, so any tool can validate a record cheaply. `json_schema()` is exported to
`docs/records.schema.json`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

SCHEMA_VERSION: Final = 2

Condition = Literal["structured", "unstructured", "extracted"]
Population = Literal["original", "withheld", "curated"]
Action = Literal["recite", "reason", "abstain"]
Form = Literal["question", "cloze"]
Fold = Literal["dev", "test"]
Matcher = Literal["strict", "paper"]

CONDITIONS: Final[tuple[Condition, ...]] = ("structured", "unstructured", "extracted")
POPULATIONS: Final[tuple[Population, ...]] = ("original", "withheld", "curated")
ACTIONS: Final[tuple[Action, ...]] = ("recite", "reason", "abstain")


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
    legal: bool = Field(description="Whether the action exists for this query.")
    text: str | None = Field(description="The answer; null where the action is not legal.")
    correct: bool | None = Field(description="Right under the strict matcher; null: not scorable.")
    correct_paper: bool | None = Field(description="Right under the paper's matcher.")
    refused: bool | None = Field(description="Whether the answer is a refusal.")
    edit_id: str | None = Field(default=None, description="The card the answer came from.")


class ActionValues(Record):
    """One number for each action; null where undefined."""

    recite: float | None = Field(description="Value for `recite`.")
    reason: float | None = Field(description="Value for `reason`.")
    abstain: float | None = Field(description="Value for `abstain`.")


class ActionCounts(Record):
    """One count for each action; null where the action is not legal."""

    recite: int | None = Field(description="Count for `recite`.")
    reason: int | None = Field(description="Count for `reason`.")
    abstain: int | None = Field(description="Count for `abstain`.")


class Estimate(Record):
    """A value with its 95% interval."""

    value: float | None = Field(description="The point estimate.")
    low: float | None = Field(description="Lower end of the interval.")
    high: float | None = Field(description="Upper end of the interval.")
    method: str | None = Field(description="How the interval was computed.")


class Cell(Record):
    """Headroom of one dataset x condition x population (or of a pool of them)."""

    dataset: str = Field(description="The data set, or `all`.")
    condition: str = Field(description="The condition, or `all`.")
    population: str = Field(description="The population.")
    stratum: str = Field(
        default="all",
        description="`all` rows, `kept` or `hidden` halves of `withheld`, or `known` rows.",
    )
    n: int = Field(description="Queries.")
    n_scorable: int = Field(description="Queries with outcome gold.")
    n_clusters: int = Field(description="Distinct subject components among the scorable.")
    accuracy: ActionValues = Field(description="Share right, by action, over scorable queries.")
    static_fixed: float | None = Field(description="Recite where legal, else reason.")
    oracle: float | None = Field(description="Best legal action of each query.")
    headroom: Estimate = Field(description="Oracle minus static_fixed.")
    unique_wins: ActionCounts = Field(description="Queries on which only that action is right.")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="The reason for each null above, by dotted key."
    )


class RouterRow(Record):
    """How well an editor decided on one population."""

    population: str = Field(description="The population.")
    n: int = Field(description="Decisions.")
    n_scorable: int = Field(description="Decisions whose outcome is scorable.")
    accuracy: float | None = Field(description="Share right when the editor's action is taken.")
    false_fire: float | None = Field(description="Out-of-scope queries fired on, as a share.")
    miss: float | None = Field(description="In-scope queries not fired on, as a share.")
    wrong_edit: float | None = Field(description="In-scope queries fired with a wrong edit.")
    auroc: float | None = Field(description="Scope score against the decision label.")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="The reason for each null above, by key."
    )


class KindRow(Record):
    """How well an editor decided on one kind of query in one population.

    A kind that holds only in-scope or only out-of-scope queries is set against all queries of the
    other label in its population, so that `auroc` says how well the kind is told from them.
    """

    population: str = Field(description="The population.")
    kind: str = Field(description="The kind.")
    n: int = Field(description="Decisions.")
    in_scope: int = Field(description="Decisions on in-scope queries.")
    n_scorable: int = Field(description="Decisions whose outcome is scorable.")
    accuracy: float | None = Field(description="Share right when the editor's action is taken.")
    false_fire: float | None = Field(description="Out-of-scope queries fired on, as a share.")
    miss: float | None = Field(description="In-scope queries not fired on, as a share.")
    wrong_edit: float | None = Field(description="In-scope queries fired with a wrong edit.")
    auroc: float | None = Field(
        description="Scope score of the kind against the queries of the other label."
    )
    undefined: dict[str, str] = Field(
        default_factory=dict, description="The reason for each null above, by key."
    )


class Report(Record):
    """Every number computed from the two tables under one matcher."""

    cells: tuple[Cell, ...] = Field(description="One per dataset x condition x population.")
    pooled: tuple[Cell, ...] = Field(description="One per population, over all its cells.")
    strata: tuple[Cell, ...] = Field(description="Pooled rows of parts of a population.")
    router: tuple[RouterRow, ...] = Field(description="One per population.")
    kinds: tuple[KindRow, ...] = Field(description="One per population and kind.")


class Protocol(Record):
    """What must be equal for two numbers to be comparable."""

    protocol_id: str = Field(description="Hash over the other fields.")
    matcher: str = Field(description="Matcher name and version.")
    prompts: str = Field(description="Prompt template family and version.")
    decoding: str = Field(description="Decoding in words: greedy, length, stop.")
    actions: tuple[Action, ...] = Field(description="The action set.")
    static_rule: str = Field(description="The static policy headroom is taken against.")


class EditorRef(Record):
    """The editor behind a run."""

    name: str = Field(description="Registered name.")
    version: str = Field(description="Its version.")
    params: dict[str, Any] = Field(description="Parameters in force.")
    sha256: str = Field(description="Hash over name, version and parameters.")


class ModelRef(Record):
    """A language model or encoder behind a run."""

    id: str = Field(description="Name, Hub id or folder name.")
    revision: str = Field(description="Commit or content hash of the weights.")
    dtype: str = Field(description="Floating-point type computed in.")
    device: str = Field(description="Device computed on.")
    parameters: int | None = Field(default=None, description="Parameter count.")


class BenchmarkRef(Record):
    """The benchmark behind a run."""

    name: str = Field(description="Name in its manifest.")
    version: str = Field(description="Version in its manifest.")
    files: dict[str, str] = Field(description="SHA-256 of every data file, by relative path.")
    limit: int | None = Field(description="At most so many queries a cell and population.")


class RunResult(Record):
    """The contents of `run.json`."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="Version of this record.")
    run_id: str = Field(description="Hash over all that determines the tables.")
    status: Literal["success", "limited"] = Field(description="`limited` when --limit was given.")
    protocol: Protocol = Field(description="The protocol in force.")
    editor: EditorRef = Field(description="The editor scored.")
    model: ModelRef = Field(description="The frozen language model.")
    encoder: ModelRef | None = Field(description="The sentence encoder, if one was used.")
    benchmark: BenchmarkRef = Field(description="The benchmark scored on.")
    cells: tuple[Cell, ...] = Field(description="See `Report`; strict matcher.")
    pooled: tuple[Cell, ...] = Field(description="See `Report`; strict matcher.")
    strata: tuple[Cell, ...] = Field(description="See `Report`; strict matcher.")
    router: tuple[RouterRow, ...] = Field(description="See `Report`; strict matcher.")
    kinds: tuple[KindRow, ...] = Field(description="See `Report`; strict matcher.")
    paper_matcher: Report = Field(description="The same numbers under the paper's matcher.")
    tables: dict[str, str] = Field(description="SHA-256 of the two tables, by file name.")
    seeds: dict[str, int] = Field(description="Seeds used, by purpose.")
    timings: dict[str, float] = Field(description="Seconds by phase, over all sessions.")
    environment: dict[str, str] = Field(description="Python, platform and package versions.")
    git: dict[str, str | bool | None] = Field(description="Commit of the package, if from git.")


EXPORTED: Final[tuple[type[Record], ...]] = (Edit, Query, Decision, Answer, Outcome, RunResult)


def json_schema() -> dict[str, Any]:
    """Return one JSON Schema document holding every exported record under `$defs`."""
    _, document = models_json_schema(
        [(record, "validation") for record in EXPORTED], title="ScopeBench records"
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}
