"""Checks the rows of a submission's tables against its benchmark: none missing, none changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from scopebench.construct.reader import Benchmark
from scopebench.hub.fault import Fault
from scopebench.hub.table_guard import SCHEMAS
from scopebench.records import ACTIONS, CONDITIONS, LEGAL_ACTIONS, Condition
from scopebench.scoring.reading.stored_verdicts import CURRENT
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE, read_table
from scopebench.validate.finding import Finding
from scopebench.validate.run_rows import RUN_CHECKS, check_against, check_tables, split_nulls

Row = Mapping[str, Any]

_PART: Final = 1_000
"""Rows turned into Python values together."""

LARGEST_SCORE: Final = 1e12
"""Scores above would make differences of scores infinite or meaningless."""

BUILT_IN: Final = frozenset({"base", "inlay", "rag", "static"})
"""Editors of this package, whose legal actions are those of `LEGAL_ACTIONS`."""


def fault_of(finding: Finding) -> Fault:
    """Return a finding of `scopebench.validate` as a fault."""
    places = [finding.file]
    if finding.record is not None:
        places.append(finding.record)
    if finding.field is not None:
        places.append(f"field {finding.field}")
    return Fault(finding.check, ", ".join(places), finding.reason)


def check_sizes(folder: Path, benchmark: Benchmark, draws: int | None) -> Iterator[Fault]:
    """Yield tables with far more rows than the benchmark has, before they are held in memory."""
    queries = sum(
        len(part) for data in benchmark.datasets.values() for part in data.queries.values()
    )
    executed = queries * len(ACTIONS) * (draws or 1)
    for name, most in ((DECISIONS_FILE, queries), (OUTCOMES_FILE, executed)):
        found = pq.read_metadata(folder / name).num_rows
        if found > 2 * most:
            yield Fault("extra_rows", name, f"{found:,} rows, where {most:,} would be complete")


def check_decisions(decisions: Sequence[Row], benchmark: Benchmark) -> Iterator[Fault]:
    """Yield decisions that are not the benchmark's queries, and queries that are not decided."""
    yield from map(fault_of, check_against(decisions, benchmark))
    yield from _missing(decisions, benchmark)


def absent_conditions(decisions: Sequence[Row], benchmark: Benchmark) -> tuple[str, ...]:
    """Return the benchmark's conditions of which a run has no row: its editor has none of them."""
    offered = {condition for data in benchmark.datasets.values() for condition, _ in data.queries}
    covered = {row["condition"] for row in decisions}
    return tuple(condition for condition in CONDITIONS if condition in offered - covered)


def _missing(decisions: Sequence[Row], benchmark: Benchmark) -> Iterator[Fault]:
    """Yield each split of which queries are missing, under the conditions that the run covers."""
    covered = {row["condition"] for row in decisions}
    if not covered:
        yield Fault("missing_rows", DECISIONS_FILE, "no row at all")
    decided = {(row["query_id"], row["condition"]) for row in decisions}
    for dataset, splits in benchmark.datasets.items():
        for (condition, population), queries in splits.queries.items():
            if condition not in covered:
                continue
            lacking = [q.query_id for q in queries if (q.query_id, condition) not in decided]
            if lacking:
                place = f"{DECISIONS_FILE}, {dataset} {condition} {population}"
                reason = f"{len(lacking):,} of {len(queries):,} queries are missing: {lacking[0]}"
                yield Fault("missing_rows", place, reason + (" ..." if lacking[1:] else ""))


