"""Checks of the two tables of a run, row by row, so that every fault is told and not the first."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from scopebench.construct.reader import Benchmark
from scopebench.records import ACTIONS, CONDITIONS, POPULATIONS, Edit, Population, Query
from scopebench.run.rows import derived_columns
from scopebench.run.surface import Surface
from scopebench.scoring.match import judge
from scopebench.scoring.reading.stored_verdicts import BY_STRICT, CURRENT, JudgedAnew, is_earlier
from scopebench.scoring.tables import DECISIONS_FILE, DECISIONS_SCHEMA, OUTCOMES_FILE
from scopebench.validate.finding import CheckInfo, Finding

Row = Mapping[str, Any]
Key = tuple[str, str]
"""Query id and condition."""
Executed = tuple[str, int]
"""Action and draw."""

MOST_MISSING: Final = 100_000
"""Missing outcomes up to which each is told: the time that takes is in proportion to them."""

MOST_DRAWS: Final = 20
"""Draws that a finding names."""

EMPTY_SHARE: Final = 0.2
"""Share of empty answers of an action from which its accuracy measures decoding, not knowledge."""

RUN_CHECKS: Final[dict[str, CheckInfo]] = {
    "null_value": CheckInfo("error", "a value that every row must have is null"),
    "duplicate_decision": CheckInfo("error", "a query is decided twice under one condition"),
    "duplicate_outcome": CheckInfo("error", "an outcome stands twice"),
    "orphan_outcome": CheckInfo("error", "an outcome belongs to no decision"),
    "missing_outcome": CheckInfo("error", "a decision lacks the outcome of an action or draw"),
    "bad_draw": CheckInfo("error", "draws are not numbered 0, 1, ... without a gap"),
    "unknown_word": CheckInfo("error", "an action, condition or population is not one"),
    "illegal_choice": CheckInfo("error", "the action chosen is not legal for the query"),
    "illegal_text": CheckInfo("error", "an answer stands where no action is legal, or the reverse"),
    "hidden_edit_used": CheckInfo("error", "a card that is hidden from the query was used"),
    "verdict_mismatch": CheckInfo("error", "a stored verdict is not the matcher's"),
    "judged_anew": CheckInfo("note", "stored verdicts are an earlier matcher's"),
    "bad_score": CheckInfo("error", "a score is not a finite number"),
    "always_fires": CheckInfo("warning", "the editor fires on every query"),
    "never_fires": CheckInfo("warning", "the editor fires on no query"),
    "empty_answers": CheckInfo(
        "warning", f"more than {EMPTY_SHARE:.0%} of the answers of an action are empty"
    ),
    "unknown_query": CheckInfo("error", "a query is not in the benchmark"),
    "row_mismatch": CheckInfo("error", "what is stored of a query or card is not the benchmark's"),
}

_COPIED: Final = tuple(
    name for name in DECISIONS_SCHEMA.names if name in Query.model_fields and name != "query_id"
)
"""Columns of a decision that are copied from its query."""


_NEVER_NULL: Final = {
    DECISIONS_FILE: (
        *("query_id", "dataset", "condition", "population", "kind", "question"),
        *("governing_edit_ids", "subject_match", "template_match", "cluster", "fold", "action"),
    ),
    OUTCOMES_FILE: ("query_id", "condition", "action", "draw", "legal"),
}


def split_nulls(file: str, rows: Sequence[Row]) -> tuple[list[Row], list[Finding]]:
    """Return the rows of a table that hold all they must, and what the others lack."""
    whole, faults = [], []
    for number, row in enumerate(rows, start=1):
        lacking = [name for name in _NEVER_NULL[file] if row[name] is None]
        if None in (row.get("candidates") or ()):
            lacking.append("candidates")
        for name in lacking:
            faults.append(Finding("null_value", file, f"#{number}", name, "null is not allowed"))
        if not lacking:
            whole.append(row)
    return whole, faults


def check_tables(
    outcomes: Sequence[Row], decisions: Sequence[Row], *, stored: str = CURRENT
) -> Iterator[Finding]:
    """Yield what is wrong with the rows of the two tables, nulls aside (`split_nulls`).

    Args:
        outcomes: Rows of the outcomes.
        decisions: Rows of the decisions.
        stored: The matcher that the run says its verdicts are of; those of an earlier version are
            judged anew, and only counted.

    Raises:
        DataError: If that is a later version than this scopebench has.
    """
    decided: dict[Key, Row] = {}
    for row in decisions:
        if _key(row) in decided:
            yield _decision("duplicate_decision", row, None, "an earlier row decides it")
        decided.setdefault(_key(row), row)
    yield from _words(decisions)
    draws = sorted({row["draw"] for row in outcomes}) or [0]
    yield from _draws(draws)
    by_query: defaultdict[Key, dict[Executed, Row]] = defaultdict(dict)
    for row in outcomes:
        executed = (row["action"], row["draw"])
        if _key(row) not in decided:
            yield _outcome("orphan_outcome", row, None, f"{DECISIONS_FILE} does not hold it")
        elif executed in by_query[_key(row)]:
            yield _outcome("duplicate_outcome", row, None, "an earlier row holds it")
        else:
            by_query[_key(row)][executed] = row
    expected = len(decided) * len(ACTIONS) * len(draws)
    if expected > MOST_MISSING + len(outcomes):
        reason = f"{len(outcomes):,} rows, where {expected:,} would be complete"
        yield Finding("missing_outcome", OUTCOMES_FILE, None, None, reason)
        return
    for key, row in decided.items():
        yield from _choice(row, by_query[key], draws)
        yield from _used(row)
        yield from _scores(row)
    pairs = ((row, outcome) for key, row in decided.items() for outcome in by_query[key].values())
    yield from _judged(pairs, stored)
    yield from _firing(decisions)
    yield from _empty(outcomes)


class _Indexes:
    """The edits that each population of a benchmark is asked with, looked up when first needed."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._found: dict[tuple[str, Population], tuple[dict[str, Edit], Surface]] = {}

    def of(self, query: Query) -> tuple[dict[str, Edit], Surface]:
        """Return the index of a query's population, by id and as its surface."""
        key = (query.dataset, query.population)
        if key not in self._found:
            edits = self._benchmark.datasets[query.dataset].index[query.population]
            self._found[key] = ({edit.edit_id: edit for edit in edits}, Surface(edits))
        return self._found[key]


