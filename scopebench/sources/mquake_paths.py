"""The multi-hop questions of an MQuAKE group and the single hops they are made of.

Zhong et al. 2023, section 3: `single_hops` is the path before the group's edits, `new_single_hops`
the path after them; the triples of `orig` give their ids and labels in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scopebench.records import Edit
from scopebench.sources.case import Link, Probe
from scopebench.sources.fields import Fields

Rows = tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True)
class _Hop:
    """A single hop with its triple, where the record's lists agree in length.

    Attributes:
        field: Dotted name of its question.
        question: The question.
        cloze: The cloze to complete, if there is one.
        answers: Accepted answers, main label first.
        ids: Subject, property and object id.
        labels: Subject, relation and object in words.
    """

    field: str
    question: str
    cloze: str | None
    answers: tuple[str, ...]
    ids: tuple[str | None, ...] = (None, None, None)
    labels: tuple[str | None, ...] = (None, None, None)


def triple_rows(orig: Fields, key: str) -> Rows:
    """Return the triples under `key`, none where it is absent or null."""
    return orig.rows(key, 3) if orig.has(key) else ()


def path_probes(record: Fields, edits: Sequence[Edit]) -> tuple[Probe, ...]:
    """Return the hops of both paths, then the multi-hop questions.

    Raises:
        DataError: If a field is mistyped or blank.
    """
    orig = record.child("orig")
    before = _hops(record, "single_hops", orig, "triples")
    after = _hops(record, "new_single_hops", orig, "new_triples")
    return (*_hop_probes(before, after, edits), *_chain_probes(record, before, after))


def _hops(record: Fields, key: str, orig: Fields, triples: str) -> tuple[_Hop, ...]:
    hops = tuple(
        _Hop(
            field=hop.dotted("question"),
            question=hop.text("question"),
            cloze=hop.text_or_none("cloze"),
            answers=tuple(dict.fromkeys((hop.text("answer"), *hop.texts("answer_alias")))),
        )
        for hop in record.children(key)
    )
    ids, labels = triple_rows(orig, triples), triple_rows(orig, f"{triples}_labeled")
    if not len(hops) == len(ids) == len(labels):
        return hops
    return tuple(
        _Hop(hop.field, hop.question, hop.cloze, hop.answers, *rows)
        for hop, *rows in zip(hops, ids, labels, strict=True)
    )


def _hop_probes(
    before: Sequence[_Hop], after: Sequence[_Hop], edits: Sequence[Edit]
) -> list[Probe]:
    """Return one probe for each question on the two paths.

    A hop that no edit of the record sets has one answer, before and after, whichever path it is on.
    """
    old = {hop.question: hop for hop in reversed(before)}
    new = {hop.question: hop for hop in reversed(after)}
    probes = []
    for question in dict.fromkeys(hop.question for hop in (*before, *after)):
        was, becomes = old.get(question), new.get(question)
        hop = was or new[question]
        lasting = hop.answers if _is_unedited(hop, edits) else None
        probes.append(
            Probe(
                role="hop",
                field=hop.field,
                question=question,
                form="question",
                subject=hop.labels[0],
                subject_id=hop.ids[0],
                relation_id=hop.ids[1],
                relation=hop.labels[1],
                before=was.answers if was is not None else lasting,
                after=becomes.answers if becomes is not None else lasting,
            )
        )
    return probes


def _is_unedited(hop: _Hop, edits: Sequence[Edit]) -> bool:
    """Whether a hop is known to be set by no edit of its record."""
    subject, relation_id = hop.labels[0], hop.ids[1]
    if subject is None or relation_id is None:
        return False
    return not any(
        edit.question == hop.question or (edit.subject, edit.relation_id) == (subject, relation_id)
        for edit in edits
    )


def _chain_probes(
    record: Fields, before: Sequence[_Hop], after: Sequence[_Hop]
) -> tuple[Probe, ...]:
    answers = {which: _answers(record, which) for which in ("answer", "new_answer")}
    path_before, path_after = _path(before), _path(after)
    return tuple(
        Probe(
            role="chain",
            field=field,
            question=question,
            form="question",
            before=answers["answer"],
            after=answers["new_answer"],
            path_before=path_before,
            path_after=path_after,
        )
        for field, question in record.numbered_texts("questions")
    )


def _answers(record: Fields, key: str) -> tuple[str, ...] | None:
    """Return an answer and its aliases, None where it is absent, null or blank."""
    answer = record.text_or_none(key)
    aliases = record.numbered_texts(f"{key}_alias")
    if answer is None:
        return None
    return tuple(dict.fromkeys((answer, *(alias for _, alias in aliases))))


def _path(hops: Sequence[_Hop]) -> tuple[Link, ...]:
    """Return the links of a path, none of them where a label is not known."""
    links = []
    for hop in hops:
        subject, relation, obj = hop.labels
        if subject is None or obj is None:
            return ()
        links.append(
            Link(
                subject=subject,
                subject_id=hop.ids[0],
                relation_id=hop.ids[1],
                relation=relation,
                object=obj,
                object_id=hop.ids[2],
                question=hop.question,
                cloze=hop.cloze,
                answers=hop.answers,
            )
        )
    return tuple(links)
