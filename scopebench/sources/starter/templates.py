"""Wording of the starter data set: questions, clozes and evidence paragraphs.

The words themselves stand in `tables/relations.csv`. Question and cloze patterns hold one `{}` for
the subject, the evidence patterns `{s}` and `{o}` for the subject and the new object. The column
`order` lays out a paragraph: S is a side fact about the subject, O one about the new object, and E
the sentence that states the edit.

The triples "extracted" from a paragraph carry the kind of noise that real extraction has. An edit's
key (data set, relation, subject) is hashed; where the hash is divisible by `NOISE_MODULUS`, that is
for about one edit in eight, the edit's own triple is spoiled in one of the ways in `NOISE_KINDS`:

- `missing`: the triple is left out;
- `reversed`: subject and target have changed places;
- `truncated`: only the first half of the target is left (of its words, or of the letters of a
  single word).

All other triples are exact and stand in the paragraph's order.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache

from scopebench.sources.starter.tables import EditRow, Entity, SideFact, read_table

NOISE_MODULUS = 8
NOISE_KINDS = ("missing", "reversed", "truncated")
MIN_SIDE_FACTS = 2

Triple = dict[str, str]


@dataclass(frozen=True)
class Relation:
    """Wording of one relation; each line of `tables/relations.csv` is one of these."""

    key: str
    relation_id: str
    label: str
    question: str
    prompt: str
    paraphrase_1: str
    paraphrase_2: str
    phrase_1: str
    phrase_2: str
    order: str
    opening: str
    statement: str


@dataclass(frozen=True)
class Evidence:
    """A paragraph that states an edit and the triples read off it."""

    text: str
    triples: list[Triple]


@cache
def load_relations() -> dict[str, Relation]:
    """Read the wording of all relations.

    Returns:
        The relations by key. Several keys may share a Wikidata property, as "president" and
        "king" do.
    """
    return {row["key"]: Relation(**row) for row in read_table("relations")}


def capitalize(text: str) -> str:
    """Put the first letter in upper case and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def subject_template(pattern: str, subject: Entity) -> str:
    """Give a pattern the article that its subject needs.

    Args:
        pattern: Wording with one `{}`.
        subject: Entity that will take the place of `{}`.

    Returns:
        The pattern, still with one `{}`, starting with an upper-case letter.
    """
    slot = f"{subject.article} {{}}".strip()
    return capitalize(pattern.replace("{}", slot))


def fill(pattern: str, subject: Entity) -> str:
    """Put a subject, with its article, into a pattern with one `{}`."""
    return capitalize(pattern.replace("{}", subject.in_text))


def fact_sentence(relation: Relation, subject: Entity, obj: Entity) -> str:
    """Complete the cloze of a fact to a sentence."""
    return f"{fill(relation.prompt, subject)} {obj.in_text}."


def edit_hash(row: EditRow) -> int:
    """Hash the key of an edit, the source of every arbitrary choice about it.

    The key holds no record number, so an edit shared by several multi-hop groups is worded alike
    in all of them.
    """
    key = f"{row.dataset}/{load_relations()[row.relation].relation_id}/{row.subject.name}"
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


def noise_kind(row: EditRow) -> str | None:
    """Say how the extracted triple of an edit is spoiled, None where it is exact."""
    number = edit_hash(row)
    if number % NOISE_MODULUS:
        return None
    return NOISE_KINDS[number // NOISE_MODULUS % len(NOISE_KINDS)]


def mentions(text: str, entity: Entity) -> bool:
    """Tell whether a text names an entity or one of its aliases as whole words."""
    for name in entity.names:
        # Short aliases such as "US" are ordinary words in lower case.
        flags = re.IGNORECASE if len(name) > 3 else re.NOFLAG
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags):
            return True
    return False


def _truncate(target: str) -> str:
    words = target.split()
    if len(words) > 1:
        return " ".join(words[: (len(words) + 1) // 2])
    return target[: (len(target) + 1) // 2]


def edit_triples(row: EditRow) -> list[Triple]:
    """Write the extracted triple of an edit, with its noise.

    Args:
        row: The edit.

    Returns:
        One triple, or none where the edit was missed.
    """
    relation = load_relations()[row.relation]
    prompt = subject_template(relation.prompt, row.subject)
    kind = noise_kind(row)
    subject, target = row.subject.name, row.new.name
    if kind == "missing":
        return []
    if kind == "reversed":
        subject, target = target, subject
    elif kind == "truncated":
        target = _truncate(target)
    return [{"subject": subject, "prompt": prompt, "target": target}]


def _usable_facts(entity: Entity, row: EditRow) -> list[SideFact]:
    """List the side facts of an entity that keep the old object out of the paragraph."""
    facts = [f for f in entity.facts if not mentions(f"{f.predicate} {f.target}", row.old)]
    return facts[::-1] if edit_hash(row) // 64 % 2 else facts


def _side_sentence(entity: Entity, fact: SideFact, *, again: bool) -> str:
    name = entity.pronoun if again else entity.in_text
    return capitalize(f"{name} {fact.predicate} {fact.target}.")


def build_evidence(row: EditRow) -> Evidence:
    """Compose the paragraph and the extracted triples of an edit.

    Args:
        row: The edit.

    Returns:
        The paragraph, which names the new object and never the old one, and its triples.

    Raises:
        ValueError: If too few side facts are left for a paragraph.
    """
    relation = load_relations()[row.relation]
    names = {"s": row.subject.in_text, "o": row.new.in_text}
    facts = {"S": _usable_facts(row.subject, row), "O": _usable_facts(row.new, row)}
    entities = {"S": row.subject, "O": row.new}
    sentences: list[str] = []
    triples: list[Triple] = []
    # Half of the edits go without the opening, so paragraphs of a relation do not all begin alike.
    if relation.opening and edit_hash(row) // 128 % 2:
        sentences.append(relation.opening.format(**names))
    previous, used = "", 0
    for slot in relation.order:
        if slot == "E":
            sentences.append(capitalize(relation.statement.format(**names)))
            triples.extend(edit_triples(row))
        elif facts[slot]:
            fact, entity = facts[slot].pop(0), entities[slot]
            sentences.append(_side_sentence(entity, fact, again=previous == slot))
            prompt = subject_template(f"{{}} {fact.predicate}", entity)
            triples.append({"subject": entity.name, "prompt": prompt, "target": fact.target})
            used += 1
        else:
            continue
        previous = slot
    if used < MIN_SIDE_FACTS:
        raise ValueError(f"{row.subject.name}: {used} side facts, at least {MIN_SIDE_FACTS} needed")
    return Evidence(" ".join(sentences), triples)
