"""Everything that a person needs to judge a row, as JSON values and as the columns of a sheet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scopebench.audit.rows import Row
from scopebench.construct.curated import KINDS
from scopebench.construct.reader import Benchmark
from scopebench.construct.text import normalise
from scopebench.records import Edit, Hop, Population, Query

NEAREST: Final = 3
"""Cards shown as the nearest ones."""

MOST_DELETED: Final = 5
"""Deleted edits shown at most, of the subjects that are asked about."""

_CLAIMS: Final = {kind.name: kind for kind in KINDS}
_WITHHELD_CLAIM: Final = {
    "tests": "the edit's own question while its fact is hidden from the index",
    "scope": "out",
    "gold": "what held before the edit, where that is known",
    "pitfalls": "another edit in force may still set the fact",
}


@dataclass
class Describer:
    """Describes rows of one benchmark.

    Attributes:
        benchmark: The benchmark.
    """

    benchmark: Benchmark
    _edits: dict[str, dict[str, Edit]] = field(default_factory=dict)
    _deleted: dict[tuple[str, Population], dict[str, list[Edit]]] = field(default_factory=dict)
    _queries: dict[str, Query] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, splits in self.benchmark.datasets.items():
            self._edits[name] = {
                edit.edit_id: edit
                for index in (*splits.index.values(), *splits.written.values())
                for edit in index
            }
            for population, deleted in splits.deleted.items():
                by_subject = self._deleted[name, population] = defaultdict(list)
                for edit in deleted:
                    for subject in _subject_keys(edit.subject, edit.subject_id):
                        by_subject[subject].append(edit)
            for queries in splits.queries.values():
                self._queries.update((query.query_id, query) for query in queries)

    def describe(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return what is known of each row, with the nearest cards of its effective index."""
        nearest: dict[str, tuple[Edit, ...]] = {}
        parts: dict[tuple[str, Population], list[Row]] = defaultdict(list)
        for row in rows:
            parts[row.query.dataset, row.query.population].append(row)
        for (dataset, population), asked in parts.items():
            index = self.benchmark.datasets[dataset].index[population]
            nearest.update(nearest_cards([row.query for row in asked], index))
        return [self._one(row, nearest[row.query.query_id]) for row in rows]

    def _one(self, row: Row, nearest: tuple[Edit, ...]) -> dict[str, Any]:
        query = row.query
        edits = self._edits[query.dataset]
        twin = None if query.twin_id is None else self._queries.get(query.twin_id)
        near = None
        if query.near_edit_id not in query.governing_edit_ids:  # where it is, it is shown as such
            near = edits.get(query.near_edit_id or "")
        return {
            "row": row.key,
            "dataset": query.dataset,
            "population": query.population,
            "kind": query.kind,
            "claims": _claim(query),
            "conditions": list(row.conditions),
            "question": query.question,
            "form": query.form,
            "date": query.date,
            "label": "in scope" if query.in_scope else "out of scope",
            "governing_edits": _cards(edits.get(key) for key in query.governing_edit_ids),
            "answers": None if query.answers is None else list(query.answers),
            "before": None if query.pre_edit_answers is None else list(query.pre_edit_answers),
            "hops": [_hop(hop) for hop in query.hops],
            "hidden_edits": _cards(edits.get(key) for key in query.hidden_edit_ids),
            "deleted_edits": _cards(self._deleted_about(query)),
            "near_edit": _cards([near]),
            "nearest_cards": _cards(nearest),
            "twin": None if twin is None else f"{twin.query_id}: {twin.question}",
            "flags": list(query.flags),
            "source": f"{query.source.file}, record {query.source.record}",
        }

    def _deleted_about(self, query: Query) -> list[Edit]:
        by_subject = self._deleted.get((query.dataset, query.population), {})
        found = {
            edit.edit_id: edit
            for hop in query.hops
            for key in _subject_keys(hop.subject, hop.subject_id)
            for edit in by_subject.get(key, ())
        }
        shown = {*query.hidden_edit_ids, query.near_edit_id}  # as such
        return [edit for key, edit in found.items() if key not in shown][:MOST_DELETED]


