"""Names as a reader sees them, and the definitions that stand beside the numbers."""

from __future__ import annotations

from typing import Final

from scopebench.records import POPULATIONS
from scopebench.records.report import Cell, Rows

ALL: Final = "all"

POPULATION_WORDS: Final = {
    "original": "every query's edit is in the index",
    "withheld": "the query's own edit is hidden for half of the queries",
    "curated": "as many questions that no edit governs as questions that one does",
}
STRATUM_WORDS: Final = {
    "all": "all rows",
    "known": "known rows",
    "kept": "kept half",
    "hidden": "hidden half",
}
DATASET_WORDS: Final = {
    "counterfact": "CounterFact",
    "wikiupdate": "WikiUpdate",
    "mquake_cf": "MQuAKE-CF",
    "rippleedits": "RippleEdits",
    "zsre": "zsRE",
}
POLICY_WORDS: Final = {
    "always_fire": "always fire",
    "always_abstain": "always abstain",
    "always_refuse": "always refuse",
    "random": "random, at the editor's fire rate",
    "similarity_threshold": "similarity threshold",
    "margin_threshold": "margin threshold",
    "subject_match": "subject-string match",
    "template_match": "relation-template match",
    "editor": "the editor",
    "perfect_scope": "perfect scope decision",
    "oracle": "oracle",
}
UNDERSTANDING: Final = ("editor", "perfect_scope", "oracle")
"""Policies that are no rivals: what is judged, and what reads the labels or the outcomes."""

STATIC_WORDS: Final = {
    "static_fixed": "declared before any outcome",
    "static_const": "best single action, in hindsight",
    "static_cell": "best action of each cell, in hindsight",
    "static_cv": "chosen on the other folds",
}

HEADROOM: Final = (
    "Oracle minus a fixed rule: the most that any per-query decision could gain over that rule."
)
ORACLE: Final = "Share right if every query got its best legal action."
STATIC_FIXED: Final = "Share right under the rule declared before any outcome was seen."
UNIQUE_WINS: Final = "Rows on which only this action is right."
COVERAGE: Final = "Share of rows on which some legal action succeeds."

ROUTER_WORDS: Final = {
    "scope_accuracy": (
        "scope accuracy",
        "Share decided rightly: fired with a governing edit, or silent where none governs.",
    ),
    "accuracy": ("accuracy", "Share right when the editor's action is taken; scorable rows."),
    "credit": ("conditional credit", "Right answer and right decision; scorable rows."),
    "false_fire": ("false fire", "Out-of-scope rows fired on, as a share of them."),
    "miss": ("miss", "In-scope rows not fired on, as a share of them."),
    "wrong_edit": (
        "wrong edit",
        "In-scope rows fired on with an edit that does not govern them.",
    ),
    "masked": (
        "masked false fires",
        "Scorable false fires that were right all the same: outcomes alone would hide them.",
    ),
    "gain": ("gain", "Accuracy minus static, declared, in points."),
    "regret": ("regret", "Oracle minus accuracy, in points."),
    "capture": (
        "capture",
        "Gain over headroom; below 0: worse than the fixed rule. Not given where the interval of "
        "headroom touches 0.",
    ),
    "auroc": (
        "AUROC",
        "Chance that an in-scope row scores above an out-of-scope one; ties count half.",
    ),
    "auprc": ("AUPRC", "Average precision of the scope score; set it against the prevalence."),
    "prevalence": ("prevalence", "Share in scope: the AUPRC of a blind score."),
    "fpr_at_95_tpr": (
        "FPR at 95% TPR",
        "Out-of-scope rows fired on at the score that fires on 95% of the in-scope ones.",
    ),
    "aurc": ("AURC", "Area under the risk-coverage curve; smaller is better."),
    "augrc": (
        "AUGRC",
        "Rows enter by falling score, and one errs whose nearest card does not govern it: area "
        "under the errors, as a share of all rows, over the share entered; smaller is better.",
    ),
    "margin_auroc": (
        "margin AUROC",
        "As AUROC, of the score minus the score of the second card.",
    ),
    "margin_in": ("median margin, in scope", "Score minus the second card's, in-scope rows."),
    "margin_out": ("median margin, out of scope", "The same of out-of-scope rows."),
}


def dataset_words(dataset: str) -> str:
    """Return a data set's name as its authors write it."""
    return DATASET_WORDS.get(dataset, dataset)


def population_name(population: str) -> str:
    """Return a population's name; a table without populations has `all` alone."""
    return "all rows" if population == ALL else population


def cell_words(rows: Rows | Cell) -> str:
    """Return a cell's name: data set and condition, without parts that are `all`."""
    parts = [dataset_words(rows.dataset), rows.condition]
    named = [part for part in parts if part != ALL]
    return " ".join(named) or "all cells"


def policy_words(policy: str, editor: str) -> str:
    """Return a policy's name; the editor goes by its own."""
    if policy == "editor":
        return editor
    return POLICY_WORDS.get(policy, policy)


def population_order(names: set[str]) -> list[str]:
    """Return populations in their own order, unknown ones after, by name."""
    known = [name for name in POPULATIONS if name in names]
    return [*known, *sorted(names - set(known))]
