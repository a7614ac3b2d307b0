"""The numbers of a report: headroom, decisions, policies, traffic mixes, tests, decoding noise.

A number that is undefined is null, and its record's `undefined` says why, by the field's name
(dotted for a part of it); `name.interval` says why a value has no interval.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scopebench.records.data import Record


class Estimate(Record):
    """A value with its 95% interval."""

    value: float | None = Field(description="The point estimate.")
    low: float | None = Field(description="Lower end of the interval.")
    high: float | None = Field(description="Upper end of the interval.")
    method: str | None = Field(description="How the interval was computed.")


class Rows(Record):
    """Which rows a number is over; a row is one query under one condition."""

    dataset: str = Field(default="all", description="The data set, or `all`.")
    condition: str = Field(default="all", description="The condition, or `all`.")
    population: str = Field(description="The population.")
    kind: str = Field(default="all", description="The kind of query, or `all`.")
    stratum: str = Field(
        default="all",
        description="`all` rows, `kept` or `hidden` halves of `withheld`, or `known` rows.",
    )
    n: int = Field(description="Rows.")
    n_scorable: int = Field(description="Rows with outcome gold.")


class Static(Record):
    """A static policy other than `static_fixed`, and the headroom over it."""

    value: float | None = Field(description="Share right when its action is taken.")
    headroom: Estimate = Field(
        description="Oracle minus this policy, chosen anew in each resample."
    )
    choice: str | None = Field(description="The action it takes, in words.")
    hindsight: bool = Field(description="Whether it was chosen on the rows it is judged on.")


class Cell(Rows):
    """Headroom of one dataset x condition x population, of a pool of them, or of a part."""

    n_clusters: int = Field(description="Distinct subject components among the scorable rows.")
    accuracy: dict[str, float | None] = Field(
        description="Share right, by action, over the scorable rows on which it is legal."
    )
    static_fixed: float | None = Field(description="The policy declared before any outcome.")
    oracle: float | None = Field(description="Best legal action of each query.")
    headroom: Estimate = Field(description="Oracle minus static_fixed.")
    statics: dict[str, Static] = Field(
        description="`static_const`, `static_cell` (hindsight) and `static_cv` (other folds)."
    )
    coverage: float | None = Field(description="Share of rows on which some legal action succeeds.")
    unique_wins: dict[str, int | None] = Field(
        description="Rows on which only that action is right; null where outcomes are graded."
    )
    oracle_without: dict[str, float | None] = Field(
        description="The oracle of all other actions, by the action left out."
    )
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class RouterRow(Rows):
    """How well an editor decided on some rows.

    Rows of one kind that hold only in-scope or only out-of-scope queries are set against all
    queries of the other label in their population, in `auroc`, `auprc`, `fpr_at_95_tpr` and
    `margin_auroc`: these then say how well the kind is told from them.
    """

    n_clusters: int = Field(description="Distinct subject components among the rows.")
    in_scope: int | None = Field(description="Rows that some edit governs.")
    accuracy: Estimate = Field(description="Share right when the editor's action is taken.")
    gain: Estimate = Field(description="Accuracy minus static_fixed.")
    regret: Estimate = Field(description="Oracle minus accuracy.")
    capture: Estimate = Field(
        description="Gain over headroom; null where the interval of headroom touches 0."
    )
    scope_accuracy: Estimate = Field(
        description="Share decided rightly: fired with a governing edit, or silent out of scope."
    )
    credit: Estimate = Field(
        description="Conditional credit: right answer and right decision, over scorable rows."
    )
    false_fire: Estimate = Field(description="Out-of-scope rows fired on, as a share.")
    miss: Estimate = Field(description="In-scope rows not fired on, as a share.")
    wrong_edit: Estimate = Field(description="In-scope rows fired on with a wrong edit.")
    masked: Estimate = Field(
        description="Scorable false fires that were right all the same, as a share of them."
    )
    auroc: Estimate = Field(description="Scope score against the decision label.")
    auprc: float | None = Field(description="Average precision of the scope score.")
    prevalence: float | None = Field(description="Share in scope: the AUPRC of a blind score.")
    fpr_at_95_tpr: float | None = Field(
        description="Out-of-scope rows fired on where 95% of the in-scope ones are."
    )
    aurc: float | None = Field(description="Area under the risk-coverage curve; smaller is better.")
    augrc: float | None = Field(
        description="Area under the generalised risk-coverage curve; smaller is better."
    )
    margin_auroc: float | None = Field(
        description="Nearest card's score minus the runner-up's, against the decision label."
    )
    margin_in: float | None = Field(description="Median margin of in-scope rows.")
    margin_out: float | None = Field(description="Median margin of out-of-scope rows.")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class PolicyRow(Rows):
    """A policy that needs no understanding, the editor or the oracle, all on the same rows."""

    policy: str = Field(description="`always_fire`, ..., `editor`, `oracle` or `perfect_scope`.")
    fold: Literal["all", "test"] = Field(
        description="The rows: `test` where thresholds are fitted."
    )
    threshold: float | None = Field(description="Fires at or above it; fitted on `dev`.")
    accuracy: Estimate = Field(description="Share right, over scorable rows.")
    scope_accuracy: float | None = Field(description="Share of rows fired on just where in scope.")
    false_fire: float | None = Field(description="Out-of-scope rows fired on, as a share.")
    miss: float | None = Field(description="In-scope rows not fired on, as a share.")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class MixRow(Record):
    """What policies are worth where traffic is mixed otherwise than in the benchmark."""

    population: str = Field(description="The population whose rows are weighted.")
    name: str = Field(description="`curve`, `observed`, or a deployment mix as it was given.")
    out_of_scope: float | None = Field(description="Share of out-of-scope traffic, pi.")
    static_fixed: float | None = Field(description="Share right under this mix.")
    static_const: float | None = Field(description="Best single action under this mix, hindsight.")
    oracle: float | None = Field(description="Best legal action of each query.")
    editor: float | None = Field(description="The editor's own action.")
    headroom: Estimate = Field(description="Oracle minus static_fixed: H(pi).")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class Comparison(Record):
    """A paired test of two policies or two editors on the same rows."""

    family: str = Field(description="The declared family that Holm's correction is over.")
    dataset: str = Field(default="all", description="The data set, or `all`.")
    condition: str = Field(default="all", description="The condition, or `all`.")
    population: str = Field(description="The population.")
    first: str = Field(description="The policy or editor.")
    second: str = Field(description="What it is compared with.")
    n: int = Field(description="Scorable rows.")
    n_clusters: int = Field(description="Clusters among them.")
    first_only: int | None = Field(description="Rows that only the first gets right.")
    second_only: int | None = Field(description="Rows that only the second gets right.")
    difference: Estimate = Field(description="Accuracy of the first minus that of the second.")
    p_sign_flip: float | None = Field(description="Cluster sign-flip test, two-sided: primary.")
    p_mcnemar: float | None = Field(description="Exact McNemar test over rows, two-sided.")
    smallest_p: float | None = Field(
        description="The smallest p that McNemar's test could give on so many discordant rows."
    )
    p_holm: float | None = Field(description="p_sign_flip after Holm's correction.")
    detectable: float | None = Field(
        description="The difference that would be found with power 0.8 at level 0.05."
    )
    skipped: str | None = Field(default=None, description="Why it is not tested; null: it is.")
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class NoiseRow(Rows):
    """What repeated draws of stochastic decoding add to an oracle."""

    draws: int = Field(description="Draws of each action.")
    naive: Estimate = Field(description="Best of all draws of all actions, minus static_fixed.")
    null: Estimate = Field(description="Best of the draws of static_fixed's own action, minus it.")
    corrected: Estimate = Field(description="Naive minus null.")
    held_out: Estimate = Field(
        description="Gain of the action best on the other draws, judged on the draw left out."
    )
    undefined: dict[str, str] = Field(
        default_factory=dict, description="Why a number above is null, by name."
    )


class Inference(Record):
    """How intervals and tests were computed."""

    version: int = Field(default=1, description="Raised when a computation changes a number.")
    confidence: float = Field(description="Level of the intervals.")
    seed: int = Field(description="Seeds every bootstrap.")
    resamples: int = Field(description="Bootstrap resamples.")
    folds: int = Field(description="Folds of static_cv, by cluster.")


class Report(Record):
    """Every number computed from an outcome table under one matcher."""

    actions: tuple[str, ...] = Field(description="The action set.")
    static_rule: str = Field(description="`static_fixed` in words.")
    inference: Inference = Field(description="Level, seed, resamples and folds in force.")
    cells: tuple[Cell, ...] = Field(
        description="One per dataset x condition x population, over all rows and the known ones."
    )
    pooled: tuple[Cell, ...] = Field(description="One per population, over all its cells.")
    strata: tuple[Cell, ...] = Field(description="Pooled rows of parts of a population.")
    kinds: tuple[Cell, ...] = Field(
        description="One per population and kind, over all rows and the known ones."
    )
    router: tuple[RouterRow, ...] = Field(
        description="The editor's decisions on the rows of pooled, cells, strata and kinds."
    )
    policies: tuple[PolicyRow, ...] = Field(description="Degenerate policies, by population.")
    mixes: tuple[MixRow, ...] = Field(description="H(pi) and deployment mixes, by population.")
    comparisons: tuple[Comparison, ...] = Field(description="The editor against static_fixed.")
    noise: tuple[NoiseRow, ...] = Field(description="Decoding noise; empty under greedy decoding.")
    missing: dict[str, str] = Field(
        default_factory=dict, description="Columns not given, and what cannot be computed then."
    )