def nearest_cards(
    queries: Sequence[Query], index: Sequence[Edit], count: int = NEAREST
) -> dict[str, tuple[Edit, ...]]:
    """Return, by query id, the cards of the effective index that read most like the question.

    Cosine of TF-IDF over letters in threes to fives, inside words (scikit-learn's `char_wb`); the
    cards that govern a query are left out, as they are shown anyhow.
    """
    if not index or not queries:
        return {query.query_id: () for query in queries}
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    try:
        cards = vectorizer.fit_transform(f"{edit.asked} {edit.cloze}" for edit in index)
    except ValueError:  # not one card holds three letters
        return {query.query_id: () for query in queries}
    found = {}
    for query in queries:
        scores = (cards @ vectorizer.transform([query.question]).T).toarray()[:, 0]
        left_out = {*query.governing_edit_ids, *query.hidden_edit_ids}
        order = sorted(scores.nonzero()[0], key=lambda at: (-scores[at], index[at].edit_id))
        kept = [index[at] for at in order[: count + len(left_out)]]
        found[query.query_id] = tuple(e for e in kept if e.edit_id not in left_out)[:count]
    return found


def sheet_row(described: Mapping[str, Any], sheet_id: str) -> dict[str, str]:
    """Return a description as texts by column, `sheet` and `row` first."""
    answers = described["answers"]
    claims = described["claims"]
    return {
        "sheet": sheet_id,
        "row": described["row"],
        "dataset": described["dataset"],
        "population": described["population"],
        "kind": described["kind"],
        "claims": f"scope: {claims['scope']}. Tests {claims['tests']}. Gold: {claims['gold']}. "
        f"Pitfalls: {claims['pitfalls']}",
        "conditions": ", ".join(described["conditions"]),
        "question": described["question"],
        "form": described["form"],
        "date": described["date"] or "",
        "label": described["label"],
        "governing_edits": "\n".join(map(told_card, described["governing_edits"])),
        "gold": "none: decision-only" if answers is None else answers[0],
        "gold_aliases": " | ".join((answers or ())[1:]),
        "right_before": " | ".join(described["before"] or ()),
        "hops": "\n".join(described["hops"]),
        "hidden_edits": "\n".join(map(told_card, described["hidden_edits"])),
        "deleted_edits": "\n".join(map(told_card, described["deleted_edits"])),
        "near_edit": "\n".join(map(told_card, described["near_edit"])),
        "nearest_cards": "\n".join(map(told_briefly, described["nearest_cards"])),
        "twin": described["twin"] or "",
        "flags": ", ".join(described["flags"]),
        "source": described["source"],
    }


def told_card(card: Mapping[str, Any]) -> str:
    """Return a card in one line: what is asked, the old and the new object, dates, evidence."""
    told = told_briefly(card)
    if card["new_aliases"]:
        told += f" (or {', '.join(card['new_aliases'])})"
    for name in ("old_time", "new_time"):
        if card[name]:
            told += f"; {name.replace('_', ' ')} {card[name]}"
    if card["evidence"]:
        told += f"; evidence: {card['evidence']}"
    for triple in card["triples"]:
        told += f"; triple: {triple}"
    return told


def told_briefly(card: Mapping[str, Any]) -> str:
    """Return what a card asks, with its old and its new object."""
    return f"{card['edit_id']}: {card['asked']} {card['old'] or 'unknown'} -> {card['new']}"


def _claim(query: Query) -> dict[str, str]:
    if query.population == "withheld" and not query.in_scope:
        return _WITHHELD_CLAIM
    kind = _CLAIMS.get(query.kind)
    if kind is None:
        return dict.fromkeys(("tests", "scope", "gold", "pitfalls"), "not known to this version")
    scope = "of both labels" if kind.scope == "both" else kind.scope
    return {"tests": kind.tests, "scope": scope, "gold": kind.gold, "pitfalls": kind.pitfalls}


def _cards(edits: Iterable[Edit | None]) -> list[dict[str, Any]]:
    return [_card(edit) for edit in edits if edit is not None]


def _card(edit: Edit) -> dict[str, Any]:
    old = edit.target_true
    return {
        "edit_id": edit.edit_id,
        "subject": edit.subject,
        "asked": edit.asked,
        "old": old and old.text,
        "new": edit.target_new.text,
        "new_aliases": list(edit.target_new.aliases),
        "old_time": edit.time_true and f"{edit.time_true.start} to {edit.time_true.end}",
        "new_time": edit.time_new and f"{edit.time_new.start} to {edit.time_new.end}",
        "evidence": edit.evidence_unstructured,
        "triples": [
            f"{triple.prompt.replace('{}', triple.subject)} {triple.target}"
            for triple in edit.evidence_triples or ()
        ],
    }


def _hop(hop: Hop) -> str:
    told = f"{hop.subject or '?'} | {hop.relation or '?'} | {hop.object or '?'}"
    return f"{told} (set by {', '.join(hop.edit_ids)})" if hop.edit_ids else told


def _subject_keys(subject: str | None, subject_id: str | None) -> tuple[str, ...]:
    names = () if subject is None else (normalise(subject),)
    return names if subject_id is None else (*names, f"id {subject_id}")
