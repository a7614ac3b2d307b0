"""A report on a terminal: its tables, and the one sentence that says what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

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
    RunResult,
)
from scopebench.report.console import NOTHING, console, plain_table, printable
from scopebench.scoring.families import POLICIES, SCOPE

STRATA: Final = {"known": "known to it", "kept": "kept half", "hidden": "hidden half"}
NO_RULE: Final = "none declared"
MANY_ACTIONS: Final = 5
"""With more actions than this their columns would not fit: the best one is named instead."""


def print_run(result: RunResult, folder: Path) -> None:
    """Print a run: the cells, the pooled rows, what they mean, where it is and what is next."""
    limit = result.benchmark.limit
    scope = "all queries" if limit is None else f"at most {limit} queries a cell and population"
    title = f"{result.editor.name} beside {result.model.id}, {scope}"
    print_report(result, title=title, brief=True)
    _tell(
        f"Written: {folder} (run {result.run_id}, protocol {result.protocol.protocol_id})\n"
        f"Next: scopebench report {folder} --out report.html"
    )


def print_report(report: Report, *, title: str, brief: bool = False) -> None:
    """Print a report's tables and its sentence.

    Args:
        report: The report.
        title: What it is of.
        brief: Leave out other static policies, degenerate policies, traffic mixes and tests.
    """
    screen = console()
    screen.print(_headroom_table(report, title))
    cells = [cell for cell in report.cells if cell.stratum == "all"]
    decision_only = sum(cell.n - cell.n_scorable for cell in cells)
    if decision_only:
        screen.print(
            f"n leaves out {decision_only} decision-only rows, which have no outcome gold.\n"
        )
    if report.static_rule != NO_RULE:
        _tell(f"static: {report.static_rule}, declared before any outcome.\n")
    for shown in (*_decision_tables(report), *(() if brief else _reference_tables(report))):
        screen.print(shown, soft_wrap=isinstance(shown, Text))
    for column, cost in report.missing.items():
        _tell(f"{column}: {cost}")
    for cell in report.pooled:
        if "headroom" in cell.undefined:
            _tell(f"{cell.population}: no headroom over static_fixed, {cell.undefined['headroom']}")
    _tell(meaning(report))


def meaning(report: Report) -> str:
    """Say in one sentence what the pooled rows show."""
    pooled = {cell.population: cell for cell in report.pooled}
    told = [
        sentence
        for population, cell in pooled.items()
        if cell.headroom.value is not None
        and (sentence := _part(population, cell, len(pooled) > 1))
    ]
    if not told:
        return "No population has a headroom over a declared policy: see the reasons above."
    return "; ".join([told[0][0].upper() + told[0][1:], *told[1:]]) + "."


def _part(population: str, cell: Cell, several: bool) -> str:
    assert cell.headroom.value is not None
    gain, interval = f"{cell.headroom.value:+.4f}", f"95% interval {_interval(cell.headroom)}"
    if population == "original":
        return (
            "where every question is about an edited fact, the best per-query decision gains "
            f"{gain} over one fixed rule ({interval})"
        )
    if population == "withheld":
        abstain = cell.unique_wins.get("abstain")
        alone = (
            f", and abstaining is the only right action on {abstain} of {cell.n_scorable} queries"
            if abstain is not None
            else ""
        )
        return f"once edits are withheld it can gain {gain} ({interval}){alone}"
    if population == "curated":
        return f"on curated questions, half of which no edit governs, {gain} ({interval})"
    where = f" on {population}" if several or population != "all" else ""
    return f"the best per-query decision gains {gain} over the declared rule{where} ({interval})"


def _headroom_table(report: Report, title: str) -> Table:
    table = plain_table(title)
    table.add_column("cell", no_wrap=True)
    table.add_column("population", no_wrap=True)
    actions = report.actions if len(report.actions) <= MANY_ACTIONS else ()
    named = actions or ("best action",)
    last = "only\nabstain" if "abstain" in report.actions else "static\ncv"
    for name in ("n", *named, "static", "oracle", "headroom", "95% interval", last):
        header = Text(printable(name))
        table.add_column(header, justify="right", no_wrap=name != "best action")
    dataset = None
    for cell in report.cells:
        if cell.stratum != "all":
            continue
        if cell.dataset != dataset:
            table.add_section()
            _add_row(table, cell.dataset, style="bold")
            dataset = cell.dataset
        _add_cell(table, f" {cell.condition}", cell, actions)
    table.add_section()
    _add_row(table, "all cells", style="bold")
    for cell in report.pooled:
        _add_cell(table, " pooled", cell, actions, style="bold")
        for part in report.strata:
            if part.population == cell.population:
                _add_cell(table, f" {STRATA[part.stratum]}", part, actions)
    return table


def _add_cell(
    table: Table, name: str, cell: Cell, actions: Sequence[str], style: str | None = None
) -> None:
    shares = [_share(cell.accuracy[action]) for action in actions]
    if not actions:
        best = max(cell.accuracy, key=lambda action: cell.accuracy[action] or 0.0)
        shares = [f"{best} {_share(cell.accuracy[best])}"]
    headroom = cell.headroom.value
    _add_row(
        table,
        name,
        cell.population,
        str(cell.n_scorable),
        *shares,
        _share(cell.static_fixed),
        _share(cell.oracle),
        NOTHING if headroom is None else f"{headroom:+.4f}",
        _interval(cell.headroom) or NOTHING,
        _count(cell.unique_wins["abstain"])
        if "abstain" in cell.unique_wins
        else _share(cell.statics["static_cv"].value),
        style=style,
    )


def _decision_tables(report: Report) -> Iterator[Table | Text]:
    """Yield the tables about the editor's decisions, where the report knows of any."""
    whole = [row for row in report.router if _is_pooled(row)]
    if whole:
        yield _router_table(whole)
        yield _worth_table(whole)
    if shown := _worst_first(report.router):
        yield _kinds_table(shown)
    if report.noise:
        yield _noise_table([row for row in report.noise if row.dataset == "all"])


