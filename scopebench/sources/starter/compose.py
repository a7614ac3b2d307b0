"""Composition of the starter tables into the upstream record schemas.

The three files have the shapes of AKEW's CounterFact.json, WikiUpdate.json and MQuAKE-CF.json, so
the ordinary parsers of the project read them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from scopebench.sources.starter.tables import (
    EditRow,
    Entity,
    Fact,
    Group,
    load_counterfact,
    load_multihop,
    load_other_facts,
    load_other_names,
    load_wikiupdate,
)
from scopebench.sources.starter.templates import (
    Relation,
    build_evidence,
    capitalize,
    fact_sentence,
    fill,
    load_relations,
    subject_template,
)

Record = dict[str, Any]
Trail = list[tuple[Fact, Entity]]


def _target(entity: Entity) -> dict[str, str]:
    return {"str": entity.name, "id": entity.entity_id}


def _core_rewrite(row: EditRow) -> Record:
    """Write the fields of a rewrite that all three schemas share."""
    relation = load_relations()[row.relation]
    evidence = build_evidence(row)
    return {
        "prompt": subject_template(relation.prompt, row.subject),
        "relation_id": relation.relation_id,
        "target_new": _target(row.new),
        "target_true": _target(row.old),
        "subject": row.subject.name,
        "question": fill(relation.question, row.subject),
        "fact_new": fact_sentence(relation, row.subject, row.new),
        "fact_new_uns": evidence.text,
        "verify_unsfact_GPT": True,
        "unsfact_triplets_GPT": evidence.triples,
    }


def _full_rewrite(row: EditRow) -> Record:
    """Write a rewrite of the single-edit schemas."""
    rewrite = _core_rewrite(row)
    rewrite["prompt_full"] = rewrite["prompt"].format(row.subject.name)
    rewrite["answer_new"] = row.new.name
    rewrite["answer_true"] = row.old.name
    rewrite["answer_new_aliases"] = list(row.new.aliases)
    rewrite["answer_true_aliases"] = list(row.old.aliases)
    return rewrite


def _beside(row: EditRow) -> Record:
    """Write what a single-edit record of either data set asks beside its edit.

    `unrelated_relation` and `alternative_subject` are there only where the tables hold one.
    """
    relation = load_relations()[row.relation]
    paraphrases = [relation.paraphrase_1, relation.paraphrase_2]
    beside: Record = {
        "paraphrase_prompts": [fill(pattern, row.subject) for pattern in paraphrases],
        "neighborhood_prompts": [
            capitalize(relation.prompt.replace("{}", name)) for name in row.neighbors
        ],
    }
    names = load_other_names().get(row.subject.name)
    if names:
        beside["alternative_subject"] = list(names)
    other = load_other_facts().get((row.dataset, row.subject.name, row.relation))
    if other is not None:
        asked = load_relations()[other.relation]
        beside["unrelated_relation"] = {
            "relation_id": asked.label,
            "object": other.object.name,
            "question": fill(asked.question, row.subject),
        }
    return beside


def counterfact_records() -> list[Record]:
    """Compose the counterfactual edits in AKEW's CounterFact schema.

    Returns:
        One record per edit, in table order.
    """
    records = []
    for case_id, row in enumerate(load_counterfact(), start=1):
        record = {
            "case_id": case_id,
            "pararel_idx": case_id,
            "requested_rewrite": _full_rewrite(row),
            "generation_prompts": [],
            **_beside(row),
        }
        records.append(record)
    return records


def _span(time: tuple[str, str]) -> dict[str, str | None]:
    return {"start_time": time[0] or None, "end_time": time[1] or None}


def wikiupdate_records() -> list[Record]:
    """Compose the real-world updates in AKEW's WikiUpdate schema.

    Returns:
        One record per update, in table order.
    """
    records = []
    for case_id, row in enumerate(load_wikiupdate(), start=1):
        rewrite = _full_rewrite(row)
        rewrite["time_true"] = _span(row.time_old)
        rewrite["time_new"] = _span(row.time_new)
        records.append({"case_id": case_id, "requested_rewrite": rewrite, **_beside(row)})
    return records


def _walk(group: Group, facts: dict[tuple[str, str], Fact], *, edited: bool) -> Trail:
    """Follow a group's relations from its start through the true or the edited world."""
    path: Trail = []
    entity = group.start
    for key in group.relations:
        fact = facts[key, entity.name]
        entity = fact.new if edited and fact.new is not None else fact.true
        path.append((fact, entity))
    return path


