"""The tables of a report on a terminal, beside the one of headroom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from scopebench.records import (
    POPULATIONS,
    Cell,
    Comparison,
    Estimate,
    MixRow,
    NoiseRow,
    PolicyRow,
    Report,
    RouterRow,
)
from scopebench.report.console import NOTHING, plain_table, printable
from scopebench.scoring.families import POLICIES, SCOPE


def decision_tables(report: Report) -> Iterator[Table | Text]:
    """Yield the tables about the editor's decisions, where the report knows of any."""
    whole = [row for row in report.router if _is_pooled(row)]
    if whole:
        yield _router_table(whole)
        yield _worth_table(whole)
    if shown := _worst_first(report.router):
        yield _kinds_table(shown)
    if report.noise:
        yield _noise_table([row for row in report.noise if row.dataset == "all"])


def reference_tables(report: Report) -> Iterator[Table | Text]:
    """Yield the tables that say what the numbers must be held against."""
    if any(cell.oracle is not None for cell in report.pooled):
        yield _statics_table(report.pooled)
    if report.policies:
        yield _policies_table([row for row in report.policies if _is_told(row)], report.comparisons)
        for reason, names in _not_told(report.policies).items():
            yield Text(printable(f"Not told: {', '.join(names)}: {reason}"))
    if any(row.oracle is not None for row in report.mixes):
        yield _mixes_table(report.mixes)
    yield from comparison_tables(
        [row for row in report.comparisons if row.family not in (POLICIES, SCOPE)]
    )


def _is_pooled(row: RouterRow) -> bool:
    return row.dataset == row.condition == row.kind == row.stratum == "all"


def _statics_table(rows: Sequence[Cell]) -> Table:
    table = plain_table("Headroom over other static policies (* chosen in hindsight)")
    table.add_column("population", overflow="fold")
    for name in ("best action*", "best by cell*", "by cell, other folds"):
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("headroom", justify="right", no_wrap=True)
    for cell in rows:
        values = [
            text
            for name in ("static_const", "static_cell", "static_cv")
            for text in (
                share_text(cell.statics[name].value),
                signed(cell.statics[name].headroom),
            )
        ]
        add_row(table, cell.population, *values)
    return table


