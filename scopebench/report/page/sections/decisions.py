"""What the editor decided: rates by population and kind, and policies to set it against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from scopebench.records.report import Comparison, Estimate, PolicyRow, Report, RouterRow
from scopebench.report.page.charts.svg import line, rectangle, sign
from scopebench.report.page.charts.tracks import BarRow, bar_panel
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Block,
    Column,
    Figure,
    Group,
    Legend,
    Note,
    Row,
    Section,
    Table,
    Value,
)
from scopebench.report.page.numbers import (
    count,
    decimal,
    estimate,
    number,
    percent,
    points,
    probability,
)
from scopebench.report.page.sections.common import (
    cell_rows,
    only,
    pooled_router,
    populations,
    whole,
)
from scopebench.report.page.words import (
    ALL,
    ROUTER_WORDS,
    STRATUM_WORDS,
    UNDERSTANDING,
    cell_words,
    policy_words,
    population_name,
    population_order,
)
from scopebench.scoring.families import POLICIES, SCOPE

_FORMS: Final[dict[str, Callable[[float], str]]] = {
    "gain": points,
    "regret": points,
    **dict.fromkeys(
        ("auroc", "auprc", "aurc", "augrc", "margin_auroc", "margin_in", "margin_out"), decimal
    ),
}
LEVEL: Final = 0.05
"""Below this a corrected p-value tells a policy from the editor."""

_NO_DECISIONS: Final = "The table holds no decisions: what it lacks is listed at the end."
_KIND_METRICS: Final = (
    *("accuracy", "scope_accuracy", "false_fire", "miss", "wrong_edit", "masked", "credit"),
    *("regret", "auroc", "fpr_at_95_tpr", "margin_auroc", "margin_in", "margin_out"),
)
_CELL_METRICS: Final = (
    *("accuracy", "scope_accuracy", "credit", "false_fire", "miss", "wrong_edit", "masked"),
    *("gain", "regret", "capture", "auroc"),
)


def decisions_section(view: RunView) -> Section:
    """How well the editor decided, by population, stratum, cell and kind."""
    report = view.report
    blocks: tuple[Block, ...] = (Note(_NO_DECISIONS),)
    if report.router:
        blocks = (
            _metrics_table(report),
            _kinds_figure(report),
            _kinds_note(report),
            _rows_table("Every kind", "kind", _kind_groups(report), _KIND_METRICS),
            _rows_table("Decisions in every cell", "cell", _cell_groups(report), _CELL_METRICS),
            _rows_table("Decisions by stratum", "rows", _stratum_groups(report), _CELL_METRICS),
        )
    return Section(
        key="decisions",
        title=f"What {view.editor} decided",
        lead="Outcomes can be right for the wrong reason, and decisions right while the model is "
        "ignorant; both are given. Fired: another action than abstain.",
        blocks=tuple(block for block in blocks if block is not None),
    )


def router_value(row: RouterRow, key: str) -> Value:
    """Return one number of a router row as it is shown."""
    value = getattr(row, key)
    form = _FORMS.get(key, percent)
    if isinstance(value, Estimate):
        return estimate(value, form, key=key, undefined=row.undefined)
    return number(value, form, key=key, undefined=row.undefined)


def _metrics_table(report: Report) -> Table:
    """Metrics down, populations across, so that each definition stands beside its numbers."""
    found = [pooled_router(report, name) for name in populations(report)]
    rows = [row for row in found if row is not None]
    counts = (
        Row("rows", tuple(whole(row.n) for row in rows)),
        Row(
            "in scope",
            tuple(
                number(row.in_scope, count, key="in_scope", undefined=row.undefined) for row in rows
            ),
            "Rows that some edit governs.",
        ),
        Row("clusters", tuple(whole(row.n_clusters) for row in rows), "Subjects among them."),
    )
    metrics = tuple(
        Row(label, tuple(router_value(row, key) for row in rows), definition)
        for key, (label, definition) in ROUTER_WORDS.items()
    )
    return Table(
        caption="Decisions by population",
        head="what",
        columns=tuple(Column(population_name(row.population)) for row in rows),
        groups=(Group("", counts), Group("", metrics)),
    )


def _rows_table(
    caption: str,
    head: str,
    groups: Sequence[tuple[str, Sequence[tuple[str, RouterRow]]]],
    keys: Sequence[str],
) -> Table:
    columns = (
        Column("rows"),
        Column("in scope", "Rows that some edit governs."),
        *(Column(*ROUTER_WORDS[key]) for key in keys),
    )
    return Table(
        caption=caption,
        head=head,
        columns=columns,
        groups=tuple(
            Group(label, tuple(_router_row(name, row, keys) for name, row in rows))
            for label, rows in groups
            if rows
        ),
        folded=True,
    )


def _router_row(name: str, row: RouterRow, keys: Sequence[str]) -> Row:
    in_scope = number(row.in_scope, count, key="in_scope", undefined=row.undefined)
    return Row(name, (whole(row.n), in_scope, *(router_value(row, key) for key in keys)))


_Groups = list[tuple[str, list[tuple[str, RouterRow]]]]


def _kind_groups(report: Report) -> _Groups:
    return [
        (population_name(name), [(row.kind, row) for row in _worst_first(_kind_rows(report, name))])
        for name in populations(report)
    ]


def _cell_groups(report: Report) -> _Groups:
    return [
        (population_name(name), [(cell_words(row), row) for row in cell_rows(report.router, name)])
        for name in populations(report)
    ]


def _stratum_groups(report: Report) -> _Groups:
    groups = []
    for name in populations(report):
        found = [(told, pooled_router(report, name, s)) for s, told in STRATUM_WORDS.items()]
        groups.append(
            (population_name(name), [(label, row) for label, row in found if row is not None])
        )
    return groups


def _kind_rows(report: Report, population: str) -> list[RouterRow]:
    return [row for row in only(report.router, population=population) if row.kind != ALL]


def _worst_first(rows: Sequence[RouterRow]) -> list[RouterRow]:
    """Return out-of-scope kinds by false fire, then in-scope ones by miss, the worst first."""

    def place(row: RouterRow) -> tuple[bool, float, float, str]:
        fired, missed = row.false_fire.value, row.miss.value
        return (fired is None, -(fired or 0.0), -(missed or 0.0), row.kind)

    return sorted(rows, key=place)


def _kinds_figure(report: Report) -> Figure:
    panels = []
    for population in populations(report):
        rows = _kind_rows(report, population)
        if len(rows) < 2:
            continue
        for key, named in (("false_fire", "false fires"), ("miss", "misses")):
            bars = _bars(rows, key)
            if bars:
                panels.append(bar_panel(f"{population_name(population)}: {named} by kind", bars))
    legend = (
        Legend(sign(rectangle(0, 3, 22, 10, "bar")), "share"),
        Legend(
            sign(
                line(1, 8, 21, 8, "whisker")
                + line(1, 4, 1, 12, "whisker")
                + line(21, 4, 21, 12, "whisker")
            ),
            "interval",
        ),
    )
    return Figure(
        "False fires over the out-of-scope rows of a kind, misses over its in-scope rows; the "
        "worst kind first.",
        tuple(panels),
        legend,
    )


def _bars(rows: Sequence[RouterRow], key: str) -> list[BarRow]:
    bars = []
    for row in rows:
        rate: Estimate = getattr(row, key)
        if rate.value is None:
            continue
        inside = row.in_scope or 0
        n = row.n - inside if key == "false_fire" else inside
        bars.append(BarRow(row.kind, rate.value, rate.low, rate.high, n))
    return sorted(bars, key=lambda bar: (-(bar.share or 0.0), bar.label))


def _kinds_note(report: Report) -> Note:
    worst = [
        (row.false_fire.value, row)
        for name in populations(report)
        for row in _kind_rows(report, name)
        if row.false_fire.value
    ]
    if not worst:
        return Note("No kind of query is fired on falsely.")
    share, row = max(worst, key=lambda pair: (pair[0], pair[1].n, pair[1].kind))
    return Note(
        f"The kind fired on most often though no edit governs it: {row.kind} in {row.population}, "
        f"on {percent(share)} of its out-of-scope rows.",
        tone="bad",
    )


def policies_section(view: RunView) -> Section:
    """Policies that understand nothing, beside the editor."""
    report = view.report
    names = population_order({row.population for row in report.policies})
    blocks: list[Block] = [
        note for name in names for note in _policy_news(report, name, view.editor)
    ]
    blocks.append(_policies_table(report, names, view.editor) if names else Note(_NO_DECISIONS))
    return Section(
        key="policies",
        title="Policies that understand nothing",
        lead="What an editor must beat to have shown anything. Thresholds are fitted on the dev "
        "fold; then all are judged on the test fold.",
        blocks=tuple(blocks),
    )


def _policies_table(report: Report, names: Sequence[str], editor: str) -> Table:
    return Table(
        caption="Degenerate policies, the editor and the oracle on the same rows",
        head="policy",
        columns=(
            Column("accuracy", "Share right, scorable rows."),
            Column("scope accuracy", "Share of rows fired on just where in scope."),
            Column("false fire", ROUTER_WORDS["false_fire"][1]),
            Column("miss", ROUTER_WORDS["miss"][1]),
            Column("threshold", "Fires at or above it; fitted on the dev fold."),
            Column("n", "Rows; of them scorable ones count for accuracy."),
        ),
        groups=tuple(
            Group(
                _fold_words(population_name(name), fold),
                tuple(_policy_row(row, editor) for row in rows),
            )
            for name in names
            for fold, rows in _by_fold(report, name)
        ),
    )


def _fold_words(population: str, fold: str) -> str:
    rows = "test fold" if fold == "test" else population_name(ALL)
    return ", ".join(dict.fromkeys((population, rows)))


def _by_fold(report: Report, population: str) -> list[tuple[str, list[PolicyRow]]]:
    rows = only(report.policies, population=population)
    folds = [(fold, [row for row in rows if row.fold == fold]) for fold in ("all", "test")]
    return [(fold, found) for fold, found in folds if found]


def _policy_row(row: PolicyRow, editor: str) -> Row:
    why = row.undefined
    threshold = number(row.threshold, decimal, key="threshold", undefined=why)
    return Row(
        head=policy_words(row.policy, editor),
        values=(
            estimate(row.accuracy, percent, key="accuracy", undefined=why),
            number(row.scope_accuracy, percent, key="scope_accuracy", undefined=why),
            number(row.false_fire, percent, key="false_fire", undefined=why),
            number(row.miss, percent, key="miss", undefined=why),
            threshold,
            whole(row.n),
        ),
        marked=row.policy == "editor",
    )


def _policy_news(report: Report, population: str, editor: str) -> list[Note]:
    """Say which policy does at least as well as the editor, or that none does."""
    for _, rows in reversed(_by_fold(report, population)):
        own = next((row for row in rows if row.policy == "editor"), None)
        if own is None or own.scope_accuracy is None:
            continue
        if own.false_fire is None:
            place = population_name(population)
            return [Note(f"On {place}, no query is out of scope: to fire always is right there.")]
        rivals = [row for row in rows if row.policy not in UNDERSTANDING]
        scope = [(row.scope_accuracy, row) for row in rivals if row.scope_accuracy is not None]
        right = [(row.accuracy.value, row) for row in rivals if row.accuracy.value is not None]
        tested = [row for row in report.comparisons if row.population == population]
        notes = [
            _rival(scope, own.scope_accuracy, "right decisions", editor, _against(tested, SCOPE))
        ]
        if own.accuracy.value is not None:
            tests = _against(tested, POLICIES)
            notes.append(_rival(right, own.accuracy.value, "right answers", editor, tests))
        return [note for note in notes if note is not None]
    return []


def _against(rows: Sequence[Comparison], family: str) -> dict[str, Comparison]:
    """Return the tests of a family by the policy that the editor was tested against."""
    return {row.second: row for row in rows if row.family == family}


def _rival(
    rivals: Sequence[tuple[float, PolicyRow]],
    own: float,
    what: str,
    editor: str,
    tests: Mapping[str, Comparison],
) -> Note | None:
    """Set the best rival against the editor in one measure, by the paired test of the two."""
    if not rivals:
        return None
    best, row = max(rivals, key=lambda pair: (pair[0], pair[1].policy))
    test, place = tests.get(row.policy), population_name(row.population)
    name, p = policy_words(row.policy, editor), None if test is None else test.p_holm
    shares = f"{percent(best)} against {percent(own)}"
    told = shares if p is None else f"{shares}, Holm-corrected p = {probability(p)}"
    told = told.replace("p = <", "p <")
    if p is not None and p >= LEVEL:
        text = f"On {place}, {editor} cannot be told from {name} by its {what}: {told}."
        return Note(text, tone="bad")
    if best >= own:
        amount = "more" if best > own else "as many"
        than = "than" if best > own else "as"
        return Note(f"On {place}, {name} has {amount} {what} {than} {editor}: {told}.", tone="bad")
    return Note(f"On {place}, {editor} has more {what} than any policy; the best, {name}: {told}.")