def check_outcomes(
    outcomes: Sequence[Row],
    decisions: Sequence[Row],
    benchmark: Benchmark,
    draws: int | None,
    editor: str | None = None,
    stored: str = CURRENT,
) -> Iterator[Fault]:
    """Yield what is wrong with outcomes and with what was decided, every answer judged again.

    Args:
        outcomes: Rows of the outcomes, without nulls where there must be none.
        decisions: Rows of the decisions, which are the benchmark's queries.
        benchmark: The benchmark.
        draws: Draws of each action by the protocol; None: not known.
        editor: The editor's name; None: not known.
        stored: The matcher that the stored verdicts are of.
    """
    found = {row["draw"] for row in outcomes}
    if draws is not None and len(found) != draws:
        reason = f"{len(found):,} draws, by the protocol {draws:,}"
        yield Fault("bad_draw", f"{OUTCOMES_FILE}, field draw", reason)
    for finding in check_tables(outcomes, decisions, stored=stored):
        if RUN_CHECKS[finding.check].severity == "error":
            yield fault_of(finding)
    yield from _legality(outcomes, editor)
    yield from _cards(outcomes, decisions, benchmark)
    yield from _no_cards(decisions, benchmark)
    yield from _executed(outcomes, decisions)
    yield from _scores(decisions)


def _legality(outcomes: Sequence[Row], editor: str | None) -> Iterator[Fault]:
    """Yield actions that are legal for some queries of a condition only, or chosen to suit.

    What is legal is declared for a condition (`protocols.EditorInfo.actions`). Were it chosen for
    each query, calling an action illegal where it fails would make the static policy better.
    """
    counts = Counter((row["condition"], row["action"], row["legal"]) for row in outcomes)
    covered = {condition for condition, _, _ in counts}
    place = f"{OUTCOMES_FILE}, field legal"
    for condition in CONDITIONS:
        legal = {action for action in ACTIONS if counts[condition, action, True]}
        for action in ACTIONS:
            yes, no = counts[condition, action, True], counts[condition, action, False]
            if yes and no:
                reason = f"{action!r} is legal for {yes:,} {condition} outcomes and not for {no:,}"
                yield Fault("uneven_legality", place, reason)
        if condition in covered:
            for reason in _unsuited(condition, legal, editor):
                yield Fault("bad_legality", place, reason)


def _unsuited(condition: Condition, legal: Set[str], editor: str | None) -> Iterator[str]:
    """Yield why the actions legal under a condition can be no editor's, or not this one's."""
    if "abstain" not in legal:
        yield f"'abstain' is illegal under {condition}; it is the unedited model, always legal"
    if not legal & {"recite", "reason"}:
        yield f"neither 'recite' nor 'reason' is legal under {condition}; the static policy is one"
    # A run does not store what its editor declares; what ours declare is known.
    declared = set(LEGAL_ACTIONS[condition])
    if editor in BUILT_IN and legal != declared:
        words = ", ".join(sorted(legal)) or "none"
        yield f"{editor!r} has {', '.join(sorted(declared))} under {condition}, here {words}"


def _cards(
    outcomes: Sequence[Row], decisions: Sequence[Row], benchmark: Benchmark
) -> Iterator[Fault]:
    """Yield cards named by outcomes or candidates that the benchmark has not."""
    known = {
        edit.edit_id
        for splits in benchmark.datasets.values()
        for index in splits.index.values()
        for edit in index
    }
    for row in outcomes:
        if row["edit_id"] is not None and row["edit_id"] not in known:
            yield _unknown_edit(OUTCOMES_FILE, row, "edit_id", row["edit_id"])
    for row in decisions:
        for card in row["candidates"] or ():
            if card["edit_id"] not in known:
                yield _unknown_edit(DECISIONS_FILE, row, "candidates", card["edit_id"])


def _no_cards(decisions: Sequence[Row], benchmark: Benchmark) -> Iterator[Fault]:
    """Yield decisions that name no card although one is visible to the query.

    A decision names the nearest card, whether or not it fired (`records.Decision.edit_id`); without
    one, reciting gives nothing, which would make the static policy worse wherever it is right.
    """
    holding: dict[tuple[str, str, str], frozenset[str]] = {}
    for row in decisions:
        if row["edit_id"] is not None:
            continue
        key = dataset, population, condition = row["dataset"], row["population"], row["condition"]
        if key not in holding:
            index = benchmark.datasets[dataset].index[population]
            holding[key] = frozenset(edit.edit_id for edit in index if edit.holds(condition))
        hidden = frozenset(row["hidden_edit_ids"] or ())
        if any(edit_id not in hidden for edit_id in holding[key]):
            place = f"{DECISIONS_FILE}, {row['query_id']} {condition}, field edit_id"
            yield Fault("no_card", place, "null, although cards are visible; name the nearest one")


