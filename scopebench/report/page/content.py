"""What the page is made from: one view per run, read and computed by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from scopebench.records.report import Report
from scopebench.records.run import RunResult

CURVE_POINTS: Final = 240
"""Points kept of a curve: more cannot be told apart at the width it is drawn."""


@dataclass(frozen=True)
class WrongFire:
    """One row on which the editor fired with a card that does not govern the query.

    Attributes:
        query_id: The query.
        dataset: Its data set.
        condition: How edits were presented.
        population: Its population.
        kind: Its kind.
        in_scope: Whether some other edit governs it (a wrong edit), or none (a false fire).
        question: What was asked.
        answers: Outcome gold, main label first; None: decision-only.
        near_edit_id: The edit the query was made to be confused with, if it was.
        edit_id: The edit of the card that fired; None: the editor names none.
        card_question: What that card is about.
        card_answer: What that card answers.
        scope_score: How strongly the editor held that the card applies.
        margin: Score of the nearest card minus that of the second.
        action: The action taken.
        text: What was answered; None: not stored.
        correct: Whether it was right all the same; None: not scorable.
    """

    query_id: str
    dataset: str
    condition: str
    population: str
    kind: str
    in_scope: bool
    question: str
    answers: tuple[str, ...] | None
    near_edit_id: str | None
    edit_id: str | None
    card_question: str | None
    card_answer: str | None
    scope_score: float | None
    margin: float | None
    action: str
    text: str | None
    correct: bool | None


@dataclass(frozen=True)
class RiskCurve:
    """A risk-coverage curve, thinned for drawing.

    Attributes:
        coverage: Share of rows kept when only the highest scores are, rising.
        risk: Share of them on which the fired edit does not govern the query.
        generalised_risk: The same errors as a share of all rows.
        aurc: Area under `risk`.
        augrc: Area under `generalised_risk`.
    """

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    generalised_risk: tuple[float, ...]
    aurc: float | None
    augrc: float | None


@dataclass(frozen=True, eq=False)
class RunView:
    """A run, or a plain table of outcomes, as the page shows it.

    Attributes:
        name: A label no other run on the page has.
        folder: Where it was read from; only its name is shown.
        result: The contents of `run.json`; None for a plain table.
        report: The numbers, under the strict matcher where there are two.
        paper: The numbers under the paper's matcher; None where there are no texts to match.
        scores: Scope scores, NaN where there is none, shape (n,).
        in_scope: Decision labels, shape (n,).
        populations: The rows' populations, shape (n,).
        kinds: The rows' kinds, shape (n,).
        risk_curves: By population.
        wrong_fires: A sample.
        wrong_fires_total: How many there are; None where that cannot be told.
    """

    name: str
    folder: Path
    result: RunResult | None
    report: Report
    paper: Report | None = None
    scores: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    in_scope: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    populations: Sequence[str] = ()
    kinds: Sequence[str] = ()
    risk_curves: Mapping[str, RiskCurve] = field(default_factory=dict)
    wrong_fires: Sequence[WrongFire] = ()
    wrong_fires_total: int | None = None

    @property
    def editor(self) -> str:
        """The editor's name, where it is known."""
        return "the editor" if self.result is None else self.result.editor.name


def thinned(curve: Any, points: int = CURVE_POINTS) -> RiskCurve:
    """Return a risk-coverage curve with at most so many points, its first and last among them.

    Args:
        curve: Has `coverage`, `risk` and `generalised_risk`, each of shape (n,), and the areas
            `aurc` and `augrc` under the whole curve.
        points: At least 2.
    """
    n = len(curve.coverage)
    kept = np.unique(np.linspace(0, n - 1, min(n, points)).round().astype(np.int64))

    def part(values: Any) -> tuple[float, ...]:
        return tuple(float(value) for value in np.asarray(values, dtype=np.float64)[kept])

    return RiskCurve(
        coverage=part(curve.coverage),
        risk=part(curve.risk),
        generalised_risk=part(curve.generalised_risk),
        aurc=curve.aurc,
        augrc=curve.augrc,
    )
