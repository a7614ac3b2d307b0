"""MQuAKE-CF: groups of edits behind multi-hop questions, in MQuAKE's form and in AKEW's.

Zhong et al. 2023 (MQuAKE) and Wu et al. 2024 (AKEW, which adds evidence to 354 of its groups).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Final

from scopebench.records import Edit, FactObject
from scopebench.sources.facts import (
    EVIDENCE_KEYS,
    check_change,
    fact_object,
    labelled_object,
    paragraph,
    refuse_evidence,
    template,
    triples,
)
from scopebench.sources.fields import Fields, shown
from scopebench.sources.mquake_paths import path_probes, triple_rows
from scopebench.sources.schema import Origin, Parsed, Schema


def _is_group(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("requested_rewrite"), list)


def _is_group_with_evidence(record: Mapping[str, Any]) -> bool:
    return _is_group(record) and any(
        isinstance(rewrite, dict) and any(key in rewrite for key in EVIDENCE_KEYS)
        for rewrite in record["requested_rewrite"]
    )


def _parse_with_evidence(record: Fields, origin: Origin) -> Parsed:
    rewrites = record.children("requested_rewrite")
    if not rewrites:
        raise record.fault("requested_rewrite", "expected at least one edit, found none")
    orig = record.child("orig")
    entities = _path_entities(orig)
    new_hops, old_hops = record.children("new_single_hops"), record.children("single_hops")
    edits = []
    for n, rewrite in enumerate(rewrites):
        question = rewrite.text("question")
        relation_id = rewrite.text("relation_id")
        subject = rewrite.text("subject")
        new = _with_aliases(rewrite, "target_new", question, new_hops)
        old = _with_aliases(rewrite, "target_true", question, old_hops)
        check_change(rewrite, "target_new", new, old)
        edits.append(
            Edit(
                edit_id=origin.edit_id(n),
                dataset=origin.dataset,
                subject=subject,
                subject_id=_subject_id(orig, subject, relation_id, new.entity_id),
                relation_id=relation_id,
                prompt=template(rewrite, "prompt"),
                question=question,
                target_new=new,
                target_true=old,
                evidence_unstructured=paragraph(rewrite),
                evidence_triples=triples(rewrite),
                path_entities=entities,
                source=origin.source,
            )
        )
    _check_consistent(record, edits)
    return Parsed(tuple(edits), path_probes(record, tuple(edits)))


def _parse_plain(record: Fields, origin: Origin) -> Parsed:
    for rewrite in record.children("requested_rewrite"):
        refuse_evidence(rewrite)
    return _parse_with_evidence(record, origin)


def _with_aliases(rewrite: Fields, key: str, question: str, hops: tuple[Fields, ...]) -> FactObject:
    """Return an object with the aliases of the hop that asks for it.

    The case's own `answer_alias` belongs to the end of the path, which is the edit's object only
    on one hop. Where no hop asks the edit's question (an old object off the unedited path), the
    hop with the same answer is taken, and where there is none, no alias is known.

    Raises:
        DataError: If the hop that asks the edit's question answers something else.
    """
    named = labelled_object(rewrite, key)
    asking = [hop for hop in hops if hop.text("question") == question]
    answering = [hop for hop in hops if hop.text("answer") == named.text]
    for hop in asking or answering:
        answer, aliases = hop.text("answer"), hop.texts("answer_alias")
        if named.text in (answer, *aliases):
            return fact_object(named.text, (answer, *aliases), named.entity_id)
    if asking:
        raise rewrite.fault(
            f"{key}.str",
            f"expected the answer of the hop that asks the same question, "
            f"{shown(asking[0].text('answer'))}, found {shown(named.text)}",
        )
    return named


def _subject_id(
    orig: Fields, subject: str, relation_id: str, new_object_id: str | None
) -> str | None:
    """Return the subject of the triple that has the edit's relation and new object, if certain."""
    if new_object_id is None:
        return None
    tail = (relation_id, new_object_id)
    edited = {row[0] for row in triple_rows(orig, "edit_triples") if row[1:] == tail}
    after, labels = triple_rows(orig, "new_triples"), triple_rows(orig, "new_triples_labeled")
    found = edited or {row[0] for row in after if row[1:] == tail}
    if len(found) > 1:
        found = {
            row[0]
            for row, label in zip(after, labels, strict=False)
            if row[1:] == tail and label[0] == subject
        }
    return found.pop() if len(found) == 1 else None


def _path_entities(orig: Fields) -> tuple[str, ...]:
    """Return subjects and objects of the path before and after the edits, ids before labels."""
    entities: dict[str, None] = {}
    for key in ("triples", "new_triples"):
        pairs = zip_longest(
            triple_rows(orig, key), triple_rows(orig, f"{key}_labeled"), fillvalue=(None,) * 3
        )
        for n, (ids, labels) in enumerate(pairs):
            for end in (0, 2):
                entity = ids[end] or labels[end]
                if entity is None:
                    raise orig.fault(f"{key}[{n}][{end}]", "expected an entity id, found none")
                entities[entity] = None
    if not entities:
        raise orig.fault("triples", "expected the triples of the path, found none")
    return tuple(entities)


def _check_consistent(record: Fields, edits: list[Edit]) -> None:
    objects: dict[tuple[str, str | None], str] = {}
    for n, edit in enumerate(edits):
        text = edit.target_new.text
        other = objects.setdefault((edit.subject, edit.relation_id), text)
        if other != text:
            raise record.fault(
                f"requested_rewrite[{n}].target_new.str",
                f"expected {shown(other)}, as another edit of the record sets the same relation, "
                f"found {shown(text)}",
            )


SCHEMAS: Final = (
    Schema(
        name="akew-mquake-cf",
        dataset="mquake_cf",
        summary="AKEW's MQuAKE-CF.json: all three conditions",
        matches=_is_group_with_evidence,
        parse=_parse_with_evidence,
    ),
    Schema(
        name="mquake",
        dataset="mquake_cf",
        summary="MQuAKE's own files: structured only",
        matches=lambda record: _is_group(record) and not _is_group_with_evidence(record),
        parse=_parse_plain,
    ),
)