def check_against(decisions: Sequence[Row], benchmark: Benchmark) -> Iterator[Finding]:
    """Yield decisions whose query or card a benchmark does not hold, or holds otherwise."""
    queries: dict[Key, Query] = {
        (query.query_id, condition): query
        for splits in benchmark.datasets.values()
        for (condition, _), rows in splits.queries.items()
        for query in rows
    }
    indexes = _Indexes(benchmark)
    for row in decisions:
        query = queries.get(_key(row))
        if query is None:
            yield _decision("unknown_query", row, "query_id", "the benchmark has no such row")
            continue
        by_id, surface = indexes.of(query)
        card = by_id.get(row["edit_id"])
        if card is None and row["edit_id"] is not None:
            reason = f"{row['edit_id']!r} is not in the index of its population"
            yield _decision("row_mismatch", row, "edit_id", reason)
        copied = {name: getattr(query, name) for name in _COPIED}
        for name, value in {**copied, **derived_columns(query, card, surface)}.items():
            stored, expected = _plain(row[name]), _plain(value)
            if stored != expected:
                reason = f"stored as {stored!r}, in the benchmark {expected!r}"
                yield _decision("row_mismatch", row, name, reason)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value


def _words(decisions: Sequence[Row]) -> Iterator[Finding]:
    for row in decisions:
        for name, words in (
            ("action", ACTIONS),
            ("condition", CONDITIONS),
            ("population", POPULATIONS),
        ):
            if row[name] not in words:
                reason = f"{row[name]!r} is not one of {', '.join(words)}"
                yield _decision("unknown_word", row, name, reason)


def _draws(draws: Sequence[int]) -> Iterator[Finding]:
    if list(draws) != list(range(len(draws))):
        reason = f"they are {', '.join(map(str, draws[:MOST_DRAWS]))}"
        if len(draws) > MOST_DRAWS:
            reason += f" and {len(draws) - MOST_DRAWS:,} more"
        yield Finding("bad_draw", OUTCOMES_FILE, None, "draw", reason)


def _choice(row: Row, outcomes: Mapping[Executed, Row], draws: Sequence[int]) -> Iterator[Finding]:
    for action in ACTIONS:
        lacking = [draw for draw in draws if (action, draw) not in outcomes]
        if lacking:
            reason = f"{OUTCOMES_FILE} has no outcome of {action!r}"
            if len(lacking) < len(draws):
                reason += f" in draw {', '.join(map(str, lacking[:MOST_DRAWS]))}"
            yield _decision("missing_outcome", row, None, reason)
        legal = {outcomes[action, draw]["legal"] for draw in draws if (action, draw) in outcomes}
        if len(legal) > 1:
            reason = f"{action!r} is legal in some draws only"
            yield _decision("illegal_choice", row, "action", reason)
        elif action == row["action"] and legal == {False}:
            yield _decision("illegal_choice", row, "action", f"{action!r} is not legal for it")
    hidden = set(row["hidden_edit_ids"] or ())
    for outcome in outcomes.values():
        if outcome["edit_id"] in hidden:
            reason = f"{outcome['edit_id']} is hidden from the query"
            yield _outcome("hidden_edit_used", outcome, "edit_id", reason)


