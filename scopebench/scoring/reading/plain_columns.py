"""The columns of a plain outcome table that belong to a row: a query under one condition.

Shared by the long form (`plain`) and the wide form (`wide`). What is not given is listed beside
what can then not be computed; nothing is made up in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scopebench.errors import DataError
from scopebench.scoring.matrix import (
    Codes,
    DecisionTable,
    Flags,
    Floats,
    OutcomeMatrix,
    Strings,
)
from scopebench.scoring.reading.frame import Frame, Text, shown
from scopebench.scoring.reading.plain_rows import ABSTAIN, STATIC, Rows, hint, listed, nearest

LOST: Final = {
    "dataset": "All rows count as one data set, named after the file.",
    "condition": "Headroom cannot be told apart by condition: all rows count as one.",
    "population": "Headroom cannot be told apart by population: all rows count as one.",
    "kind": "Nothing can be told apart by kind of query.",
    "cluster": "Every query is its own cluster, its rows under several conditions kept together; "
    "if queries share a subject, the intervals are too narrow.",
    "fold": "No threshold can be fitted on `dev` and judged on `test`, so the policies with a "
    "threshold cannot be computed.",
    "legal": "An action counts as legal wherever the table has an outcome of it.",
    "scope_score": "AUROC, AUPRC, FPR at 95% TPR, risk-coverage, margins and the policies with a "
    "threshold cannot be computed.",
    "runner_up_score": "Margins and the policy with a margin threshold cannot be computed.",
    "fired_edit": "False fires, misses, wrong edits, scope accuracy and conditional credit cannot "
    "be computed.",
    "decision_label": "Everything that asks whether a query is in scope cannot be computed: false "
    "fires, misses, wrong edits, scope accuracy, credit, AUROC and H(pi).",
    "chosen": "The accuracy, gain, regret and capture of the editor cannot be computed.",
    "draw": "Every outcome counts as the only draw, so decoding noise cannot be measured.",
    "known": "The stratum of rows that the unedited model knows cannot be computed.",
    "hidden": "The kept and hidden halves of a population cannot be told apart.",
    "subject_match": "The policy that fires on a matching subject cannot be computed.",
    "template_match": "The policy that fires on a matching relation template cannot be computed.",
}
_FIRED_BY_CHOICE: Final = (
    "Wrong edits and conditional credit cannot be computed: only that an edit fired is known."
)


@dataclass(frozen=True)
class PlainTable:
    """What a plain outcome table holds.

    Attributes:
        matrix: The outcomes, its rows in the order of data set, condition, population, query id.
        decisions: What an editor decided, as far as the table tells it.
        static: The declared static policy: actions in order of preference, the first legal one is
            taken; None where it is not declared.
        missing: For each column that is not given, what can then not be computed, in a sentence.
        ignored: For each column that was not used, why.
        cluster_names: The name of each cluster, by its number.
    """

    matrix: OutcomeMatrix
    decisions: DecisionTable
    static: tuple[str, ...] | None
    missing: dict[str, str]
    ignored: dict[str, str]
    cluster_names: Strings


@dataclass(frozen=True)
class Outcomes:
    """What each of A actions came to on n rows.

    Attributes:
        actions: The actions.
        outcomes: Y, shape (n, A), as in `OutcomeMatrix`.
        legal: L, shape (n, A).
        chosen: Position of the action the editor took, shape (n,), if the table names it.
        draws: Outcomes by draw, shape (n, A, D), where there are several.
    """

    actions: tuple[str, ...]
    outcomes: Floats
    legal: Flags
    chosen: Codes | None
    draws: Floats | None = None

    def allows(self, action: Codes) -> Flags:
        """Return whether a row's action is legal, for one action per row, shape (n,)."""
        return self.legal[np.arange(len(self.legal)), action]


@dataclass(frozen=True)
class _Labels:
    """Decision labels of n rows, k of them distinct.

    Attributes:
        codes: Position in `governing` of each row, shape (n,).
        governing: The governing edits of each distinct label; none: out of scope.
    """

    codes: Codes
    governing: tuple[frozenset[str], ...]

    @property
    def in_scope(self) -> Flags:
        """Whether some edit governs the row, shape (n,)."""
        return np.array([bool(edits) for edits in self.governing], dtype=bool)[self.codes]

    def holds(self, edit: Text) -> Flags:
        """Return whether a row's edit is one of its governing edits, shape (n,)."""
        count = len(self.governing)
        pairs, places = np.unique(edit.codes * count + self.codes, return_inverse=True)
        fired, labels = np.divmod(pairs, count)
        right = [
            edit.names[one] in self.governing[of] for one, of in zip(fired, labels, strict=True)
        ]
        return np.array(right, dtype=bool)[places]


def static_policy(
    static: Sequence[str] | None, actions: Sequence[str], frame: Frame
) -> tuple[str, ...] | None:
    """Return the declared policy, or `recite`, then `reason`, as far as the table has them.

    Raises:
        DataError: If an action was named that the table does not have.
    """
    if static is None:
        return tuple(name for name in STATIC if name in actions) or None
    for name in static:
        if name not in actions:
            raise DataError(
                f"the static policy names '{shown(name)}', which is no action of the table"
                f"{nearest(name, actions)}",
                file=frame.path,
                fix=f"the actions are {listed(actions)}",
            )
    if not static or len(set(static)) < len(static):
        raise DataError("the static policy must name different actions, and at least one")
    return tuple(static)


