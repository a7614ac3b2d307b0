"""What a question's wording tells: its template and the relation it asks."""

from __future__ import annotations

from scopebench.construct.relations import relation_by_label, relation_of
from scopebench.construct.text import normalise
from scopebench.sources.case import Probe


def relation_asked(probe: Probe, template: str | None) -> str | None:
    """Return the property id a probe asks for: told, named in words, or told by its wording."""
    if probe.relation_id is not None:
        return probe.relation_id
    if probe.relation is not None:
        found = relation_by_label(normalise(probe.relation))
        if found is not None:
            return found
    return None if template is None else relation_of(template)


def template_around(question: str, subject: str) -> str | None:
    """Return a question with its one subject as `{}`; None where it is missing or repeated."""
    plain = question.casefold()
    name = subject.casefold()
    if plain.count(name) != 1 or len(plain) != len(question) or "{}" in question:
        return None
    start = plain.index(name)
    return question[:start] + "{}" + question[start + len(subject) :]
