"""Paired tests, decoding noise, and several runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from scopebench.records.report import Comparison, NoiseRow
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Block,
    Column,
    Group,
    Note,
    Row,
    Section,
    Table,
    Value,
)
from scopebench.report.page.numbers import (
    count,
    estimate,
    missing,
    number,
    percent,
    points,
    probability,
    words,
)
from scopebench.report.page.sections.common import (
    pooled_cell,
    pooled_router,
    populations,
    whole,
)
from scopebench.report.page.sections.decisions import router_value
from scopebench.report.page.words import (
    ALL,
    ORACLE,
    ROUTER_WORDS,
    STRATUM_WORDS,
    cell_words,
    dataset_words,
    policy_words,
    population_name,
    population_order,
)
from scopebench.scoring.families import EDITORS_SCOPE, SCOPE

BY_SCOPE = (SCOPE, EDITORS_SCOPE)
"""Families that compare decisions and not answers."""

_OPEN_ROWS = 12
"""A table of tests that is longer is behind its caption."""

_WORTH = ("accuracy", "gain", "capture")
_DECIDED = (
    *("scope_accuracy", "credit", "false_fire", "miss", "wrong_edit", "masked"),
    *("auroc", "augrc"),
)


def tests_section(view: RunView) -> Section:
    """Paired tests of the editor against the static policy, and decoding noise."""
    report = view.report
    blocks: list[Block] = list(comparison_tables(report.comparisons, view.editor))
    if not blocks:
        blocks.append(Note("The table holds no decisions to test."))
    if report.noise:
        blocks.append(_noise_table(report.noise))
    inference = report.inference
    return Section(
        key="tests",
        title="Tests",
        lead="Paired, on the same rows. The sign-flip test flips whole clusters and is the primary "
        "one; Holm's correction is over the rows of a table. Intervals: "
        f"{inference.confidence:.0%}, {count(inference.resamples)} resamples, seed "
        f"{inference.seed}.",
        blocks=tuple(blocks),
    )


def comparison_tables(comparisons: Sequence[Comparison], editor: str) -> list[Table]:
    """Return one table per declared family, rows that are not tested listed with their reason."""
    families: dict[str, list[Comparison]] = {}
    for row in comparisons:
        families.setdefault(row.family, []).append(row)
    smallest_first = sorted(families.items(), key=lambda family: len(family[1]))
    return [_comparison_table(family, rows, editor) for family, rows in smallest_first]


def _comparison_table(family: str, rows: Sequence[Comparison], editor: str) -> Table:
    by_scope = family in BY_SCOPE
    what = "Share decided rightly" if by_scope else "Accuracy"
    verb = "decides rightly" if by_scope else "gets right"
    counted = "Rows, scorable or not." if by_scope else "Scorable rows."

    def named(row: Comparison) -> str:
        first, second = (policy_words(name, editor) for name in (row.first, row.second))
        return f"{first} against {second}"

    tested = [row for row in rows if row.skipped is None]
    pairs = dict.fromkeys(
        (named(row), name)
        for name in population_order({row.population for row in rows})
        for row in tested
        if row.population == name
    )
    groups = [
        Group(
            f"{population_name(population)}: {pair}",
            tuple(
                _comparison_row(row)
                for row in tested
                if (named(row), row.population) == (pair, population)
            ),
        )
        for pair, population in pairs
    ]
    skipped = tuple(
        f"Not tested: {named(row)}, {population_name(row.population)}, {_place(row)} "
        f"({count(row.n)} rows, {count(row.n_clusters)} clusters): {row.skipped}."
        for row in rows
        if row.skipped is not None
    )
    return Table(
        caption=f"Family: {family}",
        head="cell",
        columns=(
            Column("difference", f"{what} of the first minus that of the second, in points."),
            Column("p, sign-flip", "Cluster sign-flip test, two-sided: primary."),
            Column("p, Holm", "The same after Holm's correction in this family."),
            Column("only first : only second", f"Rows that only one of the two {verb}."),
            Column("p, McNemar", "Exact, over rows, two-sided: takes rows for independent."),
            Column("smallest p", "The least that McNemar's test could give here."),
            Column("detectable", "Difference found with power 0.8 at level 0.05, in points."),
            Column("n", counted),
            Column("clusters", "Subjects: the units that are flipped."),
        ),
        groups=tuple(groups),
        notes=skipped,
        folded=len(rows) > _OPEN_ROWS,
    )


def _place(row: Comparison) -> str:
    parts = [part for part in (dataset_words(row.dataset), row.condition) if part != ALL]
    return " ".join(parts) or "all cells"


def _comparison_row(row: Comparison) -> Row:
    why = row.undefined
    if row.first_only is None or row.second_only is None:
        discordant = missing(why.get("first_only", ""))
    else:
        discordant = words(f"{count(row.first_only)} : {count(row.second_only)}")

    def p(key: str) -> Value:
        return number(getattr(row, key), probability, key=key, undefined=why)

    detectable = number(row.detectable, points, key="detectable", undefined=why)
    return Row(
        head=_place(row),
        values=(
            estimate(row.difference, points, key="difference", undefined=why),
            p("p_sign_flip"),
            p("p_holm"),
            discordant,
            p("p_mcnemar"),
            p("smallest_p"),
            Value(detectable.text.lstrip("+"), reason=detectable.reason, exact=detectable.exact),
            whole(row.n),
            whole(row.n_clusters),
        ),
    )


def _noise_table(rows: Sequence[NoiseRow]) -> Table:
    keys = {
        "naive": "Best of all draws of all actions, minus static_fixed: not headroom.",
        "null": "Best of the draws of static_fixed's own action, minus it: noise alone.",
        "corrected": "Naive minus null.",
        "held_out": "Gain of the action best on the other draws, judged on the draw left out.",
    }
    names = population_order({row.population for row in rows})
    return Table(
        caption="What repeated draws of stochastic decoding add to an oracle, in points",
        head="rows",
        columns=(
            Column("n", "Scorable rows."),
            Column("draws", "Draws of each action."),
            *(Column(key.replace("_", " "), meaning) for key, meaning in keys.items()),
        ),
        groups=tuple(
            Group(
                name, tuple(_noise_row(row, list(keys)) for row in rows if row.population == name)
            )
            for name in names
        ),
        notes=(
            "Two draws of one action differ by chance, and the better of them is right more often "
            "than either: that is the null, and it is subtracted.",
        ),
    )


def _noise_row(row: NoiseRow, keys: Sequence[str]) -> Row:
    parts = [cell_words(row)]
    if row.kind != ALL:
        parts.append(row.kind)
    if row.stratum != ALL:
        parts.append(STRATUM_WORDS.get(row.stratum, row.stratum))
    numbers = (estimate(getattr(row, k), points, key=k, undefined=row.undefined) for k in keys)
    return Row(", ".join(parts), (whole(row.n_scorable), whole(row.draws), *numbers))


def side_section(views: Sequence[RunView], comparisons: Sequence[Comparison]) -> Section:
    """The key numbers of all runs, and paired tests between them."""
    names = population_order({name for view in views for name in populations(view.report)})
    worth = Table(
        caption="What every run is worth",
        head="run",
        columns=(
            Column("headroom", "Oracle minus static_fixed, in points."),
            *(Column(*ROUTER_WORDS[key]) for key in _WORTH),
            Column(
                "static",
                "Share right under static_fixed. It reasons from the card that the run retrieved, "
                "so it and the oracle differ between runs.",
            ),
            Column("oracle", ORACLE),
            Column("n", "Scorable rows."),
        ),
        groups=tuple(Group(n, tuple(_worth_row(view, n) for view in views)) for n in names),
    )
    decided = Table(
        caption="What every run decided",
        head="run",
        columns=tuple(Column(*ROUTER_WORDS[key]) for key in _DECIDED),
        groups=tuple(Group(n, tuple(_decided_row(view, n) for view in views)) for n in names),
    )
    tests = comparison_tables(comparisons, "the editor")
    nothing = Note("No paired test: these runs share no scored rows.")
    return Section(
        key="side-by-side",
        title="Runs side by side",
        lead="Under one protocol. A difference is tested pair by pair, on the rows that both runs "
        "have, and not read off two intervals.",
        blocks=(worth, decided, *(tests or (nothing,))),
    )


def _worth_row(view: RunView, population: str) -> Row:
    cell = pooled_cell(view.report, population)
    router = _router_values(view, population, _WORTH)
    if cell is None:
        absent = missing(f"{view.name} has no rows of {population}")
        return Row(view.name, (absent, *router, absent, absent, absent))
    why = cell.undefined
    return Row(
        view.name,
        (
            estimate(cell.headroom, points, key="headroom", undefined=why),
            *router,
            number(cell.static_fixed, percent, key="static_fixed", undefined=why),
            number(cell.oracle, percent, key="oracle", undefined=why),
            whole(cell.n_scorable),
        ),
    )


def _decided_row(view: RunView, population: str) -> Row:
    return Row(view.name, _router_values(view, population, _DECIDED))


def _router_values(view: RunView, population: str, keys: Sequence[str]) -> tuple[Value, ...]:
    router = pooled_router(view.report, population)
    if router is None:
        return (missing(f"{view.name} has no decisions on {population}"),) * len(keys)
    return tuple(router_value(router, key) for key in keys)