def finish(
    rows: Rows,
    found: Outcomes,
    *,
    static: Sequence[str] | None,
    ignored: dict[str, str],
    absent: Collection[str],
) -> PlainTable:
    """Add everything that belongs to a row to its outcomes.

    Args:
        rows: The n rows.
        found: Their outcomes.
        static: The policy as the user declared it.
        ignored: The columns that were not used, and why.
        absent: The columns of `LOST` that could be given and are not.

    Raises:
        DataError: If a column of rows holds what it should not.
    """
    policy = static_policy(static, found.actions, rows.frame)
    missing = {
        name: f"{lost} {hint(name, ignored)}".strip()
        for name, lost in LOST.items()
        if name in absent
    }
    if policy is None:
        missing["static_fixed"] = (
            "No action is named recite or reason, so there is no static policy to set the oracle "
            "against: name the policy with --static."
        )
    clusters, folds = _clusters(rows)
    matrix = OutcomeMatrix(
        actions=found.actions,
        **{name: column.values for name, column in rows.keys.items()},
        kinds=rows.words("kind"),
        folds=folds,
        clusters=clusters.codes,
        outcomes=found.outcomes,
        legal=found.legal,
        scorable=np.asarray(~np.isnan(found.outcomes).all(axis=1), dtype=bool),
        known=rows.flags("known", empty=False),
        hidden=rows.flags("hidden"),
        refusal=None,
        draws=found.draws,
    )
    decisions = _decisions(rows, found, policy, missing)
    return PlainTable(matrix, decisions, policy, missing, ignored, clusters.names)


def _decisions(
    rows: Rows, found: Outcomes, policy: tuple[str, ...] | None, missing: dict[str, str]
) -> DecisionTable:
    edit = rows.text("fired_edit", required=False) if "fired_edit" in rows.frame else None
    label = _labels(rows) if "decision_label" in rows.frame else None
    fired = None if edit is None else ~edit.empty
    chosen = found.chosen
    if chosen is not None:
        rows.refuse(~found.allows(chosen), "chosen", "the action taken is not legal", quote=False)
        fired = _fired_by_choice(rows, found, chosen, fired)
        if edit is None and fired is not None:
            missing["fired_edit"] = _FIRED_BY_CHOICE
    elif fired is not None:
        chosen = _choice_by_firing(rows, found, fired, policy, missing)
    return DecisionTable(
        chosen=chosen,
        fired=fired,
        in_scope=None if label is None else label.in_scope,
        right_edit=None if edit is None or label is None else label.holds(edit),
        scores=rows.scores("scope_score"),
        runner_up=rows.scores("runner_up_score"),
        subject_match=rows.flags("subject_match"),
        template_match=rows.flags("template_match"),
    )


def _fired_by_choice(
    rows: Rows, found: Outcomes, chosen: Codes, fired: Flags | None
) -> Flags | None:
    """Return whether the editor took another action than abstain, checked against `fired_edit`."""
    if ABSTAIN not in found.actions:
        return fired
    took = np.asarray(chosen != found.actions.index(ABSTAIN), dtype=bool)
    if fired is not None:
        rows.refuse(
            took != fired,
            "fired_edit",
            "it contradicts the action taken",
            quote=False,
            fix="an edit fired just where another action than `abstain` was taken",
        )
    return took


def _choice_by_firing(
    rows: Rows,
    found: Outcomes,
    fired: Flags,
    policy: tuple[str, ...] | None,
    missing: dict[str, str],
) -> Codes | None:
    """Return abstain where no edit fired, else the policy's first legal action.

    None, with the reason in `missing`, where there is no such action or it is not legal.
    """
    if ABSTAIN not in found.actions or policy is None:
        missing["chosen"] += (
            " The action taken follows from `fired_edit` only where the table has an action "
            "`abstain` and a static policy."
        )
        return None
    order = np.array([found.actions.index(name) for name in policy])
    first = order[found.legal[:, order].argmax(axis=1)]
    chosen = np.where(fired, first, found.actions.index(ABSTAIN)).astype(np.int64)
    stuck = np.flatnonzero(~found.allows(chosen))
    if len(stuck):
        query = shown(rows.keys["query_ids"].values[stuck[0]])
        missing["chosen"] += (
            f" It does not follow from `fired_edit`: {'an' if fired[stuck[0]] else 'no'} edit "
            f"fired on '{query}', where no action that goes with it is legal."
        )
        return None
    del missing["chosen"]
    return chosen


def _labels(rows: Rows) -> _Labels:
    column = rows.text("decision_label", required=False)
    split = ([name.strip() for name in label.split("|")] for label in column.names)
    return _Labels(column.codes, tuple(frozenset(names) - {""} for names in split))


def _clusters(rows: Rows) -> tuple[Text, Strings | None]:
    """Return clusters and folds, checked: no query in two clusters, no cluster in two folds."""
    queries = rows.keys["query_ids"]
    clusters = rows.text("cluster") if "cluster" in rows.frame else queries
    if clusters is not queries:
        datasets = rows.keys["datasets"]
        query = queries.codes * len(datasets.names) + datasets.codes
        rows.refuse(
            _varies(query, clusters.codes),
            "cluster",
            "is not the only cluster of this query",
            fix="give a query the same cluster under every condition",
        )
    if "fold" not in rows.frame:
        return clusters, None
    folds = rows.text("fold")
    word = np.isin(folds.names, ["dev", "test"])[folds.codes]
    rows.refuse(~word, "fold", "is not one of dev, test")
    rows.refuse(
        _varies(clusters.codes, folds.codes),
        "fold",
        "is not the only fold of this row's cluster",
        fix="put all rows of a cluster (a query, where there is no `cluster`) in one fold",
    )
    return clusters, folds.values


def _varies(group: Codes, values: Codes) -> Flags:
    """Return whether a row's value differs from that of the first row of its group."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(values != values[first][place], dtype=bool)