def _used(row: Row) -> Iterator[Finding]:
    """Yield hidden edits among a decision's cards."""
    hidden = set(row["hidden_edit_ids"] or ())
    cards = [("edit_id", row["edit_id"])]
    cards += [
        (f"candidates[{n}].edit_id", card["edit_id"])
        for n, card in enumerate(row["candidates"] or ())
    ]
    for name, edit_id in cards:
        if edit_id in hidden:
            yield _decision("hidden_edit_used", row, name, f"{edit_id} is hidden from the query")


def _scores(row: Row) -> Iterator[Finding]:
    scores = [(name, row[name]) for name in ("scope_score", "runner_up_score")]
    scores += [
        (f"candidates[{n}].score", card["score"]) for n, card in enumerate(row["candidates"] or ())
    ]
    for name, score in scores:
        if score is not None and not math.isfinite(score):
            yield _decision("bad_score", row, name, f"the score is {score}")


def _verdicts(outcome: Row, row: Row) -> Iterator[Finding]:
    """Yield verdicts that judging the answer again does not give."""
    if outcome["legal"] is None or outcome["legal"] is (outcome["text"] is None):
        reason = "a text is expected just where the action is legal"
        yield _outcome("illegal_text", outcome, "text", reason)
        return
    verdict = judge(outcome["text"], row["answers"], question=row["question"])
    for name, value in verdict._asdict().items():
        if outcome[name] is not value:
            reason = f"stored as {outcome[name]}, judged again it is {value}"
            yield _outcome("verdict_mismatch", outcome, name, reason)


def _judged(pairs: Iterable[tuple[Row, Row]], stored: str) -> Iterator[Finding]:
    """Yield verdicts that are not the matcher's; those of an earlier one are counted.

    Args:
        pairs: Decisions, each with an outcome of it.
        stored: The matcher that the verdicts are of.
    """
    earlier = is_earlier(stored)
    changed = texts = 0
    for row, outcome in pairs:
        texts += outcome["text"] is not None
        told = list(_verdicts(outcome, row))
        if earlier:
            changed += any(map(_by_strict, told))
            told = [finding for finding in told if not _by_strict(finding)]
        yield from told
    if earlier:
        words = JudgedAnew(stored, CURRENT, changed, texts).words
        yield Finding("judged_anew", OUTCOMES_FILE, None, None, words)


def _by_strict(finding: Finding) -> bool:
    """Return whether a finding is of a verdict that another version of the matcher changes."""
    return finding.check == "verdict_mismatch" and finding.field in BY_STRICT


def _firing(decisions: Sequence[Row]) -> Iterator[Finding]:
    """Yield whether the editor's decisions are all alike, which is a policy and not a decision."""
    fired = Counter(row["action"] != "abstain" for row in decisions)
    if len(fired) == 1:
        check = "always_fires" if fired[True] else "never_fires"
        reason = f"on all {fired.total()} decisions"
        yield Finding(check, DECISIONS_FILE, None, "action", reason)


def _empty(outcomes: Sequence[Row]) -> Iterator[Finding]:
    given = Counter(row["action"] for row in outcomes if row["text"] is not None)
    blank = Counter(
        row["action"] for row in outcomes if row["text"] is not None and not row["text"].strip()
    )
    for action in sorted(blank):
        if blank[action] > EMPTY_SHARE * given[action]:
            reason = f"{blank[action]} of {given[action]} answers of {action!r} are empty"
            yield Finding("empty_answers", OUTCOMES_FILE, None, "text", reason)


def _key(row: Row) -> Key:
    return row["query_id"], row["condition"]


def _decision(check: str, row: Row, field: str | None, reason: str) -> Finding:
    return Finding(check, DECISIONS_FILE, f"{row['query_id']} {row['condition']}", field, reason)


def _outcome(check: str, row: Row, field: str | None, reason: str) -> Finding:
    record = f"{row['query_id']} {row['condition']} {row['action']}"
    if row["draw"]:
        record += f" draw {row['draw']}"
    return Finding(check, OUTCOMES_FILE, record, field, reason)
