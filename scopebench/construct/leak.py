"""The leak test: can a classifier that sees only the question tell in-scope from out-of-scope?

If it can, an editor may score well without looking at its memory. TF-IDF over words and pairs of
words, logistic regression, cross-validated in parts that hold whole clusters, so that no subject is
trained and tested on; the scores of the held-out parts are pooled. The mix pairs rows of both
labels inside one part where it can. Otherwise leaving out one row of a pair would leave its wording
with the other label alone, and the AUROC would fall below 0.5 for no reason a reader could use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scopebench.construct.assign import draw

N_PARTS: Final = 5
SEEDS: Final = 2**32
"""How many seeds the classifier can be given."""
WORDS: Final = r"(?u)\b\w+\b|[?!:]"
"""What counts as a word for the classifier: end marks too, which tell questions from clozes."""
POOLED_LIMIT: Final = 0.60
"""AUROC that the balanced default mix keeps to: little above the 0.5 of a coin."""
ENOUGH_ROWS: Final = 50
"""Rows of a kind from which its own AUROC is held to the limit too: with fewer its standard error
exceeds 0.05."""
DIGITS: Final = 3


@dataclass(frozen=True)
class Leak:
    """What a text-only classifier makes of a set of questions.

    Attributes:
        n: Questions.
        pooled: AUROC over all of them; None with the reason in `reason`.
        by_kind: AUROC of each kind's questions against all questions of the other label; None for
            a kind with fewer than two questions.
        reason: Why there is no AUROC, if there is none.
    """

    n: int
    pooled: float | None
    by_kind: dict[str, float | None]
    reason: str | None = None


def measure_leak(
    questions: Sequence[str],
    in_scope: Sequence[bool],
    kinds: Sequence[str],
    clusters: Sequence[str],
    *,
    seed: int,
) -> Leak:
    """Measure how well the questions alone give the decision label away.

    Args:
        questions: What is asked.
        in_scope: The decision label of each.
        kinds: The kind of each.
        clusters: The cluster of each; a cluster is never in both halves.
        seed: Seeds the parts.

    Returns:
        AUROCs rounded to `DIGITS`, since the last digits differ between linear algebra libraries.
    """
    n = len(questions)
    parts = [part_of(cluster, seed) for cluster in clusters]
    try:
        scores = _held_out_scores(questions, in_scope, parts, seed)
    except _TooFewError as error:
        return Leak(n, None, dict.fromkeys(sorted(set(kinds))), str(error))
    return Leak(
        n,
        _auroc(scores, in_scope),
        {
            kind: _auroc_of_kind(scores, in_scope, [name == kind for name in kinds])
            for kind in sorted(set(kinds))
        },
    )


def measured(leak: Leak, kinds: Sequence[str]) -> dict[str, float]:
    """Return the AUROC of each kind that has enough rows to be measured.

    Args:
        leak: The leak test of some questions.
        kinds: The kind of each of them.
    """
    rows = Counter(kinds)
    return {
        kind: found
        for kind, found in leak.by_kind.items()
        if found is not None and rows[kind] >= ENOUGH_ROWS
    }


class _TooFewError(Exception):
    """There are too few questions of a label to train or to test on."""


def part_of(cluster: str, seed: int) -> int:
    """Return the part of the cross-validation that a cluster lies in, from 0 to `N_PARTS` - 1."""
    return int(draw(seed, "leak", cluster) * N_PARTS)


def _held_out_scores(
    questions: Sequence[str], in_scope: Sequence[bool], parts: Sequence[int], seed: int
) -> list[float]:
    """Return each question's score by a classifier trained on the other parts."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    if len(set(in_scope)) < len((True, False)):
        raise _TooFewError("all questions have one label")
    scores = [0.0] * len(questions)
    for part in sorted(set(parts)):
        train = [at for at, own in enumerate(parts) if own != part]
        test = [at for at, own in enumerate(parts) if own == part]
        labels = [in_scope[at] for at in train]
        if len(set(labels)) < len((True, False)):
            raise _TooFewError("some part of the cross-validation leaves one label to train on")
        classifier = make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2), token_pattern=WORDS, sublinear_tf=True),
            LogisticRegression(
                solver="liblinear", class_weight="balanced", random_state=seed % SEEDS
            ),
        )
        classifier.fit([questions[at] for at in train], labels)
        found = classifier.decision_function([questions[at] for at in test])
        for at, score in zip(test, found, strict=True):
            scores[at] = float(score)
    return scores


def _auroc_of_kind(
    scores: Sequence[float], in_scope: Sequence[bool], of_kind: Sequence[bool]
) -> float | None:
    """Return the AUROC of a kind within itself if it has both labels, else against the other."""
    own = {label for label, mine in zip(in_scope, of_kind, strict=True) if mine}
    rows = [
        (score, label)
        for score, label, mine in zip(scores, in_scope, of_kind, strict=True)
        if mine or (len(own) == 1 and label not in own)
    ]
    if sum(of_kind) < 2 or len({label for _, label in rows}) < 2:
        return None
    return _auroc([score for score, _ in rows], [label for _, label in rows])


def _auroc(scores: Sequence[float], in_scope: Sequence[bool]) -> float:
    from sklearn.metrics import roc_auc_score

    return round(float(roc_auc_score(list(in_scope), list(scores))), DIGITS)