def _reference_tables(report: Report) -> Iterator[Table | Text]:
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
    table.add_column("population", no_wrap=True)
    for name in ("best action*", "best by cell*", "by cell, other folds"):
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("headroom", justify="right", no_wrap=True)
    for cell in rows:
        values = [
            text
            for name in ("static_const", "static_cell", "static_cv")
            for text in (
                _share(cell.statics[name].value),
                _gain(cell.statics[name].headroom),
            )
        ]
        _add_row(table, cell.population, *values)
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
        _add_row(
            table,
            row.population,
            str(row.n),
            *(_share(rate.value) for rate in rates),
            *map(_share, plain),
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
        _add_row(
            table,
            row.population,
            _share(accuracy.value),
            _interval(accuracy, sign="") or NOTHING,
            NOTHING if row.gain.value is None else f"{row.gain.value:+.4f}",
            _interval(row.gain) or NOTHING,
            *(_share(x.value) for x in (row.regret, row.capture, row.credit, row.masked)),
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
    table.add_column("population", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    names = ("n", "in scope", "accuracy", "false fire", "95% interval", "miss", "wrong edit")
    for name in (*names, "AUROC"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        _add_row(
            table,
            row.population,
            row.kind,
            str(row.n),
            _count(row.in_scope),
            _share(row.accuracy.value),
            _share(row.false_fire.value),
            _interval(row.false_fire, sign="") or NOTHING,
            *(_share(rate.value) for rate in (row.miss, row.wrong_edit, row.auroc)),
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
    table.add_column("population", no_wrap=True)
    table.add_column("policy", no_wrap=True)
    names = ("n", "accuracy", "p", "scope acc.", "p", "false fire", "miss", "threshold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    corrected = {(test.family, test.population, test.second): test.p_holm for test in tests}
    population = None
    for row in rows:
        if population not in (None, row.population):
            table.add_section()
        population = row.population
        _add_row(
            table,
            row.population,
            row.policy,
            str(row.n_scorable),
            _share(row.accuracy.value),
            _p_value(corrected.get((POLICIES, row.population, row.policy))),
            _share(row.scope_accuracy),
            _p_value(corrected.get((SCOPE, row.population, row.policy))),
            *map(_share, (row.false_fire, row.miss, row.threshold)),
        )
    return table


def _mixes_table(rows: Sequence[MixRow]) -> Table:
    table = plain_table("Headroom by the share of out-of-scope traffic, H(pi)")
    table.add_column("population", no_wrap=True)
    table.add_column("mix", no_wrap=True)
    for name in ("pi", "static", "editor", "oracle", "headroom", "95% interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        if row.oracle is None and row.name == "curve":
            continue
        headroom = row.headroom.value
        _add_row(
            table,
            row.population,
            row.name,
            NOTHING if row.out_of_scope is None else f"{row.out_of_scope:.2f}",
            *map(_share, (row.static_fixed, row.editor, row.oracle)),
            NOTHING if headroom is None else f"{headroom:+.4f}",
            _interval(row.headroom) or NOTHING,
        )
    return table


def comparison_tables(rows: Sequence[Comparison]) -> Iterator[Table | Text]:
    """Yield paired tests, a table for each family, those skipped with their reason."""
    for family in dict.fromkeys(row.family for row in rows):
        table = plain_table(f"Paired tests: {family} (p: cluster sign-flip)")
        for name in ("where", "won:lost", "difference", "95% interval"):
            table.add_column(name, justify="left" if name == "where" else "right", no_wrap=True)
        for name in ("p", "Holm", "McNemar", "least", "detects"):
            table.add_column(name, justify="right", no_wrap=True)
        tested = [row for row in rows if row.family == family]
        for row in tested:
            if row.skipped is None:
                _add_row(table, *_comparison(row))
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
        _gain(row.difference),
        _interval(row.difference) or NOTHING,
        *map(_p_value, tests),
        _share(row.detectable),
    ]


def _noise_table(rows: Sequence[NoiseRow]) -> Table:
    draws = rows[0].draws if rows else 0
    table = plain_table(f"Decoding noise: gain over static_fixed with {draws} draws of each action")
    table.add_column("population", no_wrap=True)
    table.add_column("oracle", no_wrap=True)
    table.add_column("gain", justify="right", no_wrap=True)
    table.add_column("95% interval", justify="right", no_wrap=True)
    for row in rows:
        for name, found in (
            ("naive: best of all draws", row.naive),
            ("null: best draw of static's own action", row.null),
            ("corrected: naive minus null", row.corrected),
            ("held out: judged on the draw left out", row.held_out),
        ):
            _add_row(table, row.population, name, _gain(found), _interval(found) or NOTHING)
    return table


def _add_row(table: Table, *values: str, style: str | None = None) -> None:
    """Add a row of texts as they are: names may hold markup and control characters."""
    table.add_row(*(Text(printable(value)) for value in values), style=style)


def _tell(text: str) -> None:
    console().print(printable(text), soft_wrap=True, markup=False)


def _interval(found: Estimate, sign: str = "+") -> str:
    if found.low is None or found.high is None:
        return ""
    return f"{found.low:{sign}.4f} to {found.high:{sign}.4f}"


def _gain(found: Estimate) -> str:
    return NOTHING if found.value is None else f"{found.value:+.4f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def _count(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def _p_value(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.0e}"
