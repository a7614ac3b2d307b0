"""`side_fact`: another fact of the paragraph that states an edit.

A paragraph, or the triples extracted from it, states more than the edit, so its card governs these
questions as well; once the edit is deleted, nothing does. A structured card holds the edit alone:
there every such question would be out of scope, so that its wording would tell the label, and none
is asked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from scopebench.construct.curated.draft import Draft
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.text import holds_phrase, normalise
from scopebench.records import Condition, Edit, Hop, Triple

LONGEST_TARGET: Final = 6
"""Words of the longest object that a short answer can be expected to repeat."""

JOINING_WORDS: Final = frozenset("the of and a an for de la le du van von y".split())
"""Words in lower case that a name may hold."""

INITIALS: Final = 3
"""Letters from which initials stand for a name."""

STEM: Final = 5
"""Letters by which two words are taken for forms of one."""

EMPTY_WORDS: Final = frozenset(
    "a an and are as at by famous for has had have in is known of on renowned the was were".split()
)
"""Words that alone ask nothing in particular: "X was the" has many answers."""

STATED_IN: Final[frozenset[Condition]] = frozenset({"unstructured", "extracted"})
"""Conditions under which a card holds more than its edit."""

WORDING: Final = "side fact"
"""The wording they are paired by: each is told in words of its own."""


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the side facts of edits in force and of deleted ones, in the words of their triples."""
    told = _Paragraphs([direct.edit for direct in pool.kept.values()])
    for direct in pool.kept.values():
        edit = direct.edit
        for n, triple in _side_facts(edit):
            if told.others_with(triple, edit):
                continue  # which card governs it could not be said
            hop = _hop(triple, edit.edit_id)
            yield _draft(edit, n, triple, hop, answers=(triple.target,), near=edit.edit_id)
    for edit_id in pool.deleted:
        asked = pool.by_id.get(edit_id)
        if asked is None:
            continue
        for n, triple in _side_facts(asked.edit):
            if not told.others_with(triple, asked.edit):
                hidden = pool.layout.units[edit_id]
                yield _draft(asked.edit, n, triple, _hop(triple), hidden=hidden)


def _side_facts(edit: Edit) -> Iterator[tuple[int, Triple]]:
    for n, triple in enumerate(edit.evidence_triples or ()):
        if is_side_fact(triple, edit):
            yield n, triple


def _hop(triple: Triple, *edit_ids: str) -> Hop:
    return Hop(
        subject=triple.subject, relation=triple.prompt, object=triple.target, edit_ids=edit_ids
    )


def _draft(
    edit: Edit,
    n: int,
    triple: Triple,
    hop: Hop,
    *,
    answers: tuple[str, ...] | None = None,
    near: str | None = None,
    hidden: tuple[str, ...] = (),
) -> Draft:
    return Draft(
        kind=KIND.name,
        name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{n}",
        question=triple.prompt.replace("{}", triple.subject),
        form="cloze",
        answers=answers,
        pre_edit_answers=None,
        hops=(hop,),
        near_edit_id=near,
        anchor=edit.edit_id,
        wording=WORDING,
        source=edit.source,
        hidden_edit_ids=hidden,
        conditions=STATED_IN,
        exact=True,
    )


class _Paragraphs:
    """The paragraphs of some edits, found by the words they hold."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._texts = {
            edit.edit_id: normalise(edit.evidence_unstructured)
            for edit in edits
            if edit.evidence_unstructured is not None
        }
        self._by_word: defaultdict[str, list[str]] = defaultdict(list)
        for edit_id, text in self._texts.items():
            for word in dict.fromkeys(re.findall(r"\w+", text)):
                self._by_word[word].append(edit_id)

    def others_with(self, triple: Triple, edit: Edit) -> bool:
        """Whether the paragraph of another edit names both ends of a triple."""
        ends = [normalise(triple.subject), normalise(triple.target)]
        words = re.findall(r"\w+", " ".join(ends))
        few = min((self._by_word.get(word, []) for word in words), key=len, default=[])
        return any(
            all(holds_phrase(self._texts[edit_id], end) for end in ends)
            for edit_id in few
            if edit_id != edit.edit_id
        )


def is_side_fact(triple: Triple, edit: Edit) -> bool:
    """Whether a triple is about the edit's subject or new object and does not state the edit."""
    subject, target = normalise(triple.subject), normalise(triple.target)
    about = {normalise(edit.subject), normalise(edit.target_new.text)}
    if subject not in about or not target or len(target.split()) > LONGEST_TARGET:
        return False
    names = [edit.subject, *edit.target_new.answers]
    names += edit.target_true.answers if edit.target_true is not None else ()
    asked = normalise(triple.prompt)
    if set(asked.replace("{}", " ").split()) <= EMPTY_WORDS or not names_something(triple.target):
        return False
    told = [normalise(name) for name in names]
    told += [normalise(initials(name)) for name in names[1:] if len(initials(name)) >= INITIALS]
    if stems(asked) & stems(normalise(edit.prompt)):
        return False  # the edit's own relation in other words
    # The edit told the other way round, or in other words, is the edit.
    if any(holds_phrase(target, name) or holds_phrase(name, target) for name in told):
        return False
    if stems(target) & {stem for name in told[1:] for stem in stems(name)}:
        return False  # "the Methodist faith" tells of Methodism
    paragraph = normalise(edit.evidence_unstructured or "")
    return target in paragraph and not any(holds_phrase(asked, name) for name in told)


def stems(text: str) -> set[str]:
    """Return the beginnings of the longer words of a normalised text."""
    return {word[:STEM] for word in text.split() if len(word) >= STEM}


def names_something(target: str) -> bool:
    """Whether an object is a name or a number alone, so that it is the one answer.

    "London in 2012" or "spreading the religion throughout Europe" has many wordings.
    """
    words = target.split()
    if re.search(r"\S in (the )?\d", target):
        return False
    return all(
        word in JOINING_WORDS or word[:1].isupper() or word[:1].isdigit() for word in words
    ) and not all(word in JOINING_WORDS for word in words)


def initials(name: str) -> str:
    """Return the first letters of a name's words, as in BBC."""
    return "".join(word[0] for word in name.split() if word[0].isupper())


KIND = Kind(
    name="side_fact",
    scope="both",
    tests="what else the card says: in scope where its paragraph states the fact, out of scope "
    "once the edit was deleted with it",
    gold="the triple's object where a card states it; decision-only where none does, because "
    "generated text may be false",
    pitfalls="triples that tell the edit in other words or from its other end are not side facts; "
    "objects that are not a name or a number alone have many wordings and are left out, as are "
    "facts that two paragraphs name; under `structured` no card states one, so that the wording "
    "would tell the label, and none is asked",
    needs="triples extracted from a paragraph",
    share=0.1,
    propose=propose,
)