def _executed(outcomes: Sequence[Row], decisions: Sequence[Row]) -> Iterator[Fault]:
    """Yield outcomes that are not of the decision's card.

    Every action is executed with the card that the decision names (`protocols.Editor.act`), and
    `recite` plays that card's answer back: the bias decides every token, and an answer that its
    tokens do not spell exactly is refused before anything runs (`models.CausalLM.answer_tokens`,
    docs/protocol.md). So its text is the card's answer to the letter, outer spaces aside, on any
    model and in every draw; without a card there is nothing to play.
    """
    decided = {(row["query_id"], row["condition"]): row for row in decisions}
    for row in outcomes:
        decision = decided.get((row["query_id"], row["condition"]))
        if decision is None:
            continue  # told as an orphan
        used, card = row["edit_id"], decision["edit_id"]
        allowed = (card,) if row["action"] != "abstain" else (None, card)
        if used not in (allowed if row["legal"] else (None,)):
            reason = f"{used!r}, where the decision's card is {card!r}"
            if not row["legal"]:
                reason = f"{used!r}, where the action is not legal"
            yield Fault("other_card", _place(row, "edit_id"), reason)
        answer = (decision["card_answer"] or "").strip()
        if row["action"] == "recite" and row["legal"] and (row["text"] or "").strip() != answer:
            reason = f"{row['text']!r}, where the card's answer is {answer!r}; reciting plays it"
            yield Fault("recited_otherwise", _place(row, "text"), reason)


def _place(row: Row, field: str) -> str:
    record = f"{row['query_id']} {row['condition']} {row['action']}"
    if row["draw"]:
        record += f" draw {row['draw']}"
    return f"{OUTCOMES_FILE}, {record}, field {field}"


def _unknown_edit(file: str, row: Row, field: str, edit_id: str | None) -> Fault:
    place = f"{file}, {row['query_id']} {row['condition']}, field {field}"
    return Fault("unknown_edit", place, f"{edit_id!r} is no edit of the benchmark")


def _scores(decisions: Sequence[Row]) -> Iterator[Fault]:
    """Yield finite scores that are too large; others are `bad_score` already."""
    for row in decisions:
        scores = [row["scope_score"], row["runner_up_score"]]
        scores += [card["score"] for card in row["candidates"] or ()]
        for score in scores:
            if score is not None and LARGEST_SCORE < abs(score) < float("inf"):
                place = f"{DECISIONS_FILE}, {row['query_id']} {row['condition']}"
                yield Fault("bad_score", place, f"the score {score:g} is over {LARGEST_SCORE:g}")


def read_rows(folder: Path, name: str) -> tuple[list[Row], list[Fault]]:
    """Read a table that came through `table_guard`, up to the first part that holds bad nulls."""
    table = read_table(folder / name, SCHEMAS[name])
    rows: list[Row] = []
    known: dict[str, str] = {}
    for start in range(0, table.num_rows, _PART):
        part = table.slice(start, _PART).to_pylist()
        findings = split_nulls(name, part)[1]
        if findings:
            return rows, [_moved(finding, start) for finding in findings]
        rows.extend({key: _shared(value, known) for key, value in row.items()} for row in part)
    return rows, []


def _shared(value: Any, known: dict[str, str]) -> Any:
    """Return a value whose strings are held once, however often they stand in the table."""
    if isinstance(value, str):
        return known.setdefault(value, value)
    if isinstance(value, list):
        return [_shared(item, known) for item in value]
    if isinstance(value, dict):
        return {key: _shared(item, known) for key, item in value.items()}
    return value


def _moved(finding: Finding, start: int) -> Fault:
    """Number a row from the start of its table and not of its part."""
    number = int((finding.record or "#0").removeprefix("#"))
    return fault_of(replace(finding, record=f"#{start + number}"))
