"""The parts that all schemas share: objects of facts, templates and evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scopebench.records import FactObject, Triple
from scopebench.sources.fields import Fields, shown

SLOT: Final = "{}"

EVIDENCE_KEYS: Final = ("fact_new_uns", "verify_unsfact_GPT", "unsfact_triplets_GPT")
"""The fields in which AKEW gives its unstructured and extracted evidence."""


def fact_object(text: str, aliases: Iterable[str] = (), entity_id: str | None = None) -> FactObject:
    """Return an object whose aliases hold no repeats and not its label."""
    others = tuple(alias for alias in dict.fromkeys(aliases) if alias != text)
    return FactObject(text=text, aliases=others, entity_id=entity_id)


def labelled_object(fields: Fields, key: str) -> FactObject:
    """Return the object under `key`, written as `{str, id}`; the id may be absent or null."""
    child = fields.child(key)
    return fact_object(child.text("str"), entity_id=child.optional_text("id"))


def check_change(fields: Fields, key: str, new: FactObject, old: FactObject) -> None:
    """Refuse an edit whose new object (field `key`) is its old one.

    Raises:
        DataError: If the labels are equal but for case, or both have the same entity id.
    """
    same_id = new.entity_id is not None and new.entity_id == old.entity_id
    if same_id or new.text.casefold() == old.text.casefold():
        raise fields.fault(
            key, f"expected an object other than the old one, found {shown(new.text)} for both"
        )


def template(fields: Fields, key: str) -> str:
    """Return a prompt that holds `{}` exactly once."""
    prompt = fields.text(key)
    count = prompt.count(SLOT)
    if count != 1:
        raise fields.fault(key, f"expected {{}} once, for the subject, found it {count} times")
    return prompt


def template_around(fields: Fields, key: str, subject: str) -> str:
    """Return the prompt under `key` with `{}` in the place of the subject.

    Of several occurrences the first that is a whole word is taken, so that the "Rome" of "Romeo
    lives in Rome" is the city.
    """
    prompt = fields.text(key)
    if SLOT in prompt:
        raise fields.fault(key, "expected the subject in the prompt, found {}")
    start = _whole_word(prompt, subject)
    if start < 0:
        raise fields.fault(key, f"expected the subject {shown(subject)} in it, found it nowhere")
    return prompt[:start] + SLOT + prompt[start + len(subject) :]


def _whole_word(text: str, word: str) -> int:
    """Return where the first whole-word occurrence starts, else the first one, else -1."""
    first = start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not any(_is_letter(side) for side in (text[start - 1 : start], text[end : end + 1])):
            return start
        start = text.find(word, start + 1)
    return first


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def paragraph(rewrite: Fields) -> str | None:
    """Return AKEW's paragraph of evidence, or None where the record has none.

    WikiUpdate joins two Wikipedia passages by a tab, which in a prompt would be neither a word gap
    nor a paragraph break; the passages are joined by a space, so that the evidence is one
    paragraph and a blank line keeps its meaning in prompts.
    """
    rewrite.optional_flag("verify_unsfact_GPT")
    text = rewrite.optional_text("fact_new_uns")
    if text is None:
        return None
    passages = (passage.strip() for passage in text.split("\t"))
    return " ".join(passage for passage in passages if passage)


def triples(rewrite: Fields) -> tuple[Triple, ...] | None:
    """Return the triples that AKEW extracted from the paragraph, or None where there are none."""
    key = "unsfact_triplets_GPT"
    if not rewrite.has(key):
        return None
    return tuple(
        Triple(
            subject=triple.text("subject"),
            prompt=template(triple, "prompt"),
            target=triple.text("target"),
        )
        for triple in rewrite.children(key)
    )


def refuse_evidence(rewrite: Fields) -> None:
    """Refuse AKEW's fields in a file that began without them, so that none is lost unseen."""
    for key in EVIDENCE_KEYS:
        if rewrite.has(key):
            raise rewrite.fault(
                key, "expected no evidence, as in the file's first record, found AKEW's"
            )