def _router_table(rows: Sequence[RouterRow]) -> Table:
    table = plain_table("The editor's own decisions")
    table.add_column("population")
    names = ("n", "scope acc.", "false fire", "miss", "wrong edit", "AUROC", "AUPRC", "prevalence")
    for name in (*names, "FPR@95TPR", "AUGRC"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        rates = (row.scope_accuracy, row.false_fire, row.miss, row.wrong_edit, row.auroc)
        plain = (row.auprc, row.prevalence, row.fpr_at_95_tpr, row.augrc)
        add_row(
            table,
            row.population,
            str(row.n),
            *(share_text(rate.value) for rate in rates),
            *map(share_text, plain),
        )
    return table


def _worth_table(rows: Sequence[RouterRow]) -> Table:
    table = plain_table("What they are worth")
    table.add_column("population")
    names = ("accuracy", "95% interval", "gain", "95% interval", "regret", "capture", "credit")
    for name in (*names, "masked"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        accuracy = row.accuracy
        add_row(
            table,
            row.population,
            share_text(accuracy.value),
            interval_text(accuracy, sign="") or NOTHING,
            NOTHING if row.gain.value is None else f"{row.gain.value:+.4f}",
            interval_text(row.gain) or NOTHING,
            *(share_text(x.value) for x in (row.regret, row.capture, row.credit, row.masked)),
        )
    return table


def _worst_first(rows: Sequence[RouterRow]) -> list[RouterRow]:
    """Return the kinds of populations with several, in each the worst false fire first.

    Kinds without out-of-scope queries come after, the one missed most first.
    """
    kinds = [row for row in rows if row.kind != "all" and row.stratum == "all"]
    counts = {row.population: 0 for row in kinds}
    for row in kinds:
        counts[row.population] += 1

    def place(row: RouterRow) -> tuple[int, str, bool, float, float, str]:
        known = row.population in POPULATIONS
        return (
            [*POPULATIONS].index(row.population) if known else len(POPULATIONS),  # type: ignore[arg-type]
            row.population,
            row.false_fire.value is None,
            -(row.false_fire.value or 0.0),
            -(row.miss.value or 0.0),
            row.kind,
        )

    return sorted((row for row in kinds if counts[row.population] > 1), key=place)


def _kinds_table(rows: Sequence[RouterRow]) -> Table:
    table = plain_table("The same by kind of query, the worst false fire first")
    table.add_column("population", overflow="fold")
    table.add_column("kind", overflow="fold")
    names = ("n", "in scope", "accuracy", "false fire", "95% interval", "miss", "wrong edit")
    for name in (*names, "AUROC"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        add_row(
            table,
            row.population,
            row.kind,
            str(row.n),
            count_text(row.in_scope),
            share_text(row.accuracy.value),
            share_text(row.false_fire.value),
            interval_text(row.false_fire, sign="") or NOTHING,
            *(share_text(rate.value) for rate in (row.miss, row.wrong_edit, row.auroc)),
        )
    return table


def _is_told(row: PolicyRow) -> bool:
    return row.accuracy.value is not None or row.scope_accuracy is not None


def _not_told(rows: Sequence[PolicyRow]) -> dict[str, list[str]]:
    """Return the policies of which nothing can be said, by reason."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if not _is_told(row):
            names = found.setdefault(row.undefined.get("accuracy", "no reason is given"), [])
            names.append(f"{row.policy} ({row.population})")
    return found


def _policies_table(rows: Sequence[PolicyRow], tests: Sequence[Comparison]) -> Table:
    tested = any(row.fold == "test" for row in rows)
    where = "on the test rows, thresholds fitted on dev" if tested else "on all rows"
    table = plain_table(
        f"Policies that understand nothing, {where} (p: the editor against it, Holm-corrected)"
    )
    table.add_column("population", overflow="fold")
    table.add_column("policy", overflow="fold")
    names = ("scorable", "accuracy", "p", "n", "scope acc.", "p", "false fire", "miss")
    for name in (*names, "threshold"):
        table.add_column(name, justify="right", no_wrap=True)
    corrected = {(test.family, test.population, test.second): test.p_holm for test in tests}
    population = None
    for row in rows:
        if population not in (None, row.population):
            table.add_section()
        population = row.population
        add_row(
            table,
            row.population,
            row.policy,
            str(row.n_scorable),
            share_text(row.accuracy.value),
            _p_value(corrected.get((POLICIES, row.population, row.policy))),
            str(row.n),
            share_text(row.scope_accuracy),
            _p_value(corrected.get((SCOPE, row.population, row.policy))),
            *map(share_text, (row.false_fire, row.miss, row.threshold)),
        )
    return table


def _mixes_table(rows: Sequence[MixRow]) -> Table:
    table = plain_table("Headroom by the share of out-of-scope traffic, H(pi)")
    table.add_column("population", overflow="fold")
    table.add_column("mix", overflow="fold")
    for name in ("pi", "static", "editor", "oracle", "headroom", "95% interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        if row.oracle is None and row.name == "curve":
            continue
        headroom = row.headroom.value
        add_row(
            table,
            row.population,
            row.name,
            NOTHING if row.out_of_scope is None else f"{row.out_of_scope:.2f}",
            *map(share_text, (row.static_fixed, row.editor, row.oracle)),
            NOTHING if headroom is None else f"{headroom:+.4f}",
            interval_text(row.headroom) or NOTHING,
        )
    return table


def comparison_tables(rows: Sequence[Comparison]) -> Iterator[Table | Text]:
    """Yield paired tests, a table for each family, those skipped with their reason."""
    for family in dict.fromkeys(row.family for row in rows):
        table = plain_table(f"Paired tests: {family} (p: cluster sign-flip)")
        for name in ("where", "won:lost", "difference", "95% interval"):
            place = name == "where"
            table.add_column(
                name,
                justify="left" if place else "right",
                no_wrap=not place,
                overflow="fold" if place else "ellipsis",
            )
        for name in ("p", "Holm", "McNemar", "least", "detects"):
            table.add_column(name, justify="right", no_wrap=True)
        tested = [row for row in rows if row.family == family]
        for row in tested:
            if row.skipped is None:
                add_row(table, *_comparison(row))
        yield table
        for row in tested:
            if row.skipped is not None:
                yield Text(printable(f"Not tested: {_where(row)}, {row.skipped}"))


def _where(row: Comparison) -> str:
    cell = "" if row.dataset == "all" else f"{row.dataset} {row.condition} "
    return f"{cell}{row.population}"


def _comparison(row: Comparison) -> list[str]:
    counts = NOTHING if row.first_only is None else f"{row.first_only}:{row.second_only}"
    tests = (row.p_sign_flip, row.p_holm, row.p_mcnemar, row.smallest_p)
    return [
        _where(row),
        counts,
        signed(row.difference),
        interval_text(row.difference) or NOTHING,
        *map(_p_value, tests),
        share_text(row.detectable),
    ]


def _noise_table(rows: Sequence[NoiseRow]) -> Table:
    draws = rows[0].draws if rows else 0
    table = plain_table(f"Decoding noise: gain over static_fixed with {draws} draws of each action")
    table.add_column("population", overflow="fold")
    table.add_column("oracle", overflow="fold")
    table.add_column("gain", justify="right", no_wrap=True)
    table.add_column("95% interval", justify="right", no_wrap=True)
    for row in rows:
        for name, found in (
            ("naive: best of all draws", row.naive),
            ("null: best draw of static's own action", row.null),
            ("corrected: naive minus null", row.corrected),
            ("held out: judged on the draw left out", row.held_out),
        ):
            add_row(table, row.population, name, signed(found), interval_text(found) or NOTHING)
    return table


def add_row(table: Table, *values: str, style: str | None = None) -> None:
    """Add a row of texts as they are: names may hold markup and control characters."""
    table.add_row(*(Text(printable(value)) for value in values), style=style)


def interval_text(found: Estimate, sign: str = "+") -> str:
    """Return an interval's ends, or nothing where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f"{found.low:{sign}.4f} to {found.high:{sign}.4f}"


def signed(found: Estimate) -> str:
    """Return a value with its sign, or a dash."""
    return NOTHING if found.value is None else f"{found.value:+.4f}"


def share_text(value: float | None) -> str:
    """Return a share, or a dash."""
    return NOTHING if value is None else f"{value:.4f}"


def count_text(value: int | None) -> str:
    """Return a count, or a dash."""
    return NOTHING if value is None else str(value)


def _p_value(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.0e}"
