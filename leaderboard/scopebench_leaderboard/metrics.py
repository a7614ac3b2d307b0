"""Every number the board shows, declared once: its name, definition, direction and form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from scopebench.report.page.numbers import decimal, percent, points
from scopebench.report.page.words import HEADROOM, ORACLE, ROUTER_WORDS, STATIC_FIXED

Form = Literal["percent", "points", "decimal"]

_FORMS: Final = {"percent": percent, "points": points, "decimal": decimal}


@dataclass(frozen=True)
class Metric:
    """A number of a part of a run.

    Attributes:
        name: Its column; where `interval` is true, `<name>_low` and `<name>_high` stand beside it.
        label: As a reader sees it.
        definition: One sentence.
        higher_is_better: Its direction; None: neither end is better, so nothing is ranked by it.
        form: How it is shown: a share in percent, a difference of shares in points, or a decimal.
        interval: Whether it has an interval.
    """

    name: str
    label: str
    definition: str
    higher_is_better: bool | None
    form: Form
    interval: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns: the value and, where it has one, the ends of the interval."""
        ends = (f"{self.name}_low", f"{self.name}_high") if self.interval else ()
        return (self.name, *ends)

    def show(self, value: float | None) -> str:
        """Return a value as a reader sees it; a dash for none."""
        if value is None or value != value:
            return "–"
        return _FORMS[self.form](value)


def _router(name: str, higher: bool | None, form: Form, *, interval: bool) -> Metric:
    label, definition = ROUTER_WORDS[name]
    return Metric(name, label, definition, higher, form, interval)


_ALL: Final = (
    _router("scope_accuracy", True, "percent", interval=True),
    _router("capture", True, "percent", interval=True),
    _router("gain", True, "points", interval=True),
    _router("regret", False, "points", interval=True),
    _router("accuracy", True, "percent", interval=True),
    _router("credit", True, "percent", interval=True),
    _router("false_fire", False, "percent", interval=True),
    _router("miss", False, "percent", interval=True),
    _router("wrong_edit", False, "percent", interval=True),
    _router("masked", None, "percent", interval=True),
    _router("auroc", True, "decimal", interval=True),
    _router("fpr_at_95_tpr", False, "percent", interval=False),
    _router("auprc", True, "decimal", interval=False),
    _router("prevalence", None, "percent", interval=False),
    _router("aurc", False, "decimal", interval=False),
    _router("augrc", False, "decimal", interval=False),
    _router("margin_auroc", True, "decimal", interval=False),
    Metric("headroom", "headroom", HEADROOM, None, "points", True),
    Metric("static_fixed", "static, declared", STATIC_FIXED, None, "percent", False),
    Metric("oracle", "oracle", ORACLE, None, "percent", False),
    Metric(
        "accuracy_paper",
        "accuracy, paper's matcher",
        "Accuracy under the founding paper's matcher, which also credits ordinary refusals.",
        None,
        "percent",
        True,
    ),
    Metric(
        "headroom_paper",
        "headroom, paper's matcher",
        "Headroom under the founding paper's matcher.",
        None,
        "points",
        True,
    ),
)

METRICS: Final[dict[str, Metric]] = {metric.name: metric for metric in _ALL}
"""Every metric by name, in the order they are shown."""

RANKED: Final[tuple[str, ...]] = tuple(
    name for name, metric in METRICS.items() if metric.higher_is_better is not None
)
"""The metrics a table can be ranked by."""
