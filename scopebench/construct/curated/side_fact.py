"""`side_fact`: another fact of the paragraph that states the edit.

The label depends on the condition. A structured card holds the edit alone, so no edit governs the
question; a paragraph, or the triples extracted from it, states the side fact, so the card does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from scopebench.construct.curated.draft import Draft, wording_of
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

SUPPORTING: Final[frozenset[Condition]] = frozenset({"unstructured", "extracted"})


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the side facts of the evidence of edits in force, in the words of their triples."""
    for direct in pool.kept.values():
        edit = direct.edit
        for n, triple in enumerate(edit.evidence_triples or ()):
            if not is_side_fact(triple, edit):
                continue
            question = triple.prompt.replace("{}", triple.subject)
            hop = Hop(subject=triple.subject, relation=triple.prompt, object=triple.target)
            yield Draft(
                kind=KIND.name,
                name=f"{edit.case}/{edit.edit_id.split('/')[2]}.{n}",
                question=question,
                form="cloze",
                answers=None,
                pre_edit_answers=None,
                hops=(hop,),
                near_edit_id=edit.edit_id,
                anchor=edit.edit_id,
                wording=wording_of(question, [triple.subject]),
                source=edit.source,
                supported=SUPPORTING,
                supported_answers=(triple.target,),
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
    tests="what else the card says: out of scope where it holds the triple of the edit alone, in "
    "scope where its paragraph states the fact",
    gold="the triple's object where the card states it; decision-only where it does not, because "
    "generated text may be false",
    pitfalls="triples that tell the edit in other words or from its other end are not side facts; "
    "objects that are not a name or a number alone have many wordings and are left out",
    needs="triples extracted from a paragraph",
    share=0.1,
    propose=propose,
)