def _hops(path: Trail) -> list[Record]:
    hops = []
    for fact, answer in path:
        relation = load_relations()[fact.relation]
        hop = {
            "question": fill(relation.question, fact.subject),
            "cloze": fill(relation.prompt, fact.subject),
            "answer": answer.name,
            "answer_alias": list(answer.aliases),
        }
        hops.append(hop)
    return hops


def _questions(group: Group) -> list[str]:
    """Phrase the composed question in three ways."""
    relations: list[Relation] = [load_relations()[key] for key in group.relations]
    inner_1 = inner_2 = group.start.in_text
    for relation in relations[:-1]:
        inner_1 = relation.phrase_1.replace("{}", inner_1)
        inner_2 = relation.phrase_2.replace("{}", inner_2)
    last = relations[-1]
    named = last.phrase_1.replace("{}", inner_2)
    return [
        capitalize(last.question.replace("{}", inner_1)),
        capitalize(last.paraphrase_1.replace("{}", inner_2)),
        f"Can you name {named}?",
    ]


def _triples(path: Trail) -> tuple[list[list[str]], list[list[str]]]:
    """Write a path as identifier triples and as labelled triples."""
    ids, labels = [], []
    for fact, answer in path:
        relation = load_relations()[fact.relation]
        ids.append([fact.subject.entity_id, relation.relation_id, answer.entity_id])
        labels.append([fact.subject.name, relation.label, answer.name])
    return ids, labels


def _multihop_record(case_id: int, group: Group, facts: dict[tuple[str, str], Fact]) -> Record:
    old, new = _walk(group, facts, edited=False), _walk(group, facts, edited=True)
    old_ids, old_labels = _triples(old)
    new_ids, new_labels = _triples(new)
    edited = [index for index, (fact, _) in enumerate(new) if fact.new is not None]
    rows = [
        EditRow("mquake_cf", new[i][0].relation, new[i][0].subject, new[i][0].true, new[i][1])
        for i in edited
    ]
    answer, new_answer = old[-1][1], new[-1][1]
    return {
        "case_id": case_id,
        "requested_rewrite": [_core_rewrite(row) for row in rows],
        "questions": _questions(group),
        "answer": answer.name,
        "answer_alias": list(answer.aliases),
        "new_answer": new_answer.name,
        "new_answer_alias": list(new_answer.aliases),
        "single_hops": _hops(old),
        "new_single_hops": _hops(new),
        "orig": {
            "triples": old_ids,
            "triples_labeled": old_labels,
            "new_triples": new_ids,
            "new_triples_labeled": new_labels,
            "edit_triples": [new_ids[index] for index in edited],
        },
    }


def mquake_cf_records() -> list[Record]:
    """Compose the multi-hop groups in AKEW's MQuAKE-CF schema.

    A link that is edited anywhere is edited in every group whose new path crosses it, so no group
    contradicts another one in a shared memory.

    Returns:
        One record per group, in table order.
    """
    facts, groups = load_multihop()
    return [_multihop_record(number, group, facts) for number, group in enumerate(groups, start=1)]


def _write(path: Path, text: str) -> None:
    """Write a text so that a reader sees the whole file or none of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_starter(folder: Path) -> dict[str, Path]:
    """Write the three starter files.

    Args:
        folder: Where to write; created if it is missing.

    Returns:
        The path of each data set's file, by data set name. The bytes are the same every time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, text in _files().items():
        paths[name] = folder / f"{name}.json"
        _write(paths[name], text)
    return paths


def starter_digest() -> str:
    """Return the SHA-256 over the bytes of the three files, in hex."""
    return hashlib.sha256("".join(_files().values()).encode()).hexdigest()


def _files() -> dict[str, str]:
    """Return the text of each file, by data set name."""
    composed = {
        "counterfact": counterfact_records(),
        "wikiupdate": wikiupdate_records(),
        "mquake_cf": mquake_cf_records(),
    }
    return {
        name: json.dumps(records, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        for name, records in composed.items()
    }
